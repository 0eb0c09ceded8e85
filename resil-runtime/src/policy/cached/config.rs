//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};

/// `cached(ttl_ms = …)`: keeps what a method answered, by its arguments, and answers with that for a time.
///
/// Errors are not kept, and concurrent misses of one key make one call. Stated by attribute only, since it needs the types of the
/// method; `key` and `aged` stand in generated code.
///
/// Who waits for another caller's load gets its value as it was loaded, or a copy of its error. Where the error cannot be copied, each
/// that waited for a refusal asks for itself, all at once and without keeping the answer; for any other failure it gets
/// [`PolicyErrorKind::LoadFailed`](crate::PolicyErrorKind::LoadFailed). Whoever loads may be dropped, panic or run out of time: one of
/// those who wait loads in its place. Each waits within its own deadline; when that is over it gets what `stale_if_error` allows, or
/// [`PolicyErrorKind::DeadlineExceeded`](crate::PolicyErrorKind::DeadlineExceeded). A load that is kept in a variable and not polled
/// holds up those who wait for it.
///
/// A refusal ends a value that is past its `ttl`: it is not served as stale afterwards. A load that asks its own wrapper for the same
/// key, in the same task, makes the call instead of waiting for itself; one that waits for another task which does so waits until
/// its timeout. `Hash` and `Eq` of a key run under a lock, and must neither panic nor call the wrapper; nothing else of a user does.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Cached, Policies};
///
/// let cached = Cached::new(Duration::from_secs(60)).capacity(500).stale_if_error(Duration::from_secs(600));
/// assert!(Policies::new().cached(cached).check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cached {
    pub(crate) ttl: Duration,
    pub(crate) capacity: u32,
    pub(crate) stale_if_error: Duration,
}

impl Cached {
    /// `ttl_ms`: how long a value is served, above zero and at most ten years. It counts from the end of the load, and a value keeps the
    /// one that it was loaded with.
    #[must_use]
    pub const fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            capacity: 10_000,
            stale_if_error: Duration::ZERO,
        }
    }

    /// `capacity`: how many values are kept for one method of one instance at the most, from 1 to 1 000 000. Default: 10 000. Beyond it
    /// those go that were asked for least of late; large caches are divided into parts that do so each for itself, so that a
    /// few go earlier.
    #[must_use]
    pub const fn capacity(mut self, values: u32) -> Self {
        self.capacity = values;
        self
    }

    /// `stale_if_error_ms`: how long past its `ttl` a value is still served where the call to refresh it fails for any reason but a
    /// refusal. Default: zero, never.
    #[must_use]
    pub const fn stale_if_error(mut self, time: Duration) -> Self {
        self.stale_if_error = time;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        let limits = Limits::of("cached");
        limits.duration("ttl_ms", Some(self.ttl))?;
        limits.count("capacity", Some(self.capacity))?;
        limits.duration("stale_if_error_ms", Some(self.stale_if_error))
    }
}
