//! Policies in the words of the attribute.

use std::time::Duration;

use super::Stated;
use crate::diagnostics::Errors;
use crate::grammar::{self, Given};
use crate::options::{POLICIES, Value};
use crate::shown::shown;

impl Stated {
    /// The policies that `words` state, as they would between the parentheses of the attribute.
    pub(crate) fn in_words(words: &str) -> Vec<Self> {
        let mut errors = Errors::default();
        let entries = grammar::entries(words.parse().unwrap_or_default(), &mut errors);
        let stated = entries.into_iter().filter_map(|entry| {
            let name = entry.name();
            let table = POLICIES.iter().find(|table| table.name == name)?;
            let options = match entry.given {
                Given::List(options) => grammar::entries(options, &mut errors),
                _ => Vec::new(),
            };
            Self::read(table, &entry.key, &options, &mut errors)
        });
        stated.collect()
    }

    /// `retry(attempts = 3, jitter = "equal")`; the name alone where no option was given. It has no backtick, and is one line.
    pub(crate) fn written(&self) -> String {
        let options: Vec<String> = self
            .options
            .iter()
            .map(|option| {
                let value = match option.table.value {
                    Value::Path | Value::Expr => code(shown(&option.tokens)),
                    _ => option.tokens.to_string(),
                };
                format!("{} = {value}", option.table.name)
            })
            .collect();
        if options.is_empty() {
            return self.table.name.to_owned();
        }
        format!("{}({})", self.table.name, options.join(", "))
    }

    /// The duration that holds for an option `x_ms` or `ms`; `None` where there is none.
    pub(crate) fn millis(&self, name: &str) -> Option<Duration> {
        Some(Duration::from_millis(self.whole(name)?))
    }

    /// The whole number that holds.
    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        // Without a point and within the limits, so it can be read.
        format!("{:.0}", self.number(name)?).parse().ok()
    }
}

/// Code of the user's, where it is short enough to say something.
fn code(text: String) -> String {
    let legible = text.len() <= 40 && !text.contains(['`', '\n', '\r']);
    if legible { text } else { "…".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_written_as_it_was_given() {
        let all = "retry(attempts = 5, factor = 1.5, jitter = \"equal\", budget = \"off\"), circuit_breaker, timeout(ms = 1_000)";
        let written: Vec<String> = Stated::in_words(all).iter().map(Stated::written).collect();
        assert_eq!(written.join(", "), all);
        assert!(Stated::in_words("retri(attempts = 5), retry(attempts = 0)").is_empty());
    }

    #[test]
    fn an_option_that_was_left_out_has_its_default() {
        let retry = &Stated::in_words("retry(max_ms = 1_000)")[0];
        assert_eq!(retry.whole("attempts"), Some(3));
        assert_eq!(retry.millis("max_ms"), Some(Duration::from_secs(1)));
        assert_eq!(retry.millis("base_ms"), Some(Duration::from_millis(100)));
        assert_eq!(retry.millis("jitter"), None);
        let rate = &Stated::in_words("rate_limit(permits = 7)")[0];
        assert_eq!(rate.whole("burst"), Some(7));
    }

    #[test]
    fn code_is_shown_where_it_is_short() {
        let written = |value: &str| Stated::in_words(&format!("fallback(value = {value})"))[0].written();
        assert_eq!(written("Rate::default()"), "fallback(value = Rate::default())");
        assert_eq!(written("\"`\""), "fallback(value = …)");
        assert_eq!(written(&"x".repeat(41)), "fallback(value = …)");
        let probe = &Stated::in_words("circuit_breaker(probe = Self::healthy)")[0];
        assert_eq!(probe.written(), "circuit_breaker(probe = Self::healthy)");
    }
}
