//! `bulkhead`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};

pub(super) const RULES: Rules = Rules {
    policy: "bulkhead",
    constructor: None,
    check,
};

fn check(stated: &Stated, errors: &mut Errors) {
    // The runtime takes both: a configuration may close the queue of code that bounds the wait in it.
    let queues = stated.number("max_queued") > Some(0.0);
    if let Some(wait) = stated.get("max_wait_ms")
        && !queues
    {
        errors.at(
            &wait.key,
            message!("`max_wait_ms` bounds the wait in a queue, and there is none").help(format_args!(
                "write `max_queued = 16, max_wait_ms = {}`, or leave it out",
                wait.tokens
            )),
        );
    }
}
