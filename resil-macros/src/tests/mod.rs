//! What comes out, as text; and what is said of mistakes.

mod aggregate;
mod attributes;
mod broken;
mod contradictions;
mod derive;
mod documented;
mod edges;
mod expansions;
mod fuzz;
mod mistakes;
mod options;
mod reads;
mod resilient;
mod rules;
mod shapes;
mod whole;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The source of an impl with `#[adapter(…)]` above it, expanded.
fn adapter(source: &str) -> TokenStream {
    let (args, item) = taken_apart(source);
    crate::adapter::adapter(args, item)
}

/// The tokens between the parentheses of the first `#[adapter(…)]`, and the item without that attribute.
fn taken_apart(source: &str) -> (TokenStream, TokenStream) {
    let mut before = TokenStream::new();
    let mut tokens = source
        .parse::<TokenStream>()
        .expect("the source is Rust")
        .into_iter()
        .peekable();
    while let Some(token) = tokens.next() {
        if token.to_string() == "#"
            && let Some(attribute) = tokens.next_if(|next| next.to_string().starts_with("[adapter"))
            && let proc_macro2::TokenTree::Group(attribute) = attribute
        {
            let args = attribute.stream().into_iter().find_map(|token| match token {
                proc_macro2::TokenTree::Group(args) => Some(args.stream()),
                _ => None,
            });
            before.extend(tokens);
            return (args.unwrap_or_default(), before);
        }
        token.to_tokens(&mut before);
    }
    panic!("no `#[adapter(…)]` in the source");
}

/// As rustfmt would write it.
fn pretty(tokens: &TokenStream) -> String {
    let file = syn::parse2(tokens.clone()).unwrap_or_else(|error| panic!("{error} in {tokens}"));
    prettyplease::unparse(&file)
}

/// The messages of all `compile_error!`s.
pub(crate) fn messages(tokens: TokenStream) -> Vec<String> {
    let mut messages = Vec::new();
    let mut is_error = false;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(word) if word == "compile_error" => is_error = true,
            proc_macro2::TokenTree::Group(group) if is_error => {
                let text: syn::LitStr = syn::parse2(group.stream()).expect("`compile_error!` takes a text");
                messages.push(text.value());
                is_error = false;
            }
            _ => {}
        }
    }
    messages
}

/// The first line of each message.
fn headlines(tokens: TokenStream) -> Vec<String> {
    messages(tokens)
        .iter()
        .map(|message| message.lines().next().unwrap_or_default().to_owned())
        .collect()
}
