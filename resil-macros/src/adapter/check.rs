//! The rules that concern the impl as a whole. Each reports once for one cause, on what the user must change.

mod borrowed;
mod dead;
mod hedge;
mod limits;
mod methods;
mod reads;
mod repository;
mod times;

use std::collections::BTreeSet;

use proc_macro2::Span;

pub(super) use self::borrowed::is_hindered;
pub(super) use self::hedge::is_exclusive;
pub(super) use self::methods::{can_pass, find_bare_self, in_arc, takes_all};
pub(super) use self::reads::{is_unfit, lent_option};
use super::args::{Args, Kind, Written};
use super::helpers::{Helpers, Override};
use super::item::{Item, Method};
use super::shape::{Form, Taken};
use crate::diagnostics::{Errors, message};

/// A method with all that was said of it.
pub(super) struct Draft {
    pub(super) method: Method,
    pub(super) helpers: Helpers,
    pub(super) form: Form,
    pub(super) taken: Taken,
}

impl Draft {
    pub(super) fn new(method: Method, errors: &mut Errors) -> Self {
        let helpers = Helpers::read(&method.helpers, errors);
        let (form, taken) = (Form::of(&method.sig), Taken::of(&method.sig));
        Self {
            method,
            helpers,
            form,
            taken,
        }
    }

    pub(super) fn is_async(&self) -> bool {
        self.form != Form::Sync
    }

    /// Whether calls of the method go through policies.
    pub(super) fn is_guarded(&self, args: &Args) -> bool {
        let own =
            self.helpers.own.is_given() || (args.own.is_given() && self.helpers.stated().next().is_none());
        self.is_async() && !own
    }

    pub(super) fn name(&self) -> String {
        self.method.sig.ident.to_string()
    }

    /// What holds of this policy by what the code states, on the method or on the impl.
    pub(super) fn effective<'a>(&'a self, args: &'a Args, policy: &str) -> Option<&'a Written> {
        match self.overrides(policy) {
            Some(own) if own.off => None,
            Some(own) => Some(&own.written),
            None => args.policy_named(policy),
        }
    }

    fn overrides(&self, policy: &str) -> Option<&Override> {
        self.helpers.named(policy)
    }
}

/// Whether more than one method is async. The same one under several `#[cfg]` is one.
pub(super) fn several_async(drafts: &[Draft]) -> bool {
    let names: BTreeSet<String> = drafts
        .iter()
        .filter(|draft| draft.is_async())
        .map(Draft::name)
        .collect();
    names.len() > 1
}

/// All rules.
pub(super) fn all(args: &Args, item: &Item, drafts: &[Draft], errors: &mut Errors) {
    kind(args, errors);
    own_and_policies(args, errors);
    some_async(item, drafts, errors);
    for draft in drafts {
        methods::check(args, draft, errors);
        borrowed::check(args, draft, errors);
        reads::check(args, draft, errors);
    }
    methods::beside_arc(args, drafts, errors);
    dead::slow_calls(args, drafts, errors);
    limits::bounded(args, drafts, errors);
    limits::repeatable(args, drafts, errors);
    times::check(args, drafts, errors);
    hedge::check(args, drafts, errors);
    repository::check(args, drafts, errors);
}

fn kind(args: &Args, errors: &mut Errors) {
    if args.kind.is_given() || args.meant("kind") {
        return;
    }
    errors.at_span(
        Span::call_site(),
        message!("`#[adapter]` does not say what the adapter reaches")
            .help("add `kind = \"external\"` (another process), `\"gateway\"` (another context of the same system) or `\"repository\"` (your own store)")
            .note("the kind decides which policies hold by default, and which would do harm"),
    );
}

fn own_and_policies(args: &Args, errors: &mut Errors) {
    if let (Some(own), Some(policy)) = (args.own.key(), args.policies.first()) {
        let policy = policy.name;
        errors.at(
            own,
            message!("`own` says that the adapter goes without policies, and `{policy}` is stated beside it")
                .help(format_args!(
                    "remove `{policy}`, or remove `own` and put `#[own(reason = \"…\")]` on single methods"
                )),
        );
    }
}

fn some_async(item: &Item, drafts: &[Draft], errors: &mut Errors) {
    if drafts.iter().any(Draft::is_async) {
        return;
    }
    errors.at(
        &item.port,
        message!("`#[adapter]` finds no async method here, so there is nothing that it could protect")
            .help("remove `#[adapter]`, or make the methods that leave the process async")
            .note("a future is seen as `async fn`, `-> impl Future<…>`, `-> Pin<Box<dyn Future<…>>>`, `BoxFuture` or `LocalBoxFuture`"),
    );
}

/// The kind that holds; a missing one was reported.
pub(super) fn kind_of(args: &Args) -> Kind {
    args.kind.get().copied().unwrap_or(Kind::External)
}
