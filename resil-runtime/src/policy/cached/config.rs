//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};

/// `cached(ttl_ms = …)`: keeps what a method answered, by its arguments, and answers with that for a time.
///
/// Errors are not kept, and concurrent misses of one key make one call. Stated by attribute only, since it needs the types of the
/// method; `key` and `aged` stand in generated code.
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
    /// `ttl_ms`: how long a value is served, above zero and at most ten years.
    #[must_use]
    pub const fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            capacity: 10_000,
            stale_if_error: Duration::ZERO,
        }
    }

    /// `capacity`: how many values are kept for one method of one instance, from 1 to 1 000 000. Default: 10 000.
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
