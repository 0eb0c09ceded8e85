//! The attributes and the derives of `resil`. Use them through the crate `resil`.

mod adapter;
mod aggregate;
mod classify;
mod diagnostics;
mod grammar;
mod options;
mod outside;
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

#[doc = include_str!("resilient.md")]
#[proc_macro_attribute]
pub fn resilient(args: TokenStream, item: TokenStream) -> TokenStream {
    adapter::resilient(args.into(), item.into()).into()
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

/// What `#[adapter]` reads and takes out of its impl. Each is an item so that it has documentation; its examples are run by the crate
/// `resil`, which they need.
macro_rules! on_methods {
    ($($name:ident)*) => {
        $(
            #[cfg_attr(not(doctest), doc = include_str!(concat!("attributes/", stringify!($name), ".md")))]
            #[proc_macro_attribute]
            pub fn $name(args: TokenStream, item: TokenStream) -> TokenStream {
                outside::helper(stringify!($name), &args.into(), item.into()).into()
            }
        )*

        /// All of them.
        #[cfg(test)]
        const ON_METHODS: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("attributes/", stringify!($name), ".md")))),*];
    };
}

on_methods! {
    timeout retry circuit_breaker bulkhead cached fallback deadline rate_limit hedge
    idempotent non_idempotent own
}
