//! The item comes back token for token, with only resil's own attributes taken out.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::ext::IdentExt;

use super::entries::visible;
use crate::diagnostics::nearest;
use crate::grammar::is_punct;
use crate::policy;

/// What became of the item.
#[derive(Default)]
pub(super) struct Kept {
    /// What follows it.
    pub(super) added: TokenStream,
    /// The helper attributes that are still there.
    pub(super) left: Vec<String>,
    /// Those that are not, and are none by their exact name.
    pub(super) misspelt: Vec<String>,
    /// What stood in the parentheses of those that are not.
    pub(super) removed: Vec<TokenStream>,
}

/// Fails where a token of `item` changed, was moved, or is no longer where it was written.
pub(super) fn kept(item: TokenStream, output: TokenStream) -> Result<Kept, String> {
    let mut kept = Kept::default();
    let mut output = output.into_iter();
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let last = tokens.len().saturating_sub(1);
    for (index, token) in tokens.into_iter().enumerate() {
        let Some(found) = output.next() else {
            return Err(format!("`{token}` is gone"));
        };
        match (&token, &found) {
            (TokenTree::Group(group), TokenTree::Group(other)) if index == last => {
                same_group(group, other)?;
                match group.delimiter() {
                    Delimiter::None => {
                        let inner = self::kept(group.stream(), other.stream())?;
                        nothing(&inner.added)?;
                        kept.left.extend(inner.left);
                        kept.misspelt.extend(inner.misspelt);
                        kept.removed.extend(inner.removed);
                    }
                    Delimiter::Brace => members(group.stream(), other.stream(), &mut kept)?,
                    _ => same(group.stream(), other.stream())?,
                }
            }
            _ => same_token(&token, &found)?,
        }
    }
    kept.added = output.collect();
    Ok(kept)
}

fn members(body: TokenStream, output: TokenStream, kept: &mut Kept) -> Result<(), String> {
    let mut tokens = body.into_iter().peekable();
    let mut output = output.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = match tokens.peek() {
            Some(TokenTree::Group(group)) if is_punct(&token, '#') => Some(group.clone()),
            _ => None,
        };
        let stays = output.peek().is_some_and(|found| place(found) == place(&token));
        if let Some(attribute) = attribute {
            let known = is_helper(&attribute, |word| names().contains(&word));
            if known && stays {
                kept.left.push(attribute.to_string());
            } else if known {
                kept.removed.extend(list(&attribute));
            } else if !stays && is_helper(&attribute, |word| nearest(word, &names()).is_some()) {
                kept.misspelt.push(attribute.to_string());
            }
            let helper = known || kept.misspelt.last() == Some(&attribute.to_string());
            if helper && !stays {
                tokens.next();
                continue;
            }
        }
        let found = output.next().ok_or_else(|| format!("`{token}` is gone"))?;
        same_token(&token, &found)?;
    }
    nothing(&output.collect())
}

fn names() -> Vec<&'static str> {
    let marks = ["idempotent", "non_idempotent", "own"];
    marks.into_iter().chain(policy::names()).collect()
}

/// `retry`, `own(…)`, `cfg_attr(…, retry)`.
fn is_helper(attribute: &Group, known: impl Fn(&str) -> bool) -> bool {
    let mut tokens = visible(attribute.stream()).into_iter();
    let Some(TokenTree::Ident(first)) = tokens.next() else {
        return false;
    };
    let second = tokens.next();
    let ends = matches!(&second, None | Some(TokenTree::Group(_)))
        || second.as_ref().is_some_and(|token| token.to_string() == "=");
    let conditional = first == "cfg_attr"
        && list(attribute).is_some_and(|list| {
            let words = list.into_iter().skip(1).filter_map(|token| match token {
                TokenTree::Ident(word) => Some(word.unraw().to_string()),
                _ => None,
            });
            words.into_iter().any(|word| known(&word))
        });
    attribute.delimiter() == Delimiter::Bracket && ends && (known(&first.unraw().to_string()) || conditional)
}

fn list(attribute: &Group) -> Option<TokenStream> {
    visible(attribute.stream())
        .into_iter()
        .find_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
}

fn same(tokens: TokenStream, output: TokenStream) -> Result<(), String> {
    let mut output = output.into_iter();
    for token in tokens {
        let found = output.next().ok_or_else(|| format!("`{token}` is gone"))?;
        same_token(&token, &found)?;
    }
    nothing(&output.collect())
}

fn same_token(token: &TokenTree, found: &TokenTree) -> Result<(), String> {
    match (token, found) {
        (TokenTree::Group(group), TokenTree::Group(other)) => {
            same_group(group, other)?;
            same(group.stream(), other.stream())
        }
        (TokenTree::Group(_), _) | (_, TokenTree::Group(_)) => Err(format!("`{token}` became `{found}`")),
        _ if token.to_string() == found.to_string() && place(token) == place(found) => Ok(()),
        _ => Err(format!("`{token}` became `{found}`, or is shown elsewhere")),
    }
}

fn same_group(group: &Group, other: &Group) -> Result<(), String> {
    let same =
        group.delimiter() == other.delimiter() && group.span().byte_range() == other.span().byte_range();
    if same {
        return Ok(());
    }
    Err(format!("`{group}` became `{other}`, or is shown elsewhere"))
}

fn place(token: &TokenTree) -> std::ops::Range<usize> {
    token.span().byte_range()
}

fn nothing(added: &TokenStream) -> Result<(), String> {
    if added.is_empty() {
        return Ok(());
    }
    Err(format!("`{added}` was put into the item"))
}
