//! What may stand between the parentheses of an attribute: `key`, `key = value` and `key(…)`, separated by commas. After a
//! fault reading goes on behind the next comma, so that all mistakes are reported.

use std::collections::VecDeque;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Lit, LitStr, Path};

use crate::diagnostics::{Errors, message};

/// One entry as it was written.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) given: Given,
}

/// What stands behind the key.
pub(crate) enum Given {
    /// `key`
    Nothing,
    /// `key = value`
    Value(TokenStream),
    /// `key(…)`
    List(TokenStream),
}

impl Entry {
    /// The key as text, without `r#`.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }
}

impl ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.key.to_tokens(tokens);
        if let Given::Value(inner) | Given::List(inner) = &self.given {
            inner.to_tokens(tokens);
        }
    }
}

/// The entries of `tokens`, which stand between the parentheses.
pub(crate) fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut reader = Reader {
        rest: tokens.into_iter().collect(),
        errors,
    };
    let mut entries = Vec::new();
    while let Some(token) = reader.rest.pop_front() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => reader.put_back(&group),
            TokenTree::Ident(key) => entries.extend(reader.entry(key)),
            other => {
                let found = message!("expected a name, found `{other}`")
                    .help("write `name`, `name = value` or `name(…)`, separated by commas");
                reader.errors.at(other, found);
                reader.skip();
            }
        }
    }
    entries
}

/// The keys whose `=` nothing follows. They are no entries, and not left out either.
pub(crate) fn without_value(tokens: &TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let ends = |index: usize| tokens.get(index).is_none_or(|token| is_punct(token, ','));
    let pairs = tokens.windows(2).enumerate();
    pairs
        .filter_map(|(index, pair)| match pair {
            [TokenTree::Ident(key), equals] if is_punct(equals, '=') && ends(index + 2) => {
                Some(key.unraw().to_string())
            }
            _ => None,
        })
        .collect()
}

struct Reader<'e> {
    rest: VecDeque<TokenTree>,
    errors: &'e mut Errors,
}

impl Reader<'_> {
    fn put_back(&mut self, group: &Group) {
        for token in group.stream().into_iter().collect::<Vec<_>>().into_iter().rev() {
            self.rest.push_front(token);
        }
    }

    fn entry(&mut self, key: Ident) -> Option<Entry> {
        let given = match self.rest.front() {
            Some(token) if is_punct(token, '=') => {
                self.rest.pop_front();
                self.value(&key)?
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                let list = group.stream();
                self.rest.pop_front();
                Given::List(list)
            }
            _ => Given::Nothing,
        };
        self.comma(&key);
        Some(Entry { key, given })
    }

    /// Up to the comma. A literal ends the value by itself where a name or another one follows, so that a forgotten comma is known as such.
    fn value(&mut self, key: &Ident) -> Option<Given> {
        let mut value = TokenStream::new();
        let mut depth = 0_usize;
        let mut last = None;
        while let Some(token) = self.rest.front() {
            let whole = matches!(last, Some(TokenTree::Literal(_)))
                || matches!(&last, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None);
            let begins_anew = match token {
                TokenTree::Ident(word) => word != "as",
                TokenTree::Literal(_) => true,
                TokenTree::Group(group) => group.delimiter() == Delimiter::None,
                TokenTree::Punct(_) => false,
            };
            let ended = whole && begins_anew;
            if (depth == 0 && is_punct(token, ',')) || ended {
                break;
            }
            let arrow = matches!(&last, Some(token) if is_punct(token, '-'));
            if is_punct(token, '<') {
                depth += 1;
            } else if is_punct(token, '>') && !arrow {
                depth = depth.saturating_sub(1);
            }
            last = self.rest.pop_front();
            last.to_tokens(&mut value);
        }
        if value.is_empty() {
            self.errors
                .at(key, message!("`{key}` has no value after its `=`"));
            self.skip();
            return None;
        }
        Some(Given::Value(value))
    }

    fn comma(&mut self, key: &Ident) {
        match self.rest.front() {
            None => {}
            Some(token) if is_punct(token, ',') => {
                self.rest.pop_front();
            }
            Some(token @ TokenTree::Ident(_)) => {
                self.errors
                    .at(token, message!("a comma is missing before `{token}`"));
            }
            Some(token) => {
                let found = message!("unexpected `{token}` after `{key}`")
                    .help(format_args!("write `{key}`, `{key} = value` or `{key}(…)`"));
                self.errors.at(token, found);
                self.skip();
            }
        }
    }

    /// To behind the next comma.
    fn skip(&mut self) {
        while let Some(token) = self.rest.pop_front() {
            if is_punct(&token, ',') {
                break;
            }
        }
    }
}

pub(crate) fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

/// Whether the word stands anywhere in `tokens`.
pub(crate) fn has_word(tokens: impl ToTokens, wanted: &str) -> bool {
    tokens.into_token_stream().into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == wanted,
        TokenTree::Group(group) => has_word(group.stream(), wanted),
        _ => false,
    })
}

/// What was given for one key, once. The key stays, so that later checks can point at it, also where the value is wrong.
pub(crate) struct Slot<T> {
    given: Option<(Ident, Option<T>)>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { given: None }
    }
}

