//! `invalidate_…`: how a composition root makes a cache forget one key.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::FnArg;

use super::body;
use crate::adapter::generics::{clause, without_self};
use crate::adapter::model::{Cache, Guard, Method, Model};

/// One method for each cached one, beside the constructors.
pub(super) fn methods(model: &Model) -> Option<TokenStream> {
    let mixed = Span::mixed_site();
    let methods: Vec<TokenStream> = model
        .guarded()
        .filter_map(|(method, guard)| Some(invalidate(model, method, guard, guard.cache.as_ref()?)))
        .collect();
    if methods.is_empty() {
        return None;
    }
    let Model {
        conditions,
        wrapper,
        head,
        ..
    } = model;
    let (params, args) = (&head.params, &head.args);
    let bounds = clause(head.predicates.iter().map(ToTokens::to_token_stream));
    Some(quote_spanned! {mixed=>
        #(#conditions)*
        #[automatically_derived]
        impl #params #wrapper #args #bounds {
            #(#methods)*
        }
    })
}

fn invalidate(model: &Model, method: &Method, guard: &Guard, cache: &Cache) -> TokenStream {
    let mixed = Span::mixed_site();
    let (conditions, vis, name, field) = (&method.conditions, &model.vis, &cache.invalidate, &cache.field);
    let lifetimes = &method.sig.generics;
    let forget = model.paths.private_at("invalidate", guard.answer);
    let slot = quote_spanned! {guard.answer=> &self.states.#field };
    let (params, _, bounds) = lifetimes.split_for_impl();
    let inputs = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(argument) => Some(without_self(
            argument.to_token_stream(),
            &model.head.adapter,
            Some(&model.head.port),
        )),
    });
    let key = body::key(model, &method.arguments, guard, cache);
    let forgotten = quote_spanned! {guard.answer=> #forget(#slot, #key) };
    let about = format!(
        " Forgets what is cached of `{}` for these arguments. What is being loaded now is not stored afterwards.",
        guard.name
    );
    quote_spanned! {mixed=>
        #(#conditions)*
        #[doc = #about]
        #vis fn #name #params (&self, #(#inputs),*) #bounds {
            #forgotten;
        }
    }
}
