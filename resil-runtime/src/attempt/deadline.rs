//! A deadline that begins at the edge of the service.

use std::time::Duration;

use tokio::time::Instant;

use crate::call::current::{self, Frame};
use crate::call::scope::Scope;

/// Runs `future` with a deadline for the protected calls in it: `duration` from the first poll on, or what is left of a
/// deadline around it where that is less.
///
/// Each wrapped method called inside gets the smaller of its own limits and what is left. Past the deadline no attempt
/// begins, and those that run are dropped; their callers get
/// [`PolicyErrorKind::DeadlineExceeded`](crate::PolicyErrorKind::DeadlineExceeded) in the error of their port. `future` itself
/// is not cut: what it does with those errors, and what it answers, is its own.
///
/// A spawned task inherits the deadline through [`Attempt::propagate`](crate::Attempt::propagate) only. A `duration` beyond the end
/// of the clock is no deadline. It needs no runtime by itself; the calls inside do.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::with_deadline;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// // A handler of a request that its caller waits two seconds for.
/// let answer = with_deadline(Duration::from_secs(2), async { "checkout" }).await;
/// assert_eq!(answer, "checkout");
/// # });
/// ```
pub async fn with_deadline<F: Future>(duration: Duration, future: F) -> F::Output {
    let own = Instant::now().checked_add(duration);
    let deadline = current::earlier(own, current::deadline());
    let attempt = current::claim();
    let frame = Frame {
        number: attempt.as_ref().map_or(0, crate::Attempt::number),
        deadline,
        call_id: None,
        attempt,
    };
    Scope::new(Some(frame), future).await
}
