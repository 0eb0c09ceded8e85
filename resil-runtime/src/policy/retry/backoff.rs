//! How long to wait before the next attempt.

use std::time::Duration;

use super::config::{Jitter, Retry};

/// The bound of the wait after the attempt with this number, which counts from 1: `min(max, base · factor^(attempt − 1))`.
///
/// Never overflows: what is too large to be computed is over `max`, and `max` is the answer.
pub(crate) fn bound(retry: &Retry, attempt: u32) -> Duration {
    if retry.base.is_zero() {
        return Duration::ZERO;
    }
    let exponent = attempt.saturating_sub(1);
    let grown = match whole(retry.factor) {
        Some(factor) => grown_exactly(retry.base, factor, exponent),
        None => grown(retry.base, retry.factor, exponent),
    };
    grown.unwrap_or(Duration::MAX).min(retry.max)
}

/// The wait after the attempt with this number, drawn with `random` from zero to one; never over `max`.
pub(crate) fn wait(retry: &Retry, attempt: u32, random: f64) -> Duration {
    let bound = bound(retry, attempt);
    let wait = match retry.jitter {
        Jitter::Full => part(bound, random),
        Jitter::Equal => (bound / 2).saturating_add(part(bound / 2, random)),
        Jitter::None => bound,
    };
    wait.min(retry.max)
}

/// The same, but at least as long as the dependency asked for. `None` where it asked for more than `max`: then there is no
/// next attempt.
pub(crate) fn wait_with_hint(
    retry: &Retry,
    attempt: u32,
    random: f64,
    retry_after: Option<Duration>,
) -> Option<Duration> {
    let asked = retry_after.unwrap_or_default();
    (asked <= retry.max).then(|| wait(retry, attempt, random).max(asked))
}

/// `base · factor^exponent` where both are whole, to the nanosecond.
fn grown_exactly(base: Duration, factor: u32, exponent: u32) -> Option<Duration> {
    let nanos = u128::from(factor)
        .checked_pow(exponent)
        .and_then(|growth| base.as_nanos().checked_mul(growth))?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

/// `base · factor^exponent`; infinity and what is no number are too large.
fn grown(base: Duration, factor: f64, exponent: u32) -> Option<Duration> {
    Duration::try_from_secs_f64(base.as_secs_f64() * factor.powf(f64::from(exponent))).ok()
}

/// The factor as a whole number, if it is one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, and within the range"
)]
fn whole(factor: f64) -> Option<u32> {
    let is_whole = factor.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&factor);
    is_whole.then_some(factor as u32)
}

/// A share of `whole` from none to all of it; what is no number takes none.
fn part(whole: Duration, share: f64) -> Duration {
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    Duration::try_from_secs_f64(whole.as_secs_f64() * share).map_or(whole, |part| part.min(whole))
}

#[cfg(test)]
mod tests;
