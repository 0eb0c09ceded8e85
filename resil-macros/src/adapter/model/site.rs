//! What one method is made of.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{LitStr, Safety};

use super::{Cache, Fallback, Guard, Method, Override, Retry, Treatment};
use crate::adapter::args::Args;
use crate::adapter::check::{self, Draft};
use crate::adapter::generics::{Head, without_self};
use crate::adapter::question::Question;
use crate::adapter::shape;
use crate::adapter::signature::{answer, conditions, lints, plain_signature, turbofish};
use crate::paths::ours;
use crate::policy::Stated;

/// What all methods are resolved by.
pub(super) struct Site<'a> {
    pub(super) args: &'a Args,
    pub(super) head: &'a Head,
    /// A method is async.
    pub(super) some: bool,
    /// More than one method is async.
    pub(super) several: bool,
    /// Of all methods.
    pub(super) names: BTreeSet<String>,
    /// The wrapper holds its adapter in an `Arc`.
    pub(super) in_arc: bool,
}

impl Site<'_> {
    pub(super) fn method(&self, draft: Draft) -> Method {
        let broken = !check::can_pass(self.args, &draft)
            || check::is_unfit(self.args, &draft)
            || check::is_exclusive(self.args, &draft)
            || (self.in_arc && check::takes_all(&draft))
            || check::is_hindered(self.args, &draft)
            || check::find_bare_self(&draft).is_some()
            || matches!(draft.method.sig.safety, Safety::Unsafe(_));
        let treatment = if broken {
            Treatment::Diverge
        } else if draft.is_guarded(self.args) {
            Treatment::Guard(Box::new(self.guard(&draft)))
        } else {
            Treatment::Delegate
        };
        let question = Question::of(self.args, &draft).filter(|_| self.some);
        let reason = self.reason(&draft);
        Self::resolved(draft, treatment, question, reason)
    }

    pub(super) fn resolved(
        draft: Draft,
        treatment: Treatment,
        question: Option<Question>,
        reason: Option<String>,
    ) -> Method {
        let (sig, arguments) = plain_signature(draft.method.sig);
        Method {
            question,
            conditions: conditions(&draft.method.attrs),
            lints: lints(&draft.method.attrs),
            form: draft.form,
            receiver: shape::receiver(&sig).cloned(),
            taken: draft.taken,
            turbofish: turbofish(&sig),
            sig,
            arguments,
            treatment,
            reason,
        }
    }

    pub(super) fn guard(&self, draft: &Draft) -> Guard {
        let ident = &draft.method.sig.ident;
        let own_retry = draft.helpers.named("retry");
        let on_impl = self.args.policy_named("retry").is_some();
        let retry = match own_retry {
            Some(retry) if retry.off => Retry::Never,
            Some(_) => Retry::Stated,
            None if on_impl => Retry::Stated,
            None => Retry::Possible,
        };
        let said_by_retry = own_retry.map_or(on_impl && !self.several, |retry| !retry.off);
        let cached = draft.effective(self.args, "cached").is_some();
        let idempotent = if draft.helpers.non_idempotent.is_given() {
            Some(false)
        } else if draft.helpers.idempotent.is_given()
            || self.args.idempotent.is_given()
            || said_by_retry
            || cached
        {
            Some(true)
        } else {
            None
        };
        let overrides = draft
            .helpers
            .policies
            .iter()
            .filter_map(|policy| match &policy.written.stated {
                _ if policy.off => Some(Override::Off(policy.written.name)),
                Some(stated) => Some(Override::Set(stated.clone())),
                None => None,
            });
        let hedged = self.stated(draft, "hedge").is_some();
        Guard {
            name: ident.unraw().to_string(),
            field: ours(ident),
            overrides: overrides.collect(),
            idempotent,
            retry: if hedged { Retry::Never } else { retry },
            hedged,
            probe: self
                .stated(draft, "circuit_breaker")
                .and_then(|breaker| self.code(breaker, "probe")),
            cache: self
                .stated(draft, "cached")
                .map(|cached| self.cache(ident, cached)),
            fallback: self
                .stated(draft, "fallback")
                .and_then(|fallback| self.fallback(fallback)),
            errors: self.errors(),
            answer: answer(&draft.method.sig),
        }
    }

    fn reason(&self, draft: &Draft) -> Option<String> {
        let (args, helpers) = (self.args, &draft.helpers);
        let reason = if draft.is_guarded(args) {
            let own = helpers
                .named("timeout")
                .and_then(|timeout| timeout.reason.as_ref());
            own.or(args.no_timeout.get())
        } else {
            let on_impl = args.own.get().filter(|_| draft.is_async());
            helpers.own.get().or(on_impl)
        };
        reason.map(LitStr::value)
    }

    /// The policy that holds for a method by what the code states.
    fn stated<'d>(&'d self, draft: &'d Draft, policy: &str) -> Option<&'d Stated> {
        draft.effective(self.args, policy)?.stated.as_ref()
    }

    /// A function or an expression of the user's.
    fn code(&self, policy: &Stated, option: &str) -> Option<TokenStream> {
        let code = policy.code(option)?.clone();
        Some(without_self(code, &self.head.adapter, None))
    }

    fn cache(&self, method: &Ident, cached: &Stated) -> Cache {
        let name = method.unraw();
        let mut field = format!("{name}_cache");
        while self.names.contains(&field) {
            field.push('_');
        }
        Cache {
            field: Ident::new(&field, Span::mixed_site()),
            invalidate: Ident::new(
                &format!("invalidate_{name}"),
                Span::call_site().located_at(method.span()),
            ),
            key: self.code(cached, "key"),
            aged: self.code(cached, "aged"),
        }
    }

    fn fallback(&self, fallback: &Stated) -> Option<Fallback> {
        let with = self.code(fallback, "with").map(Fallback::With);
        with.or_else(|| self.code(fallback, "value").map(Fallback::Value))
    }

    fn errors(&self) -> Option<TokenStream> {
        let map = self.args.errors.get()?;
        Some(without_self(map.to_token_stream(), &self.head.adapter, None))
    }
}
