//! The rules about policies that do harm where they stand: without a bound, or repeating what must not be repeated.

use super::{Draft, several_async};
use crate::adapter::args::{Args, Written};
use crate::diagnostics::{Errors, list, message};

/// Whether a timeout bounds the call.
enum Bound {
    Yes,
    No,
    /// It only observes.
    Observes,
}

fn bound(timeout: &Written) -> Bound {
    match &timeout.stated {
        // A faulty one was reported, and is meant to bound.
        Some(stated) if stated.says("mode", "observe") => Bound::Observes,
        _ => Bound::Yes,
    }
}

/// A method that states policies has a timeout that enforces, or a reason.
pub(super) fn bounded(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let on_impl = match args.policy_named("timeout") {
        Some(timeout) => bound(timeout),
        None if args.meant("timeout") => Bound::Yes,
        None => Bound::No,
    };
    if let (Some(no_timeout), Some(_), Bound::Yes) =
        (args.no_timeout.key(), args.policy_named("timeout"), &on_impl)
    {
        errors.at(
            no_timeout,
            message!("`no_timeout` says that nothing is timed out, and a `timeout` is stated beside it")
                .help("keep one of them; for single methods write `#[timeout(off, reason = \"…\")]`"),
        );
    }
    if args.no_timeout.is_given() || args.meant("no_timeout") {
        return;
    }
    let mut unbounded = Vec::new();
    for draft in drafts.iter().filter(|draft| draft.is_guarded(args)) {
        match draft.overrides("timeout") {
            // One that is off was given its reason, and observes nothing.
            Some(timeout) => observing(args, &timeout.written, &bound(&timeout.written), errors),
            None if !args.policies.is_empty() => {
                if !matches!(on_impl, Bound::Yes) {
                    unbounded.push(draft.name());
                }
            }
            None => unbounded_method(draft, errors),
        }
    }
    if unbounded.is_empty() {
        return;
    }
    match args.policy_named("timeout") {
        Some(timeout) => observing(args, timeout, &on_impl, errors),
        None => {
            if let Some(policy) = args.policies.first() {
                errors.at(&policy.key, without_timeout(&list(&unbounded), policy.name, "add `timeout(ms = 2000)`, or `no_timeout = \"…\"` with what bounds the calls instead"));
            }
        }
    }
}

fn unbounded_method(draft: &Draft, errors: &mut Errors) {
    if let Some(policy) = draft.helpers.stated().next() {
        let policy = &policy.written;
        errors.at(&policy.key, without_timeout(&list(&[draft.name()]), policy.name, "add `#[timeout(ms = 2000)]`, or `#[timeout(off, reason = \"…\")]` with what bounds the call instead"));
    }
}

fn without_timeout(methods: &str, policy: &str, help: &str) -> impl std::fmt::Display + use<> {
    message!("`{policy}` is stated without a `timeout`, so nothing bounds {methods}")
        .help(help)
        .note("a call that never answers holds its caller, its connection and its place for ever; what states a policy gets none of the kind's defaults")
}

fn observing(args: &Args, timeout: &Written, bound: &Bound, errors: &mut Errors) {
    if !matches!(bound, Bound::Observes) {
        return;
    }
    let Some(mode) = timeout.stated.as_ref().and_then(|stated| stated.get("mode")) else {
        return;
    };
    errors.at(
        &mode.tokens,
        message!("this `timeout` only observes, so nothing bounds the call").help(format_args!(
            "remove the `mode`, or say what bounds the call instead: `no_timeout = \"…\"` in `#[{}(…)]`",
            args.attribute
        )),
    );
}

/// A retry for several methods says which of them may be repeated.
pub(super) fn repeatable(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let Some(retry) = args.policy_named("retry") else {
        return;
    };
    if !several_async(drafts) || args.idempotent.is_given() || args.meant("idempotent") {
        return;
    }
    let reached = drafts
        .iter()
        .filter(|draft| draft.is_guarded(args) && draft.overrides("retry").is_none())
        // A read may be repeated.
        .filter(|draft| draft.effective(args, "cached").is_none());
    let unmarked: Vec<String> = reached
        .filter(|draft| !draft.helpers.idempotent.is_given() && !draft.helpers.non_idempotent.is_given())
        .map(Draft::name)
        .collect();
    if unmarked.is_empty() {
        return;
    }
    errors.at(
        &retry.key,
        message!("`retry` reaches several methods, and nothing says whether {} may be repeated", list(&unmarked))
            .help("put `#[idempotent]`, `#[non_idempotent]` or `#[retry(off)]` on each, or write `idempotent` in `#[adapter(…)]` if all may be")
            .note("after a timeout nobody knows whether the first attempt took effect; repeating it could do it twice"),
    );
}
