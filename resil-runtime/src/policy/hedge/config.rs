//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};

/// `hedge(after_ms = …)`: starts the same attempt once more where no answer came within a time, against the slowest few calls.
///
/// The first value or refusal answers, and the other attempts are dropped; where all fail, the last failure answers. Only for
/// methods marked idempotent, and not beside `retry`. Stated by attribute only, since it needs the method's arguments.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Hedge, Policies, Retry};
///
/// let policies = Policies::new().hedge(Hedge::new(Duration::from_millis(80)).max(2));
/// assert!(policies.check().is_ok());
/// assert!(policies.retry(Retry::attempts(3)).check().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hedge {
    pub(crate) after: Duration,
    pub(crate) max: u32,
}

impl Hedge {
    /// `after_ms`: how long each attempt is waited for before the next starts beside it, at most ten years. Zero: all start at
    /// once.
    #[must_use]
    pub const fn new(after: Duration) -> Self {
        Self { after, max: 1 }
    }

    /// `max`: how many attempts may be added to the first, from 1 to 1 000 000. Default: 1.
    #[must_use]
    pub const fn max(mut self, hedges: u32) -> Self {
        self.max = hedges;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        let limits = Limits::of("hedge");
        limits.duration("after_ms", Some(self.after))?;
        limits.count("max", Some(self.max))
    }
}
