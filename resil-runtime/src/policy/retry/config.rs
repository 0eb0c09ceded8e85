//! What a user states.

use std::time::Duration;

use crate::policy::limits::{Limits, PoliciesError};

/// `retry(…)`: repeats transient failures and timeouts.
///
/// Never a refusal, a permanent error, an open circuit or a full bulkhead; and a method for which nobody said that it may be
/// repeated only after failures classified `not_sent`, never after a timeout. The wait before attempt n + 1 is drawn from zero to
/// `min(max, base · factor^(n − 1))`, so that callers that failed together do not come back together.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Jitter, Policies, Retry};
///
/// let retry = Retry::attempts(5).base(Duration::from_millis(50)).max(Duration::from_secs(1)).jitter(Jitter::Equal);
/// assert!(Policies::new().retry(retry).check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    pub(crate) attempts: u32,
    pub(crate) base: Duration,
    pub(crate) factor: f64,
    pub(crate) max: Duration,
    pub(crate) jitter: Jitter,
    /// `None`: no budget.
    pub(crate) budget: Option<f64>,
    pub(crate) budget_min_per_s: u32,
}

/// How much of a wait is left to chance.
///
/// ```
/// assert_eq!(resil_runtime::Jitter::default(), resil_runtime::Jitter::Full);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Jitter {
    /// Drawn from zero to the bound.
    #[default]
    Full,
    /// Half of the bound, and half of it drawn.
    Equal,
    /// The bound itself.
    None,
}

impl Default for Retry {
    /// Three attempts.
    fn default() -> Self {
        Self::attempts(3)
    }
}

impl Retry {
    /// `attempts`: how often in all, the first call included; from 1 to 1 000 000.
    #[must_use]
    pub const fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            base: Duration::from_millis(100),
            factor: 2.0,
            max: Duration::from_secs(10),
            jitter: Jitter::Full,
            budget: Some(0.2),
            budget_min_per_s: 10,
        }
    }

    /// `base_ms`: the bound of the first wait. Default: 100 ms. Zero: no wait.
    #[must_use]
    pub const fn base(mut self, base: Duration) -> Self {
        self.base = base;
        self
    }

    /// `factor`: by what the bound grows with each attempt, at least 1. Default: 2.
    #[must_use]
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// `max_ms`: the bound of every wait; also the longest wait that a dependency may ask for. Default: 10 s.
    #[must_use]
    pub const fn max(mut self, max: Duration) -> Self {
        self.max = max;
        self
    }

    /// `jitter`. Default: [`Jitter::Full`].
    #[must_use]
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// `budget`: the share of the last ten seconds' calls that may be retries, so that an outage is not multiplied. Above 0, at
    /// most 1. Default: 0.2.
    #[must_use]
    pub const fn budget(mut self, share: f64) -> Self {
        self.budget = Some(share);
        self
    }

    /// `budget = "off"`: no limit on the share of retries.
    #[must_use]
    pub const fn budget_off(mut self) -> Self {
        self.budget = None;
        self
    }

    /// `budget_min_per_s`: how many retries a second the budget always grants, for methods with little traffic.
    /// Default: 10. Zero: none.
    #[must_use]
    pub const fn budget_min_per_s(mut self, retries: u32) -> Self {
        self.budget_min_per_s = retries;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        let limits = Limits::of("retry");
        limits.count("attempts", Some(self.attempts))?;
        limits.duration("base_ms", Some(self.base))?;
        limits.factor("factor", self.factor)?;
        limits.duration("max_ms", Some(self.max))?;
        limits.rate("budget", self.budget)?;
        limits.count("budget_min_per_s", Some(self.budget_min_per_s))?;
        if self.base > self.max {
            return Err(limits.contradiction("`base_ms` is over `max_ms`, so no wait could keep both"));
        }
        Ok(())
    }
}
