//! What a user states.

use std::time::Duration;

use crate::policy::Mode;
use crate::policy::limits::{Limits, PoliciesError};

/// `timeout(ms = …)`: how long one attempt may take.
///
/// The attempt's future is dropped at the limit, so whatever it holds is freed. The limit runs from the moment that future
/// is first pending. A timed-out attempt is an unknown outcome: the dependency may have done what it was asked.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Policies, Timeout};
///
/// let policies = Policies::new().timeout(Timeout::new(Duration::from_secs(2)));
/// assert!(policies.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    pub(crate) limit: Duration,
    pub(crate) mode: Mode,
}

impl Timeout {
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
        Limits::of("timeout").duration("ms", Some(self.limit))
    }
}
