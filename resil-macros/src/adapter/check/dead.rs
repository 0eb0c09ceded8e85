//! Numbers of different policies of which one can never matter.

use super::Draft;
use crate::adapter::args::{Args, Written};
use crate::diagnostics::{Errors, message};
use crate::policy::{Setting, Stated};

/// The policy that holds for a method, and whether the method states it itself.
struct Holding<'a> {
    stated: &'a Stated,
    by_method: bool,
}

fn holding<'a>(args: &'a Args, draft: &'a Draft, policy: &str) -> Option<Holding<'a>> {
    let (written, by_method): (&Written, bool) = match draft.overrides(policy) {
        // One that is off states nothing.
        Some(own) => (&own.written, true),
        None => (args.policy_named(policy)?, false),
    };
    let stated = written.stated.as_ref()?;
    Some(Holding { stated, by_method })
}

/// A call that is slow ends before its timeout, or it would never be one.
pub(super) fn slow_calls(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let mut said_of_impl = false;
    for draft in drafts.iter().filter(|draft| draft.is_guarded(args)) {
        let (Some(breaker), Some(timeout)) = (
            holding(args, draft, "circuit_breaker"),
            holding(args, draft, "timeout"),
        ) else {
            continue;
        };
        let (Some(slow), Some(limit)) = (breaker.stated.get("slow_ms"), timeout.stated.get("ms")) else {
            continue;
        };
        if timeout.stated.says("mode", "observe") || slow.number.as_f64() < limit.number.as_f64() {
            continue;
        }
        let of_impl = !breaker.by_method && !timeout.by_method;
        if of_impl && said_of_impl {
            continue;
        }
        said_of_impl |= of_impl;
        // On what the method says itself, where it does.
        let wrong = if timeout.by_method && !breaker.by_method {
            limit
        } else {
            slow
        };
        errors.at(&wrong.tokens, never_slow(slow, limit));
    }
}

fn never_slow(slow: &Setting, limit: &Setting) -> impl std::fmt::Display + use<> {
    let (slow, limit) = (&slow.tokens, &limit.tokens);
    message!("`slow_ms` ({slow}) is not below the `timeout` ({limit}), so no call that answers is ever slow")
        .help("lower `slow_ms` below the `timeout`, or raise the `timeout`; what is timed out is a failure anyway")
}
