//! `fallback`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};
use crate::grammar::has_word;

pub(super) const RULES: Rules = Rules {
    policy: "fallback",
    constructor: None,
    check,
};

fn check(stated: &Stated, errors: &mut Errors) {
    let help = "write `fallback(with = Self::cached_hours)`, an `async fn(&self, …, error) -> Result<…>` of the adapter, or `fallback(value = …)`";
    match (stated.get("with"), stated.get("value")) {
        (None, None) => errors.at(
            &stated.key,
            message!("`fallback` does not say what answers in place of a failure").help(help),
        ),
        (Some(_), Some(value)) => errors.at(
            &value.key,
            message!("`fallback` has two answers in place of a failure").help("keep `with` or `value`"),
        ),
        (None, Some(value)) if has_word(&value.tokens, "self") => errors.at(
            &value.tokens,
            message!("`self` in the expression of `value` would be the wrapper, not the adapter")
                .help("write a function, `with = Self::cached_hours`: it takes `&self`"),
        ),
        _ => {}
    }
}
