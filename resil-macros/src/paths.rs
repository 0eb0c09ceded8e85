//! Every path that generated code names, so that it works whatever the crate is called and whatever is shadowed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Path;

/// Paths to the runtime, from `crate = …` or `::resil`.
#[derive(Clone)]
pub(crate) struct Paths {
    root: TokenStream,
}

impl Paths {
    pub(crate) fn new(root: Option<&Path>) -> Self {
        let root = root.map_or_else(
            || quote_spanned!(Span::mixed_site()=> ::resil),
            ToTokens::to_token_stream,
        );
        Self { root }
    }

    /// Something a user may name too: `::resil::Policies`.
    pub(crate) fn public(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, Ident::new(name, Span::mixed_site()));
        quote_spanned!(Span::mixed_site()=> #root::#name)
    }

    /// Something only generated code names: `::resil::__private::Arc`.
    pub(crate) fn private(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, Ident::new(name, Span::mixed_site()));
        quote_spanned!(Span::mixed_site()=> #root::__private::#name)
    }

    /// The same, where an error about it is shown at `at`.
    pub(crate) fn private_at(&self, name: &str, at: Span) -> TokenStream {
        respan(self.private(name), at)
    }
}

/// The same tokens, shown elsewhere. Names keep what they mean.
pub(crate) fn respan(tokens: TokenStream, at: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(at));
            token
        })
        .collect()
}

/// A name of the user's in generated code: what lints say of it is said where the user wrote it.
pub(crate) fn ours(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(Span::call_site().located_at(ident.span()));
    ident
}

/// Paths into `core`, which nothing can shadow.
macro_rules! core_path {
    ($name:ident, $($path:tt)*) => {
        pub(crate) fn $name() -> TokenStream {
            quote_spanned!(Span::mixed_site()=> ::core::$($path)*)
        }
    };
}

core_path!(from, convert::From);
core_path!(option, option::Option);
core_path!(result, result::Result);
core_path!(duration, time::Duration);
core_path!(phantom, marker::PhantomData);
core_path!(clone, clone::Clone);
core_path!(debug, fmt::Debug);
core_path!(formatter, fmt::Formatter);
core_path!(fmt_result, fmt::Result);
