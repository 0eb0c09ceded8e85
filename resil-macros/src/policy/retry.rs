//! `retry`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};

pub(super) const RULES: Rules = Rules {
    policy: "retry",
    constructor: Some("attempts"),
    check,
};

fn check(stated: &Stated, errors: &mut Errors) {
    let (base, max) = (stated.number("base_ms"), stated.number("max_ms"));
    if base > max
        && let Some(wrong) = stated.get("base_ms").or_else(|| stated.get("max_ms"))
    {
        errors.at(
            &wrong.tokens,
            message!(
                "`base_ms` ({}) is over `max_ms` ({}), so no wait could keep both",
                stated.shown("base_ms"),
                stated.shown("max_ms")
            )
            .help("lower `base_ms`, the bound of the first wait, or raise `max_ms`, the bound of every wait"),
        );
    }
}
