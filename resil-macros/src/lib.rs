//! The attributes and the derives of `resil`. Use them through the crate `resil`.

mod adapter;
mod aggregate;
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

#[doc = include_str!("aggregate.md")]
#[proc_macro_attribute]
pub fn aggregate(args: TokenStream, item: TokenStream) -> TokenStream {
    aggregate::attribute(args.into(), item.into()).into()
}

#[doc = include_str!("aggregate.md")]
#[proc_macro_derive(Aggregate, attributes(aggregate))]
pub fn derive_aggregate(input: TokenStream) -> TokenStream {
    aggregate::derive(input.into()).into()
}
