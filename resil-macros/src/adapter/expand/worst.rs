//! The most that the policies of one method add up to: how often the dependency is called, and how long one call takes.

use std::time::Duration;

use crate::policy::Stated;

/// What one call comes to at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Worst {
    /// Calls of the adapter's method.
    pub(super) attempts: u64,
    /// Calls of its probe.
    pub(super) probes: u64,
    /// `None`: nothing bounds it. Jitter only shortens.
    pub(super) time: Option<Duration>,
    /// The same where each error asks for the longest wait that is granted.
    pub(super) asked_to_wait: Option<Duration>,
}

/// The numbers that matter for it.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// Of one attempt, where it is enforced.
    timeout: Option<Duration>,
    attempts: u64,
    waits: Waits,
    /// For a place in the bulkhead; `None` where only a deadline ends it.
    queue: Option<Duration>,
    /// For a turn by the rate limit.
    turn: Duration,
    /// Of the whole call, where it is enforced.
    deadline: Option<Duration>,
    /// After which time a further attempt starts, and how many may.
    hedge: Option<(Duration, u64)>,
    probe: bool,
    cached: bool,
    /// A function, and not a value.
    fallback: bool,
}

/// Between attempts.
#[derive(Clone, Copy, Debug)]
struct Waits {
    base: Duration,
    factor: f64,
    max: Duration,
}

/// Of a method for which these policies hold.
pub(super) fn case(policies: &[&Stated]) -> Worst {
    of(Numbers::of(policies))
}

fn of(numbers: Numbers) -> Worst {
    let (attempts, probes) = match numbers.hedge {
        // Asked once, before they race.
        Some((_, more)) => (more.saturating_add(1), u64::from(numbers.probe)),
        None => (numbers.attempts, if numbers.probe { numbers.attempts } else { 0 }),
    };
    let waits = numbers.waits.sum(numbers.attempts);
    let asked = times(numbers.waits.max, numbers.attempts.saturating_sub(1));
    Worst {
        attempts,
        probes,
        time: numbers.time(waits),
        asked_to_wait: numbers.time(asked.max(waits)),
    }
}

impl Numbers {
    fn of(policies: &[&Stated]) -> Self {
        let named = |name: &str| policies.iter().copied().find(|policy| policy.table.name == name);
        let enforced = |name: &str| named(name).filter(|policy| !policy.says("mode", "observe"));
        let millis = |policy: Option<&Stated>, option: &str| policy.and_then(|policy| policy.millis(option));
        let (retry, hedge) = (named("retry"), named("hedge"));
        Self {
            timeout: millis(enforced("timeout"), "ms"),
            attempts: retry.and_then(|retry| retry.whole("attempts")).unwrap_or(1),
            waits: Waits {
                base: millis(retry, "base_ms").unwrap_or_default(),
                factor: retry.and_then(|retry| retry.number("factor")).unwrap_or(1.0),
                max: millis(retry, "max_ms").unwrap_or_default(),
            },
            queue: match enforced("bulkhead").filter(|bulkhead| bulkhead.whole("max_queued") > Some(0)) {
                Some(bulkhead) => bulkhead.millis("max_wait_ms"),
                None => Some(Duration::ZERO),
            },
            turn: millis(enforced("rate_limit"), "max_wait_ms").unwrap_or_default(),
            deadline: millis(enforced("deadline"), "ms"),
            hedge: hedge.and_then(|hedge| Some((hedge.millis("after_ms")?, hedge.whole("max")?))),
            probe: enforced("circuit_breaker").is_some_and(|breaker| breaker.get("probe").is_some()),
            cached: named("cached").is_some(),
            fallback: named("fallback").is_some_and(|fallback| fallback.get("value").is_none()),
        }
    }

    /// With this much of waits between attempts.
    fn time(&self, waits: Duration) -> Option<Duration> {
        let within = match (self.attempting(waits), self.deadline) {
            // Before its own load it may wait for those of others.
            (Some(_), Some(deadline)) if self.cached => Some(deadline),
            (Some(time), Some(deadline)) => Some(time.min(deadline)),
            (time, deadline) => time.or(deadline),
        };
        if self.fallback {
            // Its time begins when that of the call is over.
            Some(within?.saturating_add(self.timeout?))
        } else {
            within
        }
    }

    /// Without a deadline.
    fn attempting(&self, waits: Duration) -> Option<Duration> {
        let timeout = self.timeout?;
        let attempt = timeout.saturating_add(self.queue?).saturating_add(self.turn);
        let probe = if self.probe { timeout } else { Duration::ZERO };
        if let Some((after, more)) = self.hedge {
            // The last starts after all the others, and they run beside it.
            return Some(probe.saturating_add(times(after, more)).saturating_add(attempt));
        }
        Some(times(attempt.saturating_add(probe), self.attempts).saturating_add(waits))
    }
}

impl Waits {
    /// The sum of the bounds of all waits between this many attempts.
    fn sum(&self, attempts: u64) -> Duration {
        let mut sum = Duration::ZERO;
        let mut grown = self.base.as_secs_f64();
        for done in 1..attempts {
            let bound = Duration::try_from_secs_f64(grown).unwrap_or(Duration::MAX);
            if bound >= self.max || bound.is_zero() || self.factor <= 1.0 {
                // All that follow are the same.
                let left = attempts - done;
                return sum.saturating_add(times(bound.min(self.max), left));
            }
            sum = sum.saturating_add(bound);
            grown *= self.factor;
        }
        sum
    }
}

fn times(duration: Duration, count: u64) -> Duration {
    duration.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// `300 ms`, `6.3 s`, `2 min 30 s`, `3 h`, `10 d`: never less than it is.
pub(super) fn readable(time: Duration) -> String {
    let millis = time.as_nanos().div_ceil(1_000_000);
    let (seconds, minutes) = (millis.div_ceil(1000), millis.div_ceil(60_000));
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..120_000 => {
            let (whole, rest) = (millis / 1000, format!("{:03}", millis % 1000));
            match rest.trim_end_matches('0') {
                "" => format!("{whole} s"),
                rest => format!("{whole}.{rest} s"),
            }
        }
        120_000..7_200_000 => with_rest(seconds, 60, "min", "s"),
        7_200_000..172_800_000 => with_rest(minutes, 60, "h", "min"),
        _ => format!("{} d", millis.div_ceil(86_400_000)),
    }
}

fn with_rest(amount: u128, size: u128, large: &str, small: &str) -> String {
    match amount % size {
        0 => format!("{} {large}", amount / size),
        rest => format!("{} {large} {rest} {small}", amount / size),
    }
}

#[cfg(test)]
mod tests;
