//! A set of policies.

use super::Mode;
use super::bulkhead::Bulkhead;
use super::cached::Cached;
use super::circuit_breaker::CircuitBreaker;
use super::deadline::Deadline;
use super::hedge::Hedge;
use super::limits::{Limits, PoliciesError};
use super::rate_limit::RateLimit;
use super::retry::Retry;
use super::timeout::Timeout;

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
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) deadline: Option<Deadline>,
    // By attribute only: these need the types of a method.
    pub(crate) hedge: Option<Hedge>,
    pub(crate) cached: Option<Cached>,
    /// That there is one; what it does stands in generated code.
    pub(crate) fallback: bool,
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
            rate_limit: None,
            deadline: None,
            hedge: None,
            cached: None,
            fallback: false,
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

    /// With this limit on how many attempts start within a time.
    #[must_use]
    pub const fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }

    /// With this deadline for the whole call.
    #[must_use]
    pub const fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn hedge(mut self, hedge: Hedge) -> Self {
        self.hedge = Some(hedge);
        self
    }

    /// For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn cached(mut self, cached: Cached) -> Self {
        self.cached = Some(cached);
        self
    }

    /// For generated code: that there is one.
    #[doc(hidden)]
    #[must_use]
    pub const fn fallback(mut self) -> Self {
        self.fallback = true;
        self
    }

    /// These, with what needs code of the adapter and so stays as its impl states it.
    pub(crate) const fn with_code_of(mut self, on_impl: &Self) -> Self {
        if on_impl.cached.is_some() {
            self.cached = on_impl.cached;
        }
        if on_impl.hedge.is_some() {
            self.hedge = on_impl.hedge;
        }
        self.fallback |= on_impl.fallback;
        if let (Some(breaker), Some(stated)) = (&mut self.circuit_breaker, &on_impl.circuit_breaker) {
            breaker.examine = stated.examine;
        }
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
        self.rate_limit.as_ref().map_or(Ok(()), RateLimit::check)?;
        self.deadline.as_ref().map_or(Ok(()), Deadline::check)?;
        self.hedge.as_ref().map_or(Ok(()), Hedge::check)?;
        self.cached.as_ref().map_or(Ok(()), Cached::check)?;
        self.slow_calls_end()?;
        self.check_together()
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

    /// What no policy can see alone, since none knows another.
    fn check_together(&self) -> Result<(), PoliciesError> {
        if let (Some(timeout), Some(deadline)) = (&self.timeout, &self.deadline)
            && timeout.limit > deadline.limit
        {
            return Err(Limits::of("timeout").contradiction(&format!(
                "`ms` of {:?} is over the deadline's {:?}, so no attempt could use it up",
                timeout.limit, deadline.limit
            )));
        }
        // One that only observes bounds nothing.
        let is_bounded = self
            .deadline
            .is_some_and(|deadline| deadline.mode == Mode::Enforce);
        if self.bulkhead.is_some_and(|bulkhead| bulkhead.waits_without_end()) && !is_bounded {
            return Err(Limits::of("bulkhead").contradiction(
                "a queue needs `max_wait_ms`, or a deadline around it, or its callers could wait for ever",
            ));
        }
        if self.hedge.is_some() && self.retry.is_some() {
            return Err(Limits::of("hedge").contradiction(
                "not beside `retry`: each hedge would be repeated, and an outage multiplied",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
