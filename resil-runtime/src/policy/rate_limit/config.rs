//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};
use crate::policy::{Mode, Scope};

/// `rate_limit(permits = …)`: how many attempts may start within a time, so that a provider's quota is kept.
///
/// The generic cell rate algorithm: permits come back evenly, one each `per / permits`, and up to `burst` of them are kept for
/// later. Every attempt takes one, retries included. Without one it is refused at once, as `RateLimited` with the time after which
/// the next would come through; or it waits for its turn, where that comes within `max_wait`. Those who wait are served in order.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Policies, RateLimit};
///
/// // Ten a second on average, never more than three at once.
/// let limit = RateLimit::new(10).burst(3).max_wait(Duration::from_millis(200));
/// assert!(Policies::new().rate_limit(limit).check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateLimit {
    pub(crate) permits: u32,
    pub(crate) per: Duration,
    /// `None`: as many as `permits`.
    pub(crate) burst: Option<u32>,
    pub(crate) max_wait: Duration,
    pub(crate) scope: Scope,
    pub(crate) mode: Mode,
}

impl RateLimit {
    /// `permits`: how many come back within `per`; from 1 to 1 000 000.
    #[must_use]
    pub const fn new(permits: u32) -> Self {
        Self {
            permits,
            per: Duration::from_secs(1),
            burst: None,
            max_wait: Duration::ZERO,
            scope: Scope::Method,
            mode: Mode::Enforce,
        }
    }

    /// `per_ms`: the time in which all permits come back, above zero and at most ten years. Default: 1 s.
    #[must_use]
    pub const fn per(mut self, time: Duration) -> Self {
        self.per = time;
        self
    }

    /// `burst`: how many may start at once after a quiet time, from 1 to 1 000 000; no more than come back in two hundred years.
    /// Default: as many as `permits`.
    #[must_use]
    pub const fn burst(mut self, attempts: u32) -> Self {
        self.burst = Some(attempts);
        self
    }

    /// `max_wait_ms`: how long an attempt may wait for its turn. Default: zero, refuse at once.
    #[must_use]
    pub const fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }

    /// `scope`: one for each method, or one for all methods of the instance. Default: [`Scope::Method`].
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// `mode`: whether it refuses, or only counts what it would have refused. Default: [`Mode::Enforce`].
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        let limits = Limits::of("rate_limit");
        limits.count("permits", Some(self.permits))?;
        limits.duration("per_ms", Some(self.per))?;
        limits.count("burst", self.burst)?;
        limits.duration("max_wait_ms", Some(self.max_wait))
    }
}
