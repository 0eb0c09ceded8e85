//! Tokens as data that can be changed, and as tokens that all have a place in one source.

use std::fmt::{self, Write};

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};

/// A token as text, or a group.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(String),
    Group(Delimiter, Vec<Tree>),
}

/// Operators whose parts must stay together.
const JOINED: &[&str] = &["::", "->", "=>", "==", ".."];

/// What `source` consists of.
pub(super) fn trees(source: &str) -> Vec<Tree> {
    of_tokens(source.parse().expect("the source is Rust"))
}

fn of_tokens(tokens: TokenStream) -> Vec<Tree> {
    let mut trees: Vec<Tree> = Vec::new();
    let mut open = None;
    for token in tokens {
        let joint = matches!(&token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint);
        let tree = match token {
            TokenTree::Group(group) => Tree::Group(group.delimiter(), of_tokens(group.stream())),
            token => Tree::Leaf(token.to_string()),
        };
        let text = match &tree {
            Tree::Leaf(text) => text.clone(),
            Tree::Group(..) => String::new(),
        };
        let whole = open.take().map(|first: String| first + &text);
        match whole {
            Some(whole) if whole.starts_with('\'') || JOINED.contains(&whole.as_str()) => {
                trees.pop();
                trees.push(Tree::Leaf(whole));
            }
            _ => trees.push(tree),
        }
        open = joint.then_some(text);
    }
    trees
}

/// How many there are, groups and what is in them.
pub(super) fn count(trees: &[Tree]) -> usize {
    trees
        .iter()
        .map(|tree| match tree {
            Tree::Leaf(_) => 1,
            Tree::Group(_, inner) => 1 + count(inner),
        })
        .sum()
}

/// The two as tokens of one source; `None` where that is not Rust by its letters alone.
pub(super) fn tokens(args: &[Tree], item: &[Tree]) -> Option<(TokenStream, TokenStream)> {
    let mut text = String::from("(");
    write(args, &mut text, ("", ""));
    text.push(')');
    write(item, &mut text, ("", ""));
    let parsed: TokenStream = text.parse().ok()?;
    let mut parsed = parsed.into_iter();
    let Some(TokenTree::Group(around)) = parsed.next() else {
        return None;
    };
    let mut inner = around.stream().into_iter();
    Some((
        grouped(args, &mut inner, around.span()),
        grouped(item, &mut parsed, around.span()),
    ))
}

/// With the invisible groups, which no text has.
fn grouped(trees: &[Tree], parsed: &mut dyn Iterator<Item = TokenTree>, before: Span) -> TokenStream {
    let mut output: Vec<TokenTree> = Vec::new();
    for tree in trees {
        let last = output.last().map_or(before, TokenTree::span);
        match tree {
            Tree::Leaf(text) => output.extend(parsed.take(parts(text))),
            Tree::Group(Delimiter::None, inner) => {
                let stream = grouped(inner, parsed, last);
                let mut group = Group::new(Delimiter::None, stream.clone());
                group.set_span(around(stream).unwrap_or(last));
                output.push(group.into());
            }
            Tree::Group(_, inner) => {
                if let Some(TokenTree::Group(group)) = parsed.next() {
                    let stream = grouped(inner, &mut group.stream().into_iter(), group.span());
                    let mut rebuilt = Group::new(group.delimiter(), stream);
                    rebuilt.set_span(group.span());
                    output.push(rebuilt.into());
                }
            }
        }
    }
    output.into_iter().collect()
}

fn around(stream: TokenStream) -> Option<Span> {
    let mut tokens = stream.into_iter();
    let first = tokens.next()?.span();
    let last = tokens.last().map_or(first, |token| token.span());
    first.join(last)
}

/// How many tokens a leaf is: a lifetime is two, an operator one for each of its letters.
fn parts(text: &str) -> usize {
    let lifetime = text.starts_with('\'') && !(text.len() > 2 && text.ends_with('\''));
    let operator = text.starts_with(|letter: char| letter.is_ascii_punctuation() && !"'\"_".contains(letter));
    match (lifetime, operator) {
        (true, _) => 2,
        (_, true) => text.chars().count(),
        _ => 1,
    }
}

fn write(trees: &[Tree], text: &mut String, invisible: (&str, &str)) {
    for tree in trees {
        match tree {
            Tree::Leaf(leaf) => text.push_str(leaf),
            Tree::Group(delimiter, inner) => {
                let (open, close) = match delimiter {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => invisible,
                };
                text.push_str(open);
                text.push(' ');
                write(inner, text, invisible);
                text.push_str(close);
            }
        }
        text.push(' ');
    }
}

/// What an attribute stands on, and what it says; of a derive the item alone.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) args: Vec<Tree>,
    pub(super) item: Vec<Tree>,
}

/// As it could be written; invisible groups are shown.
impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut args, mut item) = (String::new(), String::new());
        write(&self.args, &mut args, ("«", "»"));
        write(&self.item, &mut item, ("«", "»"));
        f.write_char('\n')?;
        writeln!(f, "#[…({args})]")?;
        writeln!(f, "{item}")
    }
}
