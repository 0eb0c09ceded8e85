//! The rule that an adapter does not stand in the domain or application layer.
//!
//! Where the code stands is asked of the module, by the compiler, and not of the file, by the macro. The file would allow a message
//! without `E0080`, but it is wrong for an impl that a macro by example from a domain's file writes elsewhere, behind `include!` and
//! `#[path]`, in inline modules and in doctests; it knows no name of a crate, and a variable that is read in a macro makes cargo
//! compile nothing anew. The panic of a constant carries the same text, so the plainer question is the better one.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::adapter::model::Model;

/// An item, so that `cargo check` sees it; nothing where an exception is recorded.
pub(super) fn assertion(model: &Model) -> Option<TokenStream> {
    if model.any_layer {
        return None;
    }
    let conditions = &model.conditions;
    let attribute = if model.function.is_some() {
        "#[resilient]"
    } else {
        "#[adapter]"
    };
    let check = model.paths.private("outside_inner_layers");
    Some(quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        const _: () = #check(
            #attribute,
            ::core::module_path!(),
            ::core::option_env!("RESIL_FORBIDDEN_LAYERS"),
        );
    })
}
