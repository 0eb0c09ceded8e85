//! What can be cached: a value that was asked for by arguments that can be kept.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericArgument, GenericParam, PatType, PathArguments, Type};

use super::Draft;
use crate::adapter::args::{Args, Written};
use crate::adapter::generics::elides_lifetimes;
use crate::adapter::shape::{self, Taken};
use crate::diagnostics::{Errors, Message, message};
use crate::grammar::has_word;

/// As many as a key can have.
const MOST_ARGUMENTS: usize = 12;

pub(super) fn check(args: &Args, draft: &Draft, errors: &mut Errors) {
    let Some(cached) = draft.effective(args, "cached").filter(|_| draft.is_guarded(args)) else {
        return;
    };
    if let Some(mark) = draft.helpers.non_idempotent.key() {
        errors.at(
            mark,
            message!(
                "`{}` is `cached`, so it is a read, and a read may be repeated",
                draft.name()
            )
            .help("remove the mark; or, where it changes anything, put `#[cached(off)]` on it"),
        );
    }
    let cannot = Cannot {
        draft,
        on_impl: draft.overrides("cached").is_none(),
    };
    if let Some((tokens, says)) = cannot.be_cached(has_key(cached)) {
        errors.at(tokens, says);
    }
}

/// Whether what `cached` needs is not there, so that no code must be generated for it.
pub(in crate::adapter) fn is_unfit(args: &Args, draft: &Draft) -> bool {
    let Some(cached) = draft.effective(args, "cached").filter(|_| draft.is_guarded(args)) else {
        return false;
    };
    let cannot = Cannot {
        draft,
        on_impl: false,
    };
    cannot.be_cached(has_key(cached)).is_some()
}

fn has_key(cached: &Written) -> bool {
    // A faulty one was reported, and may have had one.
    cached
        .stated
        .as_ref()
        .is_none_or(|stated| stated.get("key").is_some())
}

struct Cannot<'a> {
    draft: &'a Draft,
    on_impl: bool,
}

impl Cannot<'_> {
    /// The first reason, and where it stands.
    fn be_cached(&self, has_key: bool) -> Option<(TokenStream, Message)> {
        let name = self.draft.name();
        let sig = &self.draft.method.sig;
        if self.draft.taken == Taken::Mutable {
            let receiver = shape::receiver(sig)?;
            return Some(self.because(
                receiver,
                message!(
                    "`{name}` takes `&mut self`, so it changes the adapter, and `cached` would leave that out"
                ),
                "take `&self`, with a lock for what has to change",
            ));
        }
        if let Some(generic) = self.generic() {
            return Some(self.because(
                generic,
                message!("`{name}` is generic, and a cache holds values of one type by keys of one type"),
                "write the types that are meant, or cache behind a method that does",
            ));
        }
        let answer = shape::answer(sig);
        if let Some(unit) = answer.and_then(value_of).filter(|value| is_unit(value)) {
            return Some(self.because(
                unit,
                message!("`{name}` answers with nothing, so there is nothing that `cached` could keep"),
                "let it answer with what callers need",
            ));
        }
        if let Some(hidden) = answer.and_then(hidden_type) {
            return Some(self.because(
                hidden,
                message!(
                    "`{name}` answers with a type that has no name, and a cache has to keep values of it"
                ),
                "write the type, a `Vec` in place of an iterator for example",
            ));
        }
        self.arguments(&name, has_key)
    }

    fn arguments(&self, name: &str, has_key: bool) -> Option<(TokenStream, Message)> {
        let arguments: Vec<&PatType> = typed(self.draft).collect();
        if let Some(mutable) = arguments
            .iter()
            .find(|argument| matches!(shape::plain(&argument.ty), Type::Reference(lent) if lent.mutability.is_some()))
        {
            return Some(self.because(
                &mutable.ty,
                message!("`{name}` changes this argument, and `cached` would leave that out"),
                "let it answer with what it would write",
            ));
        }
        if has_key {
            return None;
        }
        if let Some(borrowed) = arguments.iter().find(|argument| cannot_be_kept(&argument.ty)) {
            return Some(self.because(
                &borrowed.ty,
                message!(
                    "`cached` keeps the arguments of `{name}` as a key, and this type borrows from elsewhere"
                ),
                "take a reference to an owned type, or name what makes the key: `key = Self::key`",
            ));
        }
        let beyond = arguments.get(MOST_ARGUMENTS)?;
        Some(self.because(
            &beyond.ty,
            message!(
                "`{name}` has {} arguments, and a key has at most {MOST_ARGUMENTS}",
                arguments.len()
            ),
            "name what makes the key: `key = Self::key`",
        ))
    }

    fn because(&self, tokens: impl ToTokens, says: Message, help: &str) -> (TokenStream, Message) {
        let off = if self.on_impl {
            ", or put `#[cached(off)]` on the method"
        } else {
            ", or leave `cached` out"
        };
        (tokens.into_token_stream(), says.help(format_args!("{help}{off}")))
    }

    /// A parameter for a type or a constant, or an argument that stands for one.
    fn generic(&self) -> Option<TokenStream> {
        let sig = &self.draft.method.sig;
        let parameter = sig.generics.params.iter().find_map(|parameter| match parameter {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(ty) => Some(ty.ident.to_token_stream()),
            GenericParam::Const(constant) => Some(constant.ident.to_token_stream()),
        });
        parameter.or_else(|| {
            typed(self.draft)
                .find_map(|argument| has_word(&argument.ty, "impl").then(|| argument.ty.to_token_stream()))
        })
    }
}

pub(in crate::adapter) fn typed(draft: &Draft) -> impl Iterator<Item = &PatType> {
    draft.method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    })
}

/// `T` of `Result<T, E>` under any alias.
fn value_of(answer: &Type) -> Option<&Type> {
    let Type::Path(path) = shape::plain(answer) else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(shape::plain(ty)),
        _ => None,
    })
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

fn hidden_type(answer: &Type) -> Option<&Type> {
    has_word(answer, "impl").then_some(answer)
}

/// Whether it borrows in a way of which no owned form is known. `&T` and `Option<&T>` have one.
fn cannot_be_kept(ty: &Type) -> bool {
    let inner = match shape::plain(ty) {
        Type::Reference(reference) => &*reference.elem,
        other => lent_option(other).unwrap_or(other),
    };
    let tokens = inner.to_token_stream();
    elides_lifetimes(tokens.clone()) || names_lifetimes(tokens)
}

/// `T` of `Option<&T>`.
pub(in crate::adapter) fn lent_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = shape::plain(ty) else {
        return None;
    };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => match shape::plain(ty) {
            Type::Reference(reference) if reference.mutability.is_none() => Some(&reference.elem),
            _ => None,
        },
        _ => None,
    }
}

/// Any lifetime but `'static`.
fn names_lifetimes(tokens: TokenStream) -> bool {
    let mut after_tick = false;
    for token in tokens {
        let named = match &token {
            TokenTree::Ident(name) => after_tick && !is_static(name),
            TokenTree::Group(group) => names_lifetimes(group.stream()),
            _ => false,
        };
        if named {
            return true;
        }
        after_tick = crate::grammar::is_punct(&token, '\'');
    }
    false
}

fn is_static(name: &Ident) -> bool {
    name == "static"
}
