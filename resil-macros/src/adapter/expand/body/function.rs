//! The body of a function under `#[resilient]`, whose own body is what each attempt runs.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Pat;

use crate::adapter::model::{Function, Method, Model};
use crate::adapter::shape::Pass;

/// From the outside in: fallback, cache, attempts.
pub(in crate::adapter::expand) fn whole(model: &Model, method: &Method) -> TokenStream {
    super::of(model, method)
}

/// The user's own body, with the arguments under the user's own patterns.
pub(super) fn attempt(
    model: &Model,
    method: &Method,
    function: &Function,
    passed: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let mixed = Span::mixed_site();
    let bound = function
        .patterns
        .iter()
        .zip(&method.arguments)
        .zip(passed)
        .filter(|((pattern, argument), _)| argument.pass != Pass::Plain || !is_plain(pattern))
        .map(|((pattern, argument), passed)| {
            let conditions = &argument.conditions;
            // The conditions stand before the value, too.
            let value: TokenStream = without_conditions(passed, conditions.len());
            quote_spanned! {mixed=> #(#conditions)* let #pattern = #value; }
        });
    let typed = model.paths.private("typed");
    let (answer, body) = (&function.answer, &function.body);
    quote_spanned! {mixed=> { #(#bound)* #typed::<#answer, _>(async move #body) } }
}

/// A name and nothing else, which is bound already.
fn is_plain(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Ident(name) if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none())
}

/// Behind its attributes, of which each is two tokens.
fn without_conditions(value: TokenStream, attributes: usize) -> TokenStream {
    value
        .into_token_stream()
        .into_iter()
        .skip(2 * attributes)
        .collect()
}
