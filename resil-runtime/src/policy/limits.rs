//! Checks of what the builders were given, by the table of options.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::options::{MAX_COUNT, MAX_MS, OptionTable, POLICIES, Value};

/// A number in [`Policies`](super::Policies) that is outside its limits, or two that contradict.
///
/// ```
/// use resil_runtime::{Policies, Retry};
///
/// let error = Policies::new().retry(Retry::attempts(0)).check().unwrap_err();
/// assert_eq!(error.to_string(), "`attempts` of `retry` must be from 1 to 1000000, got 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoliciesError {
    message: String,
}

impl PoliciesError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for PoliciesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for PoliciesError {}

/// The limits of one policy's options.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    policy: &'static str,
    options: &'static [OptionTable],
}

impl Limits {
    /// Of the policy with this name, which must be in the table.
    pub(super) fn of(policy: &'static str) -> Self {
        let options = POLICIES
            .iter()
            .find(|table| table.name == policy)
            .map_or(&[][..], |table| table.options);
        debug_assert!(!options.is_empty(), "`{policy}` is in the table of options");
        Self { policy, options }
    }

    fn value(self, option: &str) -> Option<Value> {
        self.options
            .iter()
            .find(|table| table.name == option)
            .map(|table| table.value)
    }

    fn error(self, option: &str, must: fmt::Arguments<'_>) -> PoliciesError {
        PoliciesError::new(format!("`{option}` of `{}` must be {must}", self.policy))
    }

    pub(super) fn contradiction(self, what: &str) -> PoliciesError {
        PoliciesError::new(format!("`{}`: {what}", self.policy))
    }

    pub(super) fn count(self, option: &str, count: Option<u32>) -> Result<(), PoliciesError> {
        match (self.value(option), count) {
            (Some(Value::Count { min }), Some(count)) if !(min..=MAX_COUNT).contains(&count) => {
                Err(self.error(option, format_args!("from {min} to {MAX_COUNT}, got {count}")))
            }
            _ => Ok(()),
        }
    }

    /// Milliseconds are what the attribute and the configuration speak; finer durations are allowed here.
    pub(super) fn duration(self, option: &str, duration: Option<Duration>) -> Result<(), PoliciesError> {
        match (self.value(option), duration) {
            (Some(Value::Millis { min }), Some(duration))
                if (min > 0 && duration.is_zero()) || duration > Duration::from_millis(MAX_MS) =>
            {
                let least = if min > 0 { "above zero" } else { "zero or more" };
                Err(self.error(
                    option,
                    format_args!("{least} and at most ten years, got {duration:?}"),
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn rate(self, option: &str, rate: Option<f64>) -> Result<(), PoliciesError> {
        match rate {
            Some(rate) if !(rate > 0.0 && rate <= 1.0) => {
                Err(self.error(option, format_args!("above 0 and at most 1, got {rate}")))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn factor(self, option: &str, factor: f64) -> Result<(), PoliciesError> {
        if (1.0..=f64::from(MAX_COUNT)).contains(&factor) {
            Ok(())
        } else {
            Err(self.error(option, format_args!("from 1 to {MAX_COUNT}, got {factor}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Omitted;
    use crate::policy::cached::Cached;
    use crate::policy::hedge::Hedge;
    use crate::{Bulkhead, CircuitBreaker, RateLimit, Retry};

    /// What the table says of an option that is left out, as a number.
    fn default(policy: &str, option: &str) -> f64 {
        let table = POLICIES.iter().find(|table| table.name == policy).expect(policy);
        match table
            .options
            .iter()
            .find(|table| table.name == option)
            .expect(option)
            .default
        {
            Omitted::Is(text) => text
                .split(' ')
                .next()
                .and_then(|number| number.parse().ok())
                .expect(text),
            other => panic!("`{option}` has no default number: {other:?}"),
        }
    }

    fn ms(duration: Duration) -> f64 {
        duration.as_secs_f64() * 1000.0
    }

    fn count(count: Option<u32>) -> f64 {
        f64::from(count.expect("it is on by default"))
    }

    #[test]
    fn the_builders_have_the_defaults_of_the_table() {
        let retry = Retry::default();
        let breaker = CircuitBreaker::new().rules();
        let slow = CircuitBreaker::new()
            .slow(Duration::from_secs(1))
            .rules()
            .slow
            .expect("it was given");
        let window = match breaker.window {
            crate::policy::circuit_breaker::Window::Calls(calls) => f64::from(calls),
            crate::policy::circuit_breaker::Window::Time(_) => panic!("the default window counts calls"),
        };
        let cached = Cached::new(Duration::from_secs(1));
        let rate = RateLimit::new(7);
        let own = [
            ("retry", "attempts", f64::from(retry.attempts)),
            ("retry", "base_ms", ms(retry.base)),
            ("retry", "factor", retry.factor),
            ("retry", "max_ms", ms(retry.max)),
            ("retry", "budget", retry.budget.expect("it is on by default")),
            ("retry", "budget_min_per_s", f64::from(retry.budget_min_per_s)),
            (
                "circuit_breaker",
                "failure_threshold",
                count(breaker.failure_threshold),
            ),
            (
                "circuit_breaker",
                "failure_rate",
                breaker.failure_rate.expect("it is on by default"),
            ),
            ("circuit_breaker", "window", window),
            ("circuit_breaker", "slow_rate", slow.rate),
            ("circuit_breaker", "reset_after_ms", ms(breaker.reset_after)),
            (
                "circuit_breaker",
                "half_open_calls",
                f64::from(breaker.half_open_calls),
            ),
            ("bulkhead", "max_queued", f64::from(Bulkhead::new(1).max_queued)),
            ("cached", "capacity", f64::from(cached.capacity)),
            ("cached", "stale_if_error_ms", ms(cached.stale_if_error)),
            ("rate_limit", "per_ms", ms(rate.per)),
            ("rate_limit", "max_wait_ms", ms(rate.max_wait)),
            ("hedge", "max", f64::from(Hedge::new(Duration::ZERO).max)),
        ];
        for (policy, option, value) in own {
            assert!(
                (default(policy, option) - value).abs() < 1e-9,
                "`{option}` of `{policy}` is {value}"
            );
        }
        // And where a default is another option's.
        assert_eq!(breaker.min_calls, 10);
        assert_eq!(
            CircuitBreaker::new()
                .failure_rate(0.5)
                .window(4)
                .rules()
                .min_calls,
            4
        );
        assert_eq!(breaker.reset_after_timeout, breaker.reset_after);
        assert_eq!(breaker.half_open_max, breaker.reset_after);
        assert_eq!(
            CircuitBreaker::new().half_open_calls(3).rules().success_threshold,
            3
        );
    }
}
