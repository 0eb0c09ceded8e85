//! `fallback`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};

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
        _ => {}
    }
}
