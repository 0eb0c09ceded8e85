//! What holds for every input.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

use super::super::messages;
use super::tree::{Input, tokens};

mod entries;
mod kept;

use self::entries::{are_entries, visible};
use self::kept::{Kept, kept};

pub(super) type Outcome = Result<(), String>;

/// `#[adapter]`.
pub(super) fn attribute(input: &Input) -> Outcome {
    let Some((args, item)) = tokens(&input.args, &input.item) else {
        return Ok(());
    };
    let output = crate::adapter::adapter(args.clone(), item.clone());
    same(&output, &crate::adapter::adapter(args.clone(), item.clone()))?;
    let end = item.clone().into_iter().count();
    let Kept {
        added,
        left,
        misspelt,
        removed,
    } = kept(item, output.clone())?;
    let errors = errors(&added)?;
    parses(&added, "what is added")?;
    if !errors {
        parses(&without_bodies(output, end), "the whole, bodies aside,")?;
        ensure(are_entries(args), || "a list that is none was taken".to_owned())?;
        ensure(left.is_empty(), || format!("{left:?} was left without a word"))?;
        ensure(misspelt.is_empty(), || {
            format!("{misspelt:?} was taken out without a word")
        })?;
        for list in removed {
            ensure(are_entries(list.clone()), || {
                format!("`{list}` was taken on a method")
            })?;
        }
    }
    Ok(())
}

/// `#[derive(Classify)]`.
pub(super) fn derive(input: &Input) -> Outcome {
    let Some((_, item)) = tokens(&[], &input.item) else {
        return Ok(());
    };
    let output = crate::classify::classify(item.clone());
    same(&output, &crate::classify::classify(item.clone()))?;
    let errors = errors(&output)?;
    let file = parses(&output, "the output")?;
    for item in file.items {
        let added = matches!(item, syn::Item::Impl(_) | syn::Item::Macro(_));
        ensure(added, || format!("no impl: {}", item.to_token_stream()))?;
    }
    if !errors {
        parses(&item, "a type without errors")?;
    }
    Ok(())
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn parses(tokens: &TokenStream, what: &str) -> Result<syn::File, String> {
    syn::parse2(tokens.clone()).map_err(|error| format!("{what} does not parse: {error}\n{tokens}"))
}

/// Expanding twice makes no difference.
fn same(output: &TokenStream, again: &TokenStream) -> Outcome {
    ensure(output.to_string() == again.to_string(), || {
        format!("not the same each time:\n{output}\n{again}")
    })
}

/// Whether there are any. Each is at a place of the input, and said once.
fn errors(output: &TokenStream) -> Result<bool, String> {
    let mut seen = BTreeSet::new();
    let texts = messages(output.clone());
    let places = places(output.clone());
    assert_eq!(texts.len(), places.len());
    for (text, (start, end)) in texts.iter().zip(places) {
        let known = [start, end].iter().all(|span| is_written(*span)) || may_be_nowhere(text);
        ensure(known, || format!("said nowhere: {text}"))?;
        let place = (start.byte_range().start, end.byte_range().end);
        ensure(seen.insert((place, text)), || format!("said twice: {text}"))?;
    }
    Ok(!texts.is_empty())
}

fn is_written(span: Span) -> bool {
    span.source_text().is_some()
}

/// What is said of something missing, at the attribute.
fn may_be_nowhere(text: &str) -> bool {
    let of_nothing = [
        "`#[adapter]` does not say what the adapter reaches",
        "`#[adapter]` belongs on the impl of a port, a trait, found another item",
        "unexpected end of input",
    ];
    // What syn misses where the input ends.
    let missed = text.starts_with("expected ") && !text.starts_with("expected a name");
    missed || of_nothing.iter().any(|beginning| text.starts_with(beginning))
}

/// From where to where each error is shown.
fn places(output: TokenStream) -> Vec<(Span, Span)> {
    let mut places = Vec::new();
    let mut start = None;
    for token in output {
        match token {
            TokenTree::Ident(word) if word == "compile_error" => start = Some(word.span()),
            TokenTree::Group(group) => {
                let end = group.stream().into_iter().next().map(|text| text.span());
                places.extend(start.take().zip(end));
            }
            _ => {}
        }
    }
    places
}

/// With `{}` for each body and `0` for the value of each constant, which are not looked into. The impl ends at this token.
fn without_bodies(output: TokenStream, end: usize) -> TokenStream {
    let mut tokens: Vec<TokenTree> = output.into_iter().collect();
    if let Some(TokenTree::Group(last)) = end.checked_sub(1).and_then(|last| tokens.get_mut(last)) {
        let inner = last.stream();
        let inner = match last.delimiter() {
            Delimiter::None => without_bodies(inner.clone(), inner.into_iter().count()),
            Delimiter::Brace => emptied(inner),
            _ => inner,
        };
        *last = Group::new(last.delimiter(), inner);
    }
    tokens.into_iter().collect()
}

fn emptied(body: TokenStream) -> TokenStream {
    let mut output = Vec::new();
    let (mut in_const, mut in_value, mut depth) = (false, false, 0_usize);
    let mut last = String::new();
    // A group around a part of a signature may hold the body too.
    for token in visible(body) {
        let text = match &token {
            TokenTree::Group(_) => String::new(),
            token => token.to_string(),
        };
        match text.as_str() {
            "const" => in_const = last != "<" && last != ",",
            "fn" => in_const = false,
            "<" => depth += 1,
            ">" if last != "-" => depth = depth.saturating_sub(1),
            ";" => (in_const, in_value, depth) = (false, false, 0),
            _ => {}
        }
        if !in_value {
            output.push(match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    Group::new(Delimiter::Brace, TokenStream::new()).into()
                }
                token => token,
            });
        }
        if text == "=" && in_const && depth == 0 && !in_value {
            in_value = true;
            output.push(proc_macro2::Literal::u8_unsuffixed(0).into());
        }
        last = text;
    }
    output.into_iter().collect()
}
