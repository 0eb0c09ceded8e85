//! What is said to the user. All mistakes of one expansion are collected, so that one run reports them all; the entry points
//! alone render them.

use std::fmt::{self, Display, Write};

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// All mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors {
    errors: Vec<Error>,
}

impl Errors {
    /// At these tokens, all of them.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.errors.push(Error::new_spanned(tokens, message));
    }

    /// Where there are no tokens of the user's to point at.
    pub(crate) fn at_span(&mut self, span: Span, message: impl Display) {
        self.errors.push(Error::new(span, message));
    }

    /// What syn found.
    pub(crate) fn add(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.errors.iter().map(ToString::to_string).collect()
    }

    /// One `compile_error!` for each.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.iter().map(Error::to_compile_error).collect()
    }
}

/// What is wrong, with what to write instead and why it does harm.
pub(crate) struct Message {
    text: String,
    separated: bool,
}

/// A message that begins with what is wrong.
macro_rules! message {
    ($($format:tt)*) => { $crate::diagnostics::Message::new(::std::format_args!($($format)*)) };
}
pub(crate) use message;

impl Message {
    pub(crate) fn new(what: fmt::Arguments<'_>) -> Self {
        Self {
            text: what.to_string(),
            separated: false,
        }
    }

    /// What to write instead.
    pub(crate) fn help(self, help: impl Display) -> Self {
        self.line("help", &help)
    }

    /// The reason, or what there is to choose from.
    pub(crate) fn note(self, note: impl Display) -> Self {
        self.line("note", &note)
    }

    fn line(mut self, what: &str, text: &dyn Display) -> Self {
        let gap = if self.separated { "\n" } else { "\n\n" };
        self.separated = true;
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "{gap}{what}: {text}");
        self
    }

    /// With the nearest of these names, where one is near, and all of them.
    pub(crate) fn choose(self, found: &str, what: &str, names: &[&str]) -> Self {
        let all = list(names);
        match nearest(found, names) {
            Some(near) => self.help(format_args!("did you mean `{near}`?")),
            None => self,
        }
        .note(format_args!("{what}: {all}"))
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `` `a`, `b`, `c` ``
pub(crate) fn list<T: Display>(names: &[T]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name that was probably meant: at most one letter in three is wrong.
pub(crate) fn nearest<'n>(found: &str, names: &[&'n str]) -> Option<&'n str> {
    let allowed = found.chars().count().div_ceil(3).max(1);
    names
        .iter()
        .map(|name| (distance(found, name), *name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to put in, take out, replace, or swap with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.to_lowercase().chars().collect();
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, other) in to.iter().enumerate() {
            let replace = last[column] + usize::from(letter != other);
            let mut best = replace.min(last[column + 1] + 1).min(line[column] + 1);
            let swapped = row > 0 && column > 0 && from[row - 1] == *other && *letter == to[column - 1];
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            line.push(best);
        }
        before = std::mem::replace(&mut last, line);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_mistake() {
        assert_eq!(distance("retyr", "retry"), 1);
        assert_eq!(distance("atempts", "attempts"), 1);
        assert_eq!(distance("", "ms"), 2);
        assert_eq!(distance("ms", "ms"), 0);
    }

    #[test]
    fn only_a_near_name_is_proposed() {
        let names = ["timeout", "retry", "circuit_breaker", "bulkhead"];
        assert_eq!(nearest("timeot", &names), Some("timeout"));
        assert_eq!(nearest("circuitbreaker", &names), Some("circuit_breaker"));
        assert_eq!(nearest("Retry", &names), Some("retry"));
        assert_eq!(nearest("cached", &names), None);
        assert_eq!(nearest("ms", &["mode"]), None);
    }

    #[test]
    fn help_and_notes_follow_after_one_empty_line() {
        let text = message!("`{}` is wrong", "x")
            .help("write `y`")
            .note("because")
            .to_string();
        assert_eq!(text, "`x` is wrong\n\nhelp: write `y`\nnote: because");
    }
}
