//! What crosses from one process to the next, as values of headers: the time that is left, and that retries were used up.
//!
//! The names are suggestions; any pair of services that agree on others may use those.
//!
//! ```
//! use std::time::Duration;
//! use resil_runtime::{header, with_deadline};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! // The client, inside an adapter's method or a `with_deadline`:
//! let sent = with_deadline(Duration::from_millis(1500), async { header::deadline() }).await;
//! assert!(sent.is_some_and(|left| left.parse::<u64>().unwrap() <= 1500));
//!
//! // The server, with what it received under `header::DEADLINE`:
//! let left = header::parse_deadline("1480").unwrap();
//! let (answer, retried) = header::tracked(with_deadline(left, async { "handled" })).await;
//! // Where its own calls used up their retries, it says so in its answer, under `header::RETRIED`.
//! assert_eq!((answer, header::retried(retried)), ("handled", None));
//!
//! // The client again, with what came back, so that it does not retry what was retried already:
//! header::accept_retried("1");
//! # });
//! ```

use std::pin::pin;
use std::time::Duration;

use tokio::time::Instant;

use crate::call::current::{self, Note};
use crate::options::MAX_MS;

/// The name of a header for the time that is left.
pub const DEADLINE: &str = "resil-deadline-ms";
/// The name of a header that says that the retries for a request are used up.
pub const RETRIED: &str = "resil-retried";

/// What is left of the deadline that holds here, in whole milliseconds, rounded down; `None` without a deadline, and `0` where it is over.
#[must_use]
pub fn deadline() -> Option<String> {
    let left = current::deadline()?.saturating_duration_since(Instant::now());
    Some(left.as_millis().to_string())
}

/// The time that a caller has left, for [`with_deadline`](crate::with_deadline). Whatever is no whole number of milliseconds is `None`, so that a
/// server never fails for it; more than ten years are ten years.
#[must_use]
pub fn parse_deadline(value: &str) -> Option<Duration> {
    let value = value.trim();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Only what is too large is no number now.
    let millis = value.parse().map_or(MAX_MS, |millis: u64| millis.min(MAX_MS));
    Some(Duration::from_millis(millis))
}

/// Runs `future`, and says beside its answer whether the last protected call in it had a retry, and failed all the same.
pub async fn tracked<F: Future>(future: F) -> (F::Output, bool) {
    let mut future = pin!(future);
    let mut spent = false;
    let output = std::future::poll_fn(|cx| {
        let outer = current::note();
        current::leave(spent);
        let polled = future.as_mut().poll(cx);
        spent = current::note().has(Note::SPENT);
        if polled.is_pending() {
            current::leave(outer.has(Note::SPENT));
        }
        polled
    })
    .await;
    (output, spent)
}

/// The value for [`RETRIED`], where there is something to say.
#[must_use]
pub fn retried(spent: bool) -> Option<&'static str> {
    spent.then_some("1")
}

/// Inside an adapter's method, with the value that an answer has under [`RETRIED`]: where it is `1`, and the method fails, the attempt
/// is not repeated, since a layer further in did so already. Any other value, and a call from elsewhere, changes nothing.
pub fn accept_retried(value: &str) {
    if value.trim() == "1" && current::note().has(Note::ATTEMPT) {
        current::leave(true);
    }
}
