//! What stands around the attempts of a call: a cache, and an answer in place of a failure.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

use super::this;
use crate::adapter::model::{Argument, Cache, Fallback, Guard, Method, Model};
use crate::adapter::shape::Pass;
use crate::paths;

/// The cache around `body`, which answers for one who loads.
pub(super) fn cached(
    model: &Model,
    method: &Method,
    guard: &Guard,
    cache: &Cache,
    body: &TokenStream,
) -> TokenStream {
    let mixed = Span::mixed_site();
    let (this, state, field) = (this(method), &guard.field, &cache.field);
    let key = key(model, &method.arguments, cache);
    let aged = option(cache.aged.as_ref());
    let share = model.paths.private("SharedError");
    let (name, map) = named(model, guard, "cached");
    quote_spanned! {mixed=>
        let key = #key;
        let load = async { #body };
        let share = #share::of(&load).detected();
        #name(#map &#this.states.#state, &#this.states.#field, key, #aged, load, share).await
    }
}

/// `arguments((shop, &day))`, or what the user's function makes of them.
pub(in crate::adapter::expand) fn key(model: &Model, arguments: &[Argument], cache: &Cache) -> TokenStream {
    let mixed = Span::mixed_site();
    if let Some(path) = &cache.key {
        let lent = arguments.iter().map(|argument| {
            let Argument { conditions, name, .. } = argument;
            let lent = lent(argument, name);
            quote_spanned! {mixed=> #(#conditions)* #lent }
        });
        let own = model.paths.private("own_key");
        let made = quote_spanned! {at(path)=> #path(#(#lent),*) };
        return quote_spanned! {mixed=> #own(#made) };
    }
    let arguments_ = model.paths.private("arguments");
    let parts = arguments.iter().map(|argument| {
        let Argument { conditions, name, .. } = argument;
        let part = if argument.lent_option {
            let option = model.paths.private("OptionPart");
            quote_spanned! {mixed=> #option(#name) }
        } else {
            lent(argument, name)
        };
        quote_spanned! {mixed=> #(#conditions)* #part, }
    });
    quote_spanned! {mixed=> #arguments_((#(#parts)*)) }
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
    let (this, state) = (this(method), &guard.field);
    let (name, map) = named(model, guard, "fallback");
    let (kept, instead) = match fallback {
        Fallback::Value(value) => {
            let (ready, ok) = (paths::ready(), paths::ok());
            (
                TokenStream::new(),
                quote_spanned! {mixed=> |_error| #ready(#ok(#value)) },
            )
        }
        Fallback::With(path) => {
            let (kept, passed) = again(model, &method.arguments);
            let arguments = quote_spanned! {at(path)=> (&#this.inner, #passed error) };
            (kept, quote_spanned! {mixed=> |error| #path #arguments })
        }
    };
    quote_spanned! {mixed=>
        #kept
        let result = async { #body }.await;
        #name(#map &#this.states.#state, result, #instead).await
    }
}

/// What is taken by value is cloned before it is used up: the statements, and the arguments.
fn again(model: &Model, arguments: &[Argument]) -> (TokenStream, TokenStream) {
    let mixed = Span::mixed_site();
    let repeated = model.paths.private("RepeatedArgument");
    let (mut kept, mut passed) = (TokenStream::new(), TokenStream::new());
    for (index, argument) in arguments.iter().enumerate() {
        let Argument {
            conditions,
            name,
            pass,
            ..
        } = argument;
        let value = match pass {
            Pass::Plain => name.to_token_stream(),
            Pass::Reborrow => quote_spanned! {mixed=> &mut *#name },
            Pass::Owned => {
                let again = Ident::new(&format!("again{index}"), mixed);
                kept.extend(quote_spanned! {mixed=> #(#conditions)* let #again = #repeated::again(&#name); });
                again.to_token_stream()
            }
        };
        passed.extend(quote_spanned! {mixed=> #(#conditions)* #value, });
    }
    (kept, passed)
}

/// The function of this name, and what is passed to it first where another type explains the errors.
pub(super) fn named(model: &Model, guard: &Guard, name: &str) -> (TokenStream, Option<TokenStream>) {
    if guard.errors.is_some() {
        let map = quote_spanned! {Span::mixed_site()=> map, };
        return (
            model.paths.private_at(&format!("{name}_mapped"), guard.answer),
            Some(map),
        );
    }
    (model.paths.private_at(name, guard.answer), None)
}

/// Where the compiler says that a function of the user's does not fit.
pub(super) fn at(path: &TokenStream) -> Span {
    Span::mixed_site().located_at(path.span())
}

fn option(code: Option<&TokenStream>) -> TokenStream {
    let option = paths::option();
    if let Some(code) = code {
        quote_spanned! {Span::mixed_site()=> #option::Some(#code) }
    } else {
        quote_spanned! {Span::mixed_site()=> #option::None }
    }
}
