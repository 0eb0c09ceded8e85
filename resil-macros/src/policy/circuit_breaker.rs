//! `circuit_breaker`.

use super::{Rules, Stated};
use crate::diagnostics::{Errors, message};

pub(super) const RULES: Rules = Rules {
    policy: "circuit_breaker",
    constructor: None,
    check,
};

fn check(stated: &Stated, errors: &mut Errors) {
    criteria(stated, errors);
    windows(stated, errors);
    open_times(stated, errors);
}

fn criteria(stated: &Stated, errors: &mut Errors) {
    if let Some(within) = stated.get("within_ms")
        && stated.get("failure_threshold").is_none()
    {
        errors.at(
            &within.key,
            message!("`within_ms` says in which time the failures of a `failure_threshold` must fall, and there is none")
                .help(format_args!("write `failure_threshold = 5, within_ms = {}`", within.tokens)),
        );
    }
    if let Some(rate) = stated.get("slow_rate")
        && stated.get("slow_ms").is_none()
    {
        errors.at(
            &rate.key,
            message!("`slow_rate` is the share of slow calls, and nothing says when a call is slow").help(
                format_args!("write `slow_ms = 1000, slow_rate = {}`", rate.tokens),
            ),
        );
    }
}

fn windows(stated: &Stated, errors: &mut Errors) {
    let (calls, time) = (stated.get("window"), stated.get("window_ms"));
    if let (Some(_), Some(time)) = (calls, time) {
        errors.at(
            &time.key,
            message!("a window is counted in calls (`window`) or in time (`window_ms`), not both")
                .help("keep one of them"),
        );
        return;
    }
    // Without any criterion both defaults hold, and one of them is a rate.
    let by_rate = stated.get("failure_rate").is_some()
        || stated.get("slow_ms").is_some()
        || stated.get("slow_rate").is_some()
        || stated.get("failure_threshold").is_none();
    let window = calls.or(time);
    if let Some(idle) = window.or_else(|| stated.get("min_calls"))
        && !by_rate
    {
        errors.at(
            &idle.key,
            message!(
                "`{}` belongs to a rate, and there is only a `failure_threshold`",
                idle.key
            )
            .help("add `failure_rate = 0.5` or `slow_ms = 1000`, or leave it out"),
        );
        return;
    }
    if let Some(min) = stated.get("min_calls")
        && time.is_none()
        && min.number.as_f64() > stated.number("window")
    {
        errors.at(
            &min.tokens,
            message!(
                "`min_calls` ({}) is over `window` ({}), so no rate would ever open the circuit",
                min.tokens,
                stated.shown("window")
            )
            .help("lower `min_calls`, or raise `window`"),
        );
    }
}

fn open_times(stated: &Stated, errors: &mut Errors) {
    if stated.says("reset", "manual") {
        for option in ["reset_after_timeout_ms", "max_reset_after_ms"] {
            if let Some(time) = stated.get(option) {
                errors.at(
                    &time.key,
                    message!("with `reset = \"manual\"` only an operator ends the open state, so `{option}` has no meaning")
                        .help("leave one of them out"),
                );
            }
        }
        return;
    }
    let Some(max) = stated.get("max_reset_after_ms") else {
        return;
    };
    for option in ["reset_after_ms", "reset_after_timeout_ms"] {
        if max.number.as_f64() < stated.number(option) {
            errors.at(
                &max.tokens,
                message!(
                    "`max_reset_after_ms` ({}) is below `{option}` ({}), the open time that it bounds",
                    max.tokens,
                    stated.shown(option)
                )
                .help(format_args!("raise `max_reset_after_ms`, or lower `{option}`")),
            );
            return;
        }
    }
}
