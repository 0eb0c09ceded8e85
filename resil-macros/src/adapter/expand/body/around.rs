//! What stands around the attempts of a call: a cache, and an answer in place of a failure.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

use super::{first_argument, slot, state};
use crate::adapter::model::{Argument, Cache, Fallback, Guard, Method, Model};
use crate::adapter::shape::Pass;
use crate::paths::{self, respan};

/// The cache around `body`, which answers for one who loads.
pub(super) fn cached(
    model: &Model,
    method: &Method,
    guard: &Guard,
    cache: &Cache,
    body: &TokenStream,
) -> TokenStream {
    let mixed = Span::mixed_site();
    let (state, slot) = (state(model, method, guard), slot(model, method, cache));
    let key = key(model, &method.arguments, guard, cache);
    let aged = cache.aged.as_ref().map_or_else(
        || {
            let option = paths::option();
            quote_spanned! {mixed=> #option::None }
        },
        |path| {
            let aged = model.paths.private_at("aged", at(path));
            quote_spanned! {at(path)=> #aged(&load, #path) }
        },
    );
    let detect = model.paths.private("Detect");
    let (name, map) = named(model, guard, "cached");
    // What the compiler finds wrong in several places that share a span, it reports once.
    let answer = guard.answer;
    let (aged_, share, value) = (
        quote_spanned! {answer=> aged },
        quote_spanned! {answer=> share },
        quote_spanned! {answer=> value.await },
    );
    let state = respan(state, answer);
    let slot = respan(slot, answer);
    let made = quote_spanned! {answer=> #name(#map #state, #slot, key, #aged_, #share, load) };
    quote_spanned! {mixed=>
        let key = #key;
        let load = || async { #body };
        let aged = #aged;
        let share = #detect::of_error(&load).detected_clone();
        let value = #made;
        #value
    }
}

/// `Key::of((shop, &day))`, or what the user's function makes of them.
pub(in crate::adapter::expand) fn key(
    model: &Model,
    arguments: &[Argument],
    guard: &Guard,
    cache: &Cache,
) -> TokenStream {
    let mixed = Span::mixed_site();
    if let Some(path) = &cache.key {
        let lent = arguments.iter().map(|argument| {
            let Argument { conditions, name, .. } = argument;
            let lent = lent(argument, name);
            quote_spanned! {mixed=> #(#conditions)* #lent }
        });
        let at = at(path);
        let key = model.paths.private_at("Key", at);
        let lent = respan(quote_spanned! {at=> #(#lent),* }, at);
        return quote_spanned! {at=> #key::owned(#path(#lent)) };
    }
    // What cannot be part of a key is said where it is said what cannot be kept.
    let key = model.paths.private_at("Key", guard.answer);
    let parts = arguments.iter().map(|argument| {
        let Argument { conditions, name, .. } = argument;
        // An `Option<&T>` lends what it holds.
        let part = if argument.lent_option {
            name.to_token_stream()
        } else {
            lent(argument, name)
        };
        quote_spanned! {mixed=> #(#conditions)* #part, }
    });
    quote_spanned! {guard.answer=> #key::of((#(#parts)*)) }
}

/// A reference to what was passed.
fn lent(argument: &Argument, name: &Ident) -> TokenStream {
    if argument.is_reference {
        name.to_token_stream()
    } else {
        quote_spanned! {Span::mixed_site()=> &#name }
    }
}

/// The fallback behind `body`.
pub(super) fn fallback(
    model: &Model,
    method: &Method,
    guard: &Guard,
    fallback: &Fallback,
    body: &TokenStream,
) -> TokenStream {
    let mixed = Span::mixed_site();
    let state = state(model, method, guard);
    let (path, function) = match fallback {
        Fallback::With(path) => (path, "fallback"),
        Fallback::Value(value) => (value, "fallback_value"),
    };
    // What does not fit is said where the user named it.
    let at = at(path);
    let (name, map) = by_map(model, guard, function, at);
    let needed = |argument: &Argument| match fallback {
        Fallback::With(_) => true,
        Fallback::Value(value) => names(value.clone(), &argument.name.to_string()),
    };
    let kept = again(model, &method.arguments, needed);
    let instead = match fallback {
        Fallback::With(path) => {
            let arguments = method.arguments.iter().enumerate();
            let passed = arguments.map(|(index, argument)| left(index, argument, at));
            let inner = first_argument(model, method, at);
            quote_spanned! {at=> |error| #path(#inner #(#passed)* error) }
        }
        Fallback::Value(value) => {
            let restored = restored(&method.arguments, needed);
            if restored.is_empty() {
                quote_spanned! {at=> || #value }
            } else {
                quote_spanned! {at=> || { #restored #value } }
            }
        }
    };
    let instead = quote_spanned! {at=> #name(#map #state, result, #instead) };
    let awaited = quote_spanned! {at=> instead.await };
    // Attempts return their answer, and only they need a place to return it to.
    let result = if guard.cache.is_some() {
        quote_spanned! {mixed=> { #body } }
    } else {
        quote_spanned! {mixed=> async { #body }.await }
    };
    quote_spanned! {mixed=>
        #kept
        let result = #result;
        let instead = #instead;
        #awaited
    }
}

/// Whether an expression names an argument, perhaps in the text of a `format!`.
fn names(value: TokenStream, argument: &str) -> bool {
    value.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == argument,
        TokenTree::Literal(text) => text.to_string().contains(&format!("{{{argument}")),
        TokenTree::Group(group) => names(group.stream(), argument),
        TokenTree::Punct(_) => false,
    })
}

/// What is taken by value is cloned before the attempts use it up.
fn again(model: &Model, arguments: &[Argument], needed: impl Fn(&Argument) -> bool) -> TokenStream {
    let mixed = Span::mixed_site();
    let each = owned(arguments, needed).map(|(index, argument)| {
        let (conditions, name, again) = (&argument.conditions, &argument.name, kept_as(index));
        let lasting = model.paths.private_at("LastingArgument", name.span());
        let at = Span::mixed_site().located_at(name.span());
        let cloned = quote_spanned! {at=> #lasting::again(&#name) };
        quote_spanned! {mixed=> #(#conditions)* let #again = #cloned; }
    });
    each.collect()
}

/// And has its own name again for an expression that names it.
fn restored(arguments: &[Argument], needed: impl Fn(&Argument) -> bool) -> TokenStream {
    let each = owned(arguments, needed).map(|(index, argument)| {
        let (conditions, name, again) = (&argument.conditions, &argument.name, kept_as(index));
        quote_spanned! {Span::mixed_site()=> #(#conditions)* let #name = #again; }
    });
    each.collect()
}

fn owned(
    arguments: &[Argument],
    needed: impl Fn(&Argument) -> bool,
) -> impl Iterator<Item = (usize, &Argument)> {
    let all = arguments.iter().enumerate();
    all.filter(move |(_, argument)| argument.pass == Pass::Owned && needed(argument))
}

fn kept_as(index: usize) -> Ident {
    Ident::new(&format!("again{index}"), Span::mixed_site())
}

fn left(index: usize, argument: &Argument, at: Span) -> TokenStream {
    let Argument {
        conditions,
        name,
        pass,
        ..
    } = argument;
    let value = match pass {
        Pass::Plain => name.to_token_stream(),
        Pass::Reborrow => quote_spanned! {at=> &mut *#name },
        Pass::Owned => respan(kept_as(index).to_token_stream(), at),
    };
    quote_spanned! {at=> #(#conditions)* #value, }
}

/// The function of this name, and what is passed to it first where another type explains the errors. What the compiler finds wrong
/// with the answer, it says at the type of the answer.
pub(super) fn named(model: &Model, guard: &Guard, name: &str) -> (TokenStream, Option<TokenStream>) {
    by_map(model, guard, name, guard.answer)
}

fn by_map(model: &Model, guard: &Guard, name: &str, at: Span) -> (TokenStream, Option<TokenStream>) {
    if guard.errors.is_some() {
        let map = quote_spanned! {Span::mixed_site()=> map, };
        return (model.paths.private_at(&format!("{name}_mapped"), at), Some(map));
    }
    (model.paths.private_at(name, at), None)
}

/// Where the compiler says that a function of the user's does not fit.
pub(super) fn at(path: &TokenStream) -> Span {
    Span::mixed_site().located_at(path.span())
}