impl<T> Slot<T> {
    /// `value`: `None` where it is wrong and was reported.
    pub(crate) fn set(&mut self, key: &Ident, value: Option<T>, errors: &mut Errors) {
        if self.given.is_some() {
            errors.at(key, twice(key));
        } else {
            self.given = Some((key.clone(), value));
        }
    }

    pub(crate) fn key(&self) -> Option<&Ident> {
        self.given.as_ref().map(|(key, _)| key)
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.given.as_ref().and_then(|(_, value)| value.as_ref())
    }

    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }
}

/// That `key` was given before.
pub(crate) fn twice(key: &Ident) -> impl std::fmt::Display + use<> {
    message!("`{key}` is given twice")
        .help("merge both into one; which of two would hold is not for the reader to guess")
}

/// The value of `key = value`, read as a `T`; `example` shows how it is written.
pub(crate) fn parsed<T: Parse>(entry: &Entry, what: &str, example: &str, errors: &mut Errors) -> Option<T> {
    if let Given::Value(value) = &entry.given
        && let Ok(value) = syn::parse2(value.clone())
    {
        return Some(value);
    }
    errors.at(
        entry,
        message!("`{}` takes {what}", entry.key).help(format_args!("write `{example}`")),
    );
    None
}

/// The path of `crate = …`, without generics: generated code goes on from it.
pub(crate) fn root(entry: &Entry, errors: &mut Errors) -> Option<Path> {
    parsed(entry, "the path of the crate `resil`", "crate = ::resil", errors).map(|Root(path)| path)
}

struct Root(Path);

impl Parse for Root {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Path::parse_mod_style).map(Self)
    }
}

/// A text in quotes that says something.
pub(crate) fn text(entry: &Entry, errors: &mut Errors) -> Option<LitStr> {
    let key = &entry.key;
    let Given::Value(value) = &entry.given else {
        errors.at(
            entry,
            message!("`{key}` takes a text").help(format_args!("write `{key} = \"…\"`")),
        );
        return None;
    };
    match syn::parse2(value.clone()) {
        Ok(Lit::Str(text)) if !text.value().trim().is_empty() => Some(text),
        Ok(Lit::Str(_)) => {
            let says = message!("`{key}` is empty").help("write what a reader of the code will want to know");
            errors.at(value, says);
            None
        }
        _ => {
            let found = message!("`{key}` takes a text in quotes, got `{value}`")
                .help(format_args!("write `{key} = \"…\"`"));
            errors.at(value, found);
            None
        }
    }
}

/// `key` alone.
pub(crate) fn word(entry: &Entry, errors: &mut Errors) -> Option<()> {
    if let Given::Value(given) | Given::List(given) = &entry.given {
        let key = &entry.key;
        let found = message!("`{key}` takes nothing").help(format_args!("write `{key}` alone"));
        if given.is_empty() {
            errors.at(key, found);
        } else {
            errors.at(given, found);
        }
        return None;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn read(tokens: TokenStream) -> (Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let entries = entries(tokens, &mut errors);
        let shown = entries.iter().map(|entry| match &entry.given {
            Given::Nothing => entry.name(),
            Given::Value(value) => format!("{}={value}", entry.key),
            Given::List(list) => format!("{}({list})", entry.key),
        });
        (shown.collect(), errors.messages())
    }

    #[test]
    fn all_forms_are_read() {
        let (entries, errors) =
            read(quote!(a, b = -3, c(d, e = 1), f = M<A, fn() -> B>, crate = ::x, vis = pub(in q)));
        assert_eq!(
            entries,
            [
                "a",
                "b=- 3",
                "c(d , e = 1)",
                "f=M < A , fn () -> B >",
                "crate=:: x",
                "vis=pub (in q)"
            ]
        );
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn reading_goes_on_after_a_fault() {
        let (entries, errors) = read(quote!("external", a = , b, c = 1 d(e) f::g, h));
        assert_eq!(entries, ["b", "c=1", "d(e)", "f", "h"]);
        let heads: Vec<&str> = errors
            .iter()
            .map(|error| error.lines().next().unwrap_or_default())
            .collect();
        assert_eq!(
            heads,
            [
                "expected a name, found `\"external\"`",
                "`a` has no value after its `=`",
                "a comma is missing before `d`",
                "a comma is missing before `f`",
                "unexpected `:` after `f`",
            ]
        );
    }

    #[test]
    fn fragments_of_macros_by_example_are_looked_through() {
        let inner = Group::new(Delimiter::None, quote!(retry(attempts = 3)));
        let three = Group::new(Delimiter::None, quote!(3));
        let (entries, errors) = read(quote!(#inner, b = #three c));
        assert_eq!(entries.len(), 3);
        assert_eq!(errors, ["a comma is missing before `c`"]);
        // What is seen as a group may belong to the value.
        let (entries, errors) = read(quote!(a = 1(2), b));
        assert_eq!(entries, ["a=1 (2)", "b"]);
        assert!(errors.is_empty(), "{errors:?}");
    }
}
