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

/// The name that was probably meant: at most one letter in three is wrong, or only some of its words were written.
pub(crate) fn nearest<'n>(found: &str, names: &[&'n str]) -> Option<&'n str> {
    let allowed = found.chars().count().div_ceil(3).max(1);
    within(found, names, allowed.min(2))
        .or_else(|| by_words(found, names))
        .or_else(|| within(found, names, allowed))
}

/// The name with at most so many wrong letters.
pub(crate) fn within<'n>(found: &str, names: &[&'n str], allowed: usize) -> Option<&'n str> {
    names
        .iter()
        .map(|name| (distance(found, name), *name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Words that stand in many names and say nothing alone.
const WEAK_WORDS: &[&str] = &["after", "if", "ms", "per", "s"];

/// `wait` for `max_wait_ms`, or else `timeout_ms` for `timeout`; the fewer words one has beside the other's, the better.
fn by_words<'n>(found: &str, names: &[&'n str]) -> Option<&'n str> {
    let found = found.to_lowercase();
    let words: Vec<&str> = found.split('_').collect();
    let says_something = |words: &[&str]| words.iter().any(|word| !WEAK_WORDS.contains(word));
    let likely = names.iter().filter_map(|name| {
        let others: Vec<&str> = name.split('_').collect();
        if says_something(&words) && is_within(&words, &others) {
            Some((false, others.len() - words.len(), *name))
        } else if says_something(&others) && is_within(&others, &words) {
            Some((true, words.len() - others.len(), *name))
        } else {
            None
        }
    });
    likely
        .min_by_key(|(more, beside, _)| (*more, *beside))
        .map(|(.., name)| name)
}

/// Whether all of `few` stand in `many`, in this order.
fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut many = many.iter();
    few.iter().all(|word| many.any(|other| other == word))
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
    fn some_words_of_a_name_are_enough() {
        let names = ["timeout", "retry", "circuit_breaker", "bulkhead", "no_timeout"];
        assert_eq!(nearest("breaker", &names), Some("circuit_breaker"));
        assert_eq!(nearest("circuit", &names), Some("circuit_breaker"));
        assert_eq!(nearest("timeout_ms", &names), Some("timeout"));
        let retry = ["attempts", "base_ms", "max_ms", "budget", "budget_min_per_s"];
        assert_eq!(nearest("max", &retry), Some("max_ms"));
        assert_eq!(nearest("max_attempts", &retry), Some("attempts"));
        assert_eq!(nearest("budget_min", &retry), Some("budget_min_per_s"));
        let bulkhead = ["max_concurrent", "max_queued", "max_wait_ms"];
        assert_eq!(nearest("max", &bulkhead), Some("max_concurrent"));
        assert_eq!(nearest("wait", &bulkhead), Some("max_wait_ms"));
        assert_eq!(nearest("wait_ms", &bulkhead), Some("max_wait_ms"));
        for wild in ["ms", "_", "per_s", "wait_max", "s", "limit", "after_ms"] {
            assert_eq!(
                nearest(wild, &["max_wait_ms", "budget_min_per_s", "reset_after_ms"]),
                None,
                "{wild}"
            );
        }
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
