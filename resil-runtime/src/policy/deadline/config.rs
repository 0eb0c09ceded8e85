//! What a user states.

use std::time::Duration;

use crate::policy::Mode;
use crate::policy::limits::{Limits, PoliciesError};

/// `deadline(ms = …)`: how long the whole call may take, with its retries and all its waits.
///
/// It flows inward: every attempt, and every wrapped adapter that an attempt calls, gets the smaller of its own limit and what is
/// left. A call that meets it ends with `DeadlineExceeded`; the attempt that ran then is dropped, so whatever it holds is freed,
/// and is an unknown outcome: the dependency may have done what it was asked. A wait that would outlast the deadline is not
/// begun. It must not be shorter than the timeout.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Deadline, Policies, Retry, Timeout};
///
/// let policies = Policies::new()
///     .deadline(Deadline::new(Duration::from_secs(5)))
///     .retry(Retry::attempts(3))
///     .timeout(Timeout::new(Duration::from_secs(2)));
/// assert!(policies.check().is_ok());
/// // No attempt could use up its timeout.
/// assert!(policies.deadline(Deadline::new(Duration::from_secs(1))).check().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deadline {
    pub(crate) limit: Duration,
    pub(crate) mode: Mode,
}

impl Deadline {
    /// `ms`: the limit, above zero and at most ten years.
    #[must_use]
    pub const fn new(limit: Duration) -> Self {
        Self {
            limit,
            mode: Mode::Enforce,
        }
    }

    /// `mode`: whether it cuts, or only counts what it would have cut. Default: [`Mode::Enforce`].
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        Limits::of("deadline").duration("ms", Some(self.limit))
    }
}
