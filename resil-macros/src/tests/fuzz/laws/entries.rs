//! A second reading of what may stand in parentheses, as strict as the first has to be.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Result, Token, Type, Visibility, parenthesized, token};

/// Whether these are `key`, `key = value` and `key(…)`, separated by commas.
pub(super) fn are_entries(tokens: TokenStream) -> bool {
    Punctuated::<Entry, Token![,]>::parse_terminated
        .parse2(visible(tokens))
        .is_ok()
}

struct Entry;

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        input.call(Ident::parse_any)?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            value(input)?;
        } else if input.peek(token::Paren) {
            let list;
            parenthesized!(list in input);
            list.call(Punctuated::<Self, Token![,]>::parse_terminated)?;
        }
        Ok(Self)
    }
}

fn value(input: ParseStream<'_>) -> Result<()> {
    if input.peek(Token![pub]) {
        input.parse::<Visibility>()?;
        return Ok(());
    }
    let ahead = input.fork();
    let ends = |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]);
    if ahead.parse::<Type>().is_ok() && ends(&ahead) {
        input.parse::<Type>()?;
    } else {
        input.parse::<Expr>()?;
    }
    Ok(())
}

/// Without the groups around fragments of macros by example. An empty one is a visibility that was not written.
pub(super) fn visible(tokens: TokenStream) -> TokenStream {
    let mut output = TokenStream::new();
    let mut after_equals = false;
    for token in tokens {
        let equals = token.to_string() == "=";
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                if group.stream().is_empty() && after_equals {
                    Ident::new("pub", Span::call_site()).to_tokens(&mut output);
                }
                visible(group.stream()).to_tokens(&mut output);
            }
            token => token.to_tokens(&mut output),
        }
        after_equals = equals;
    }
    output
}
