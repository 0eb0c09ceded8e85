//! `bulkhead`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};

pub(super) const RULES: Rules = Rules {
    policy: "bulkhead",
    constructor: None,
    check,
};

fn check(stated: &Stated, errors: &mut Errors) {
    if let Some(queue) = stated.get("max_queued")
        && queue.number.as_f64() > Some(0.0)
        && stated.get("max_wait_ms").is_none()
    {
        errors.at(
            &queue.key,
            message!("a queue needs `max_wait_ms`, or its callers could wait for ever").help(format_args!(
                "write `max_queued = {}, max_wait_ms = 250`",
                queue.tokens
            )),
        );
    }
}
