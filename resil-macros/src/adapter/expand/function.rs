//! The tokens of a function under `#[resilient]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::{aggregate, body, layer, states};
use crate::adapter::model::{Function, Guard, Method, Model};

/// The function, which calls itself as it was written.
pub(in crate::adapter) fn of(model: &Model, function: &Function) -> TokenStream {
    let mut output = TokenStream::new();
    for (method, guard) in model.guarded() {
        let (attrs, vis, sig) = (&function.attrs, &function.vis, &method.sig);
        let (state, called) = (
            state(model, method, guard, function),
            body::of_function(model, method),
        );
        quote_spanned! {Span::mixed_site()=> #(#attrs)* #vis #sig { #state #called } }.to_tokens(&mut output);
    }
    output
}

/// Finds the state. In a block of its own, so that the names in it hide nothing of the user's.
fn state(model: &Model, method: &Method, guard: &Guard, function: &Function) -> TokenStream {
    let mixed = Span::mixed_site();
    let (adapter_spec, method_spec) = (
        model.paths.private("AdapterSpec"),
        model.paths.private("MethodSpec"),
    );
    let adapter = states::adapter_spec(model);
    let spec = states::method_spec(model, guard, &quote_spanned! {mixed=> &ADAPTER });
    let (layer, aggregates) = (layer::assertion(model), aggregate::checks(model));
    let found = if let Some(field) = &function.field {
        let this = body::this(method);
        quote_spanned! {mixed=> #this.#field.of(&METHOD) }
    } else {
        let state = model.paths.private("FunctionState");
        quote_spanned! {mixed=>
            static STATE: #state = #state::new(&METHOD);
            STATE.get()
        }
    };
    let slot = if guard.cache.is_some() {
        quote_spanned! {mixed=> slot }
    } else {
        quote_spanned! {mixed=> _ }
    };
    quote_spanned! {mixed=>
        let (state, #slot) = {
            #layer
            #aggregates
            static ADAPTER: #adapter_spec = #adapter;
            static METHOD: #method_spec = #spec;
            #found
        };
    }
}
