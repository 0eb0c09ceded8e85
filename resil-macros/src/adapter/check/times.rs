//! The rules about limits that stand in different policies, for each method by what holds for it.

use super::Draft;
use crate::adapter::args::{Args, Written};
use crate::diagnostics::{Errors, message};
use crate::policy::Stated;

/// What was reported already: several methods can have the same policies of their impl.
#[derive(Default)]
struct Seen<'a> {
    pairs: Vec<(&'a Written, Option<&'a Written>)>,
}

impl<'a> Seen<'a> {
    fn is_new(&mut self, one: &'a Written, other: Option<&'a Written>) -> bool {
        let same = |seen: &(&Written, Option<&Written>)| {
            std::ptr::eq(seen.0, one)
                && match (seen.1, other) {
                    (Some(seen), Some(other)) => std::ptr::eq(seen, other),
                    (seen, other) => seen.is_none() && other.is_none(),
                }
        };
        let new = !self.pairs.iter().any(same);
        if new {
            self.pairs.push((one, other));
        }
        new
    }
}

pub(super) fn check(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let (mut timeouts, mut queues) = (Seen::default(), Seen::default());
    for draft in drafts.iter().filter(|draft| draft.is_guarded(args)) {
        let deadline = draft.effective(args, "deadline");
        if let Some(timeout) = draft.effective(args, "timeout")
            && let Some(deadline) = deadline
            && timeouts.is_new(timeout, Some(deadline))
        {
            over_deadline(timeout, deadline, errors);
        }
        if let Some(bulkhead) = draft.effective(args, "bulkhead")
            && queues.is_new(bulkhead, deadline)
        {
            unbounded_queue(bulkhead, deadline, errors);
        }
    }
}

fn over_deadline(timeout: &Written, deadline: &Written, errors: &mut Errors) {
    let (Some(timeout), Some(deadline)) = (&timeout.stated, &deadline.stated) else {
        return;
    };
    if let Some(ms) = timeout.get("ms")
        && timeout.number("ms") > deadline.number("ms")
    {
        errors.at(
            &ms.tokens,
            message!(
                "the `timeout` of an attempt ({} ms) is over the `deadline` of the whole call ({} ms), so it would never cut anything",
                timeout.shown("ms"),
                deadline.shown("ms")
            )
            .help("lower the `timeout` so that the attempts fit, or raise the `deadline`"),
        );
    }
}

fn unbounded_queue(bulkhead: &Written, deadline: Option<&Written>, errors: &mut Errors) {
    let bounds = |deadline: &Written| {
        // A faulty one was reported, and is meant to bound.
        let stated: Option<&Stated> = deadline.stated.as_ref();
        !stated.is_some_and(|stated| stated.says("mode", "observe"))
    };
    if let Some(stated) = &bulkhead.stated
        && let Some(queue) = stated.get("max_queued")
        && queue.number.as_f64() > Some(0.0)
        && stated.get("max_wait_ms").is_none()
        && !deadline.is_some_and(bounds)
    {
        errors.at(
            &queue.key,
            message!("a queue needs `max_wait_ms` or a `deadline`, or its callers could wait for ever").help(
                format_args!("write `max_queued = {}, max_wait_ms = 250`", queue.tokens),
            ),
        );
    }
}
