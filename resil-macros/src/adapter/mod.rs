//! `#[adapter(…)]`: what was written (`args`, `item`, `helpers`) is checked (`check`), resolved (`model`) and turned into
//! tokens (`expand`), which cannot fail.

mod args;
mod check;
mod expand;
mod function;
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
    let args = args::Args::read("adapter", args, &mut errors);
    if let Some(item) = item::Item::read(item, &mut errors) {
        let model = model::Model::new(args, item, &mut errors);
        if let Some(model) = model {
            expand::wrapper(&model).to_tokens(&mut output);
        }
    }
    errors.into_tokens().to_tokens(&mut output);
    output
}

/// `#[resilient(…)]`. The function stays as it was written where something is wrong.
pub(crate) fn resilient(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let model = function::model(args, item.clone(), &mut errors);
    let mut output = errors.into_tokens();
    match model
        .as_ref()
        .and_then(|model| Some((model, model.function.as_ref()?)))
    {
        Some((model, function)) => expand::function::of(model, function).to_tokens(&mut output),
        None => helpers::without_attributes(item).to_tokens(&mut output),
    }
    output
}
