//! A second `#[adapter]` on one impl. It would be expanded after this one and make a second wrapper of the same name, so it is
//! taken out, and said to be one too many.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::diagnostics::{Errors, message};
use crate::grammar::is_punct;

/// The item without attributes above it that are this one again.
pub(super) fn without_second(item: TokenStream, errors: &mut Errors) -> TokenStream {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let (mut kept, mut rest) = (Vec::new(), &tokens[..]);
    while let [hash, group @ TokenTree::Group(attribute), after @ ..] = rest
        && is_punct(hash, '#')
        && attribute.delimiter() == Delimiter::Bracket
    {
        match path_of_adapter(attribute) {
            Some(path) => errors.at(
                path,
                message!("`#[adapter]` stands twice on this impl").help(
                    "merge both into one; for a second port write a second impl, with `wrapper = …` for its wrapper",
                ),
            ),
            None => kept.extend([hash.clone(), group.clone()]),
        }
        rest = after;
    }
    kept.extend_from_slice(rest);
    kept.into_iter().collect()
}

/// The tokens of `adapter` or `resil::adapter`. Under any other path it may be another crate's.
fn path_of_adapter(attribute: &Group) -> Option<TokenStream> {
    let is_path = |token: &TokenTree| matches!(token, TokenTree::Ident(_)) || is_punct(token, ':');
    let path: Vec<TokenTree> = attribute.stream().into_iter().take_while(is_path).collect();
    let words: Vec<String> = path
        .iter()
        .filter(|token| matches!(token, TokenTree::Ident(_)))
        .map(ToString::to_string)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words[..], ["adapter"] | [.., "resil", "adapter"]).then(|| path.into_iter().collect())
}
