//! The attributes and the derive of `resil`. Use them through the crate `resil`.

mod adapter;
mod classify;
mod diagnostics;
mod grammar;
mod options;
mod paths;
mod policy;
mod shown;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

#[doc = include_str!("adapter.md")]
#[proc_macro_attribute]
pub fn adapter(args: TokenStream, item: TokenStream) -> TokenStream {
    adapter::adapter(args.into(), item.into()).into()
}

#[doc = include_str!("classify.md")]
#[proc_macro_derive(Classify, attributes(class))]
pub fn classify(input: TokenStream) -> TokenStream {
    classify::classify(input.into()).into()
}
