//! The tokens of the wrapper. Nothing here can fail.

mod aggregate;
mod body;
mod doc;
pub(super) mod function;
mod held;
mod invalidate;
mod layer;
mod parts;
mod port;
mod states;
mod worst;

use proc_macro2::TokenStream;
use quote::quote;

use super::model::Model;

/// The wrapper, its states, and its impl of the port.
pub(super) fn wrapper(model: &Model) -> TokenStream {
    let (structs, states) = (parts::structs(model), states::impls(model));
    let (constructors, traits) = (parts::constructors(model), parts::traits(model));
    let (port, layer) = (port::implementation(model), layer::assertion(model));
    let (aggregates, invalidate) = (aggregate::checks(model), invalidate::methods(model));
    quote! { #layer #aggregates #structs #states #constructors #invalidate #traits #port }
}
