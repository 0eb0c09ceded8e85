//! `#[adapter(…)]`: what was written (`args`, `item`, `helpers`) is checked (`check`), resolved (`model`) and turned into
//! tokens (`expand`), which cannot fail.

mod args;
mod check;
mod expand;
mod generics;
pub(crate) mod helpers;
mod item;
mod model;
mod question;
mod shape;
mod signature;
mod twice;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::diagnostics::Errors;

/// The whole attribute. The impl stays as it was written, whatever is wrong.
pub(crate) fn adapter(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = twice::without_second(item, &mut errors);
    let mut output = helpers::without_helpers(item.clone());
    let args = args::Args::read(args, &mut errors);
    if let Some(item) = item::Item::read(item, &mut errors) {
        let model = model::Model::new(args, item, &mut errors);
        if let Some(model) = model {
            expand::wrapper(&model).to_tokens(&mut output);
        }
    }
    errors.into_tokens().to_tokens(&mut output);
    output
}
