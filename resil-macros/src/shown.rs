//! Tokens in a message, as a user would write them: what syn takes apart comes back with a space around each of its signs.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;

/// `self: std::sync::Arc<Self>`
pub(crate) fn shown(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    write(&mut text, tokens.to_token_stream());
    text
}

fn write(text: &mut String, tokens: TokenStream) {
    // What was written last, of this group.
    let mut last = Last::Nothing;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if matches!(last, Last::Spaced) || (group.delimiter() == Delimiter::Brace && !text.is_empty())
                {
                    separate(text);
                }
                enclosed(text, &group);
                last = Last::Word;
            }
            TokenTree::Punct(punct) => {
                let next = tokens.next_if(|next| completes(punct.as_char(), next));
                let sign = next.map_or_else(|| punct.to_string(), |next| format!("{punct}{next}"));
                let spaces = spaces(&sign);
                if spaces == Spaces::Around || (last == Last::Spaced && spaces != Spaces::After) {
                    separate(text);
                }
                text.push_str(&sign);
                last = if spaces == Spaces::None {
                    Last::Sign
                } else {
                    Last::Spaced
                };
                if sign == ">" {
                    last = Last::Word;
                }
            }
            word => {
                if matches!(last, Last::Word | Last::Spaced) {
                    separate(text);
                }
                text.push_str(&word.to_string());
                last = Last::Word;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    /// What a word behind it needs a space before.
    Word,
    Sign,
    /// A sign with a space behind it.
    Spaced,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spaces {
    None,
    After,
    Around,
}

fn spaces(sign: &str) -> Spaces {
    match sign {
        "," | ";" | ":" => Spaces::After,
        "+" | "=" | "->" | "=>" | "==" => Spaces::Around,
        _ => Spaces::None,
    }
}

/// Whether `next` is the second half of a sign.
fn completes(first: char, next: &TokenTree) -> bool {
    let TokenTree::Punct(next) = next else {
        return false;
    };
    matches!(
        (first, next.as_char()),
        (':', ':') | ('-' | '=', '>') | ('=', '=')
    )
}

fn enclosed(text: &mut String, group: &Group) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{ ", " }"),
        Delimiter::None => ("", ""),
    };
    text.push_str(open);
    write(text, group.stream());
    text.push_str(close);
}

fn separate(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_shown_as_they_are_written() {
        for written in [
            "self: std::sync::Arc<Self>",
            "mut self: Pin<&mut Self>",
            "&'a mut self",
            "&mut self",
            "dyn Future<Output = Result<u8, ::core::fmt::Error>> + Send + 'a",
            "(A, [u8; 4], &'static str)",
            "impl for<'a> Fn(&'a str, u8) -> Vec<u8> + 'static",
            "<T as Port<4, { N }>>::Out",
            "fn(u8) -> !",
            "*const T",
            "Box<dyn Error + Send + Sync>",
            "-1",
        ] {
            let tokens: TokenStream = written.parse().expect("tokens");
            assert_eq!(shown(&tokens), written);
        }
    }
}
