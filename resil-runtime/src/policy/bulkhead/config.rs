//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};
use crate::policy::{Mode, Scope};

/// `bulkhead(max_concurrent = …)`: how many attempts may run at once, so that one slow dependency does not take every
/// connection and task of the service.
///
/// Beyond `max_queued` waiters it refuses at once. Waiters are served in order, and leave when they are dropped.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Bulkhead, Policies};
///
/// let bulkhead = Bulkhead::new(16).max_queued(32).max_wait(Duration::from_millis(250));
/// assert!(Policies::new().bulkhead(bulkhead).check().is_ok());
/// // A queue needs a bound on the wait.
/// assert!(Policies::new().bulkhead(Bulkhead::new(16).max_queued(32)).check().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulkhead {
    pub(crate) max_concurrent: u32,
    pub(crate) max_queued: u32,
    pub(crate) max_wait: Option<Duration>,
    pub(crate) scope: Scope,
    pub(crate) mode: Mode,
}

impl Bulkhead {
    /// `max_concurrent`: from 1 to 1 000 000.
    #[must_use]
    pub const fn new(max_concurrent: u32) -> Self {
        Self {
            max_concurrent,
            max_queued: 0,
            max_wait: None,
            scope: Scope::Method,
            mode: Mode::Enforce,
        }
    }

    /// `max_queued`: how many may wait for a place. Default: 0, refuse at once.
    #[must_use]
    pub const fn max_queued(mut self, waiters: u32) -> Self {
        self.max_queued = waiters;
        self
    }

    /// `max_wait_ms`: how long one may wait. Required with a queue, unless a deadline bounds the whole call. Zero: only a place that is free at once.
    #[must_use]
    pub const fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = Some(wait);
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
        let limits = Limits::of("bulkhead");
        limits.count("max_concurrent", Some(self.max_concurrent))?;
        limits.count("max_queued", Some(self.max_queued))?;
        limits.duration("max_wait_ms", self.max_wait)
    }

    /// Whether only something around it can end the wait.
    pub(crate) const fn waits_without_end(&self) -> bool {
        self.max_queued > 0 && self.max_wait.is_none()
    }
}
