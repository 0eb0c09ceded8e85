//! A set of policies, and what one method changes in it.

use super::bulkhead::Bulkhead;
use super::circuit_breaker::CircuitBreaker;
use super::limits::{Limits, PoliciesError};
use super::retry::Retry;
use super::timeout::Timeout;
use super::{Mode, Scope};

/// Which policies hold, with their numbers: for all methods of one instance where it is made, or for a kind of adapters.
///
/// The order in which they are given has no meaning.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{CircuitBreaker, Policies, Retry, Timeout};
///
/// let policies = Policies::new()
///     .retry(Retry::attempts(3))
///     .circuit_breaker(CircuitBreaker::new())
///     .timeout(Timeout::new(Duration::from_secs(2)));
/// assert!(policies.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Policies {
    pub(crate) timeout: Option<Timeout>,
    pub(crate) retry: Option<Retry>,
    pub(crate) circuit_breaker: Option<CircuitBreaker>,
    pub(crate) bulkhead: Option<Bulkhead>,
}

impl Policies {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            timeout: None,
            retry: None,
            circuit_breaker: None,
            bulkhead: None,
        }
    }

    /// With this timeout for each attempt.
    #[must_use]
    pub const fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// With this retry. A method that its author did not mark as idempotent, and for which the code states no retry, is repeated
    /// only after failures classified `not_sent`.
    #[must_use]
    pub const fn retry(mut self, retry: Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// With this circuit breaker.
    #[must_use]
    pub const fn circuit_breaker(mut self, breaker: CircuitBreaker) -> Self {
        self.circuit_breaker = Some(breaker);
        self
    }

    /// With this bulkhead.
    #[must_use]
    pub const fn bulkhead(mut self, bulkhead: Bulkhead) -> Self {
        self.bulkhead = Some(bulkhead);
        self
    }

    /// Whether every number is within its limits and none contradicts another. `with_policies` asks this itself.
    ///
    /// # Errors
    ///
    /// The first number that is not.
    pub fn check(&self) -> Result<(), PoliciesError> {
        self.timeout.as_ref().map_or(Ok(()), Timeout::check)?;
        self.retry.as_ref().map_or(Ok(()), Retry::check)?;
        self.circuit_breaker
            .as_ref()
            .map_or(Ok(()), CircuitBreaker::check)?;
        self.bulkhead.as_ref().map_or(Ok(()), Bulkhead::check)?;
        self.slow_calls_end()
    }

    /// A call that is slow ends before its timeout, or it would never be one.
    fn slow_calls_end(&self) -> Result<(), PoliciesError> {
        let limit = self.timeout.filter(|timeout| timeout.mode == Mode::Enforce);
        let slow = self.circuit_breaker.and_then(|breaker| breaker.slow);
        match (limit, slow) {
            (Some(limit), Some(slow)) if slow >= limit.limit => Err(Limits::of("circuit_breaker")
                .contradiction("`slow_ms` is not below the `timeout`, so no call that answers is ever slow")),
            _ => Ok(()),
        }
    }
}

/// What the attributes on one method change in the policies of its adapter.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Overrides, Timeout};
///
/// // `#[timeout(ms = 500)]` and `#[retry(off)]`
/// const SEND: Overrides = Overrides::new().timeout(Timeout::new(Duration::from_millis(500))).retry_off();
/// # let _ = SEND;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Overrides {
    timeout: Setting<Timeout>,
    retry: Setting<Retry>,
    circuit_breaker: Setting<CircuitBreaker>,
    bulkhead: Setting<Bulkhead>,
}

#[derive(Clone, Copy, Debug)]
enum Setting<T> {
    Inherit,
    Off,
    Set(T),
}

impl<T: Copy> Setting<T> {
    const fn over(self, base: Option<T>) -> Option<T> {
        match self {
            Self::Inherit => base,
            Self::Off => None,
            Self::Set(value) => Some(value),
        }
    }

    const fn is_set(&self) -> bool {
        matches!(self, Self::Set(_))
    }
}

impl Default for Overrides {
    fn default() -> Self {
        Self::new()
    }
}

impl Overrides {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            timeout: Setting::Inherit,
            retry: Setting::Inherit,
            circuit_breaker: Setting::Inherit,
            bulkhead: Setting::Inherit,
        }
    }

    /// `#[timeout(…)]`.
    #[must_use]
    pub const fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Setting::Set(timeout);
        self
    }

    /// `#[timeout(off, …)]`.
    #[must_use]
    pub const fn timeout_off(mut self) -> Self {
        self.timeout = Setting::Off;
        self
    }

    /// `#[retry(…)]`.
    #[must_use]
    pub const fn retry(mut self, retry: Retry) -> Self {
        self.retry = Setting::Set(retry);
        self
    }

    /// `#[retry(off)]`.
    #[must_use]
    pub const fn retry_off(mut self) -> Self {
        self.retry = Setting::Off;
        self
    }

    /// `#[circuit_breaker(…)]`.
    #[must_use]
    pub const fn circuit_breaker(mut self, breaker: CircuitBreaker) -> Self {
        self.circuit_breaker = Setting::Set(breaker);
        self
    }

    /// `#[circuit_breaker(off)]`.
    #[must_use]
    pub const fn circuit_breaker_off(mut self) -> Self {
        self.circuit_breaker = Setting::Off;
        self
    }

    /// `#[bulkhead(…)]`.
    #[must_use]
    pub const fn bulkhead(mut self, bulkhead: Bulkhead) -> Self {
        self.bulkhead = Setting::Set(bulkhead);
        self
    }

    /// `#[bulkhead(off)]`.
    #[must_use]
    pub const fn bulkhead_off(mut self) -> Self {
        self.bulkhead = Setting::Off;
        self
    }

    /// Whether any policy is stated; `off` states none.
    pub(crate) const fn state_any(&self) -> bool {
        self.timeout.is_set()
            || self.retry.is_set()
            || self.circuit_breaker.is_set()
            || self.bulkhead.is_set()
    }

    /// `base` as this method changes it.
    pub(crate) const fn over(&self, base: &Policies) -> Policies {
        Policies {
            timeout: self.timeout.over(base.timeout),
            retry: self.retry.over(base.retry),
            circuit_breaker: match (&base.circuit_breaker, &self.circuit_breaker) {
                // One for the whole instance cannot be another one for a method.
                (Some(shared), Setting::Set(_)) if matches!(shared.scope, Scope::Instance) => {
                    base.circuit_breaker
                }
                _ => self.circuit_breaker.over(base.circuit_breaker),
            },
            bulkhead: match (&base.bulkhead, &self.bulkhead) {
                (Some(shared), Setting::Set(_)) if matches!(shared.scope, Scope::Instance) => base.bulkhead,
                _ => self.bulkhead.over(base.bulkhead),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_slow_call_ends_before_its_timeout() {
        let ms = Duration::from_millis;
        let with = |slow, timeout: Timeout| {
            let breaker = CircuitBreaker::new().slow(ms(slow));
            Policies::new().circuit_breaker(breaker).timeout(timeout).check()
        };
        assert!(with(99, Timeout::new(ms(100))).is_ok());
        assert!(with(100, Timeout::new(ms(100)).mode(Mode::Observe)).is_ok());
        let error = with(100, Timeout::new(ms(100))).expect_err("not below");
        assert_eq!(
            error.to_string(),
            "`circuit_breaker`: `slow_ms` is not below the `timeout`, so no call that answers is ever slow"
        );
    }
}
