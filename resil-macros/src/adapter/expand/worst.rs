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
        Some((_, more)) => (more.saturating_add(1), 0),
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
        if let Some((after, more)) = self.hedge {
            // The last starts after all the others, and they run beside it.
            return Some(times(after, more).saturating_add(attempt));
        }
        let probe = if self.probe { timeout } else { Duration::ZERO };
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
mod tests {
    use super::*;

    fn numbers(words: &str) -> Numbers {
        let stated = Stated::in_words(words);
        Numbers::of(&stated.iter().collect::<Vec<_>>())
    }

    /// Attempts, time, and the time where each error asks to wait.
    fn shown(numbers: Numbers) -> (u64, String, String) {
        let worst = of(numbers);
        let time = |time: Option<Duration>| time.map_or_else(|| "unbounded".to_owned(), readable);
        (worst.attempts, time(worst.time), time(worst.asked_to_wait))
    }

    /// What holds for `words`; the third only where it differs.
    fn case(words: &str, attempts: u64, time: &str, asked: &str) {
        assert_eq!(
            shown(numbers(words)),
            (attempts, time.to_owned(), asked.to_owned()),
            "{words}"
        );
    }

    #[test]
    fn attempts_and_the_waits_between_them_add_up() {
        case("timeout(ms = 2000)", 1, "2 s", "2 s");
        case("retry, timeout(ms = 2000)", 3, "6.3 s", "26 s");
        case("retry(attempts = 1), timeout(ms = 2000)", 1, "2 s", "2 s");
        case(
            "retry(attempts = 4, base_ms = 0), timeout(ms = 5)",
            4,
            "20 ms",
            "30.02 s",
        );
        case(
            "retry(attempts = 4, jitter = \"none\", factor = 1), timeout(ms = 5)",
            4,
            "320 ms",
            "30.02 s",
        );
        // 100, 150, 225 ms.
        case(
            "retry(attempts = 4, factor = 1.5), timeout(ms = 5)",
            4,
            "495 ms",
            "30.02 s",
        );
        // 100, 200, 400, 500, 500 ms: each wait has its bound.
        case(
            "retry(attempts = 6, max_ms = 500), timeout(ms = 1)",
            6,
            "1.706 s",
            "2.506 s",
        );
    }

    #[test]
    fn waiting_for_a_place_and_for_a_turn_is_part_of_each_attempt() {
        case(
            "retry, timeout(ms = 1000), bulkhead(max_concurrent = 1)",
            3,
            "3.3 s",
            "23 s",
        );
        let queue = "bulkhead(max_concurrent = 1, max_queued = 2, max_wait_ms = 250";
        case(
            &format!("retry, timeout(ms = 1000), {queue})"),
            3,
            "4.05 s",
            "23.75 s",
        );
        case(
            &format!("timeout(ms = 1000), {queue}, mode = \"observe\")"),
            1,
            "1 s",
            "1 s",
        );
        case("timeout(ms = 1000), rate_limit(permits = 1)", 1, "1 s", "1 s");
        case(
            "timeout(ms = 1000), rate_limit(permits = 1, max_wait_ms = 40)",
            1,
            "1.04 s",
            "1.04 s",
        );
        case(
            "timeout(ms = 1000), rate_limit(permits = 1, max_wait_ms = 40, mode = \"observe\")",
            1,
            "1 s",
            "1 s",
        );
        let both = format!(
            "retry(attempts = 2), timeout(ms = 1000), {queue}), rate_limit(permits = 1, max_wait_ms = 40)"
        );
        case(&both, 2, "2.68 s", "12.58 s");
    }

    #[test]
    fn a_deadline_is_the_last_word() {
        case("retry, timeout(ms = 2000), deadline(ms = 5000)", 3, "5 s", "5 s");
        case(
            "retry, timeout(ms = 2000), deadline(ms = 10_000)",
            3,
            "6.3 s",
            "10 s",
        );
        case("deadline(ms = 5000), retry", 3, "5 s", "5 s");
        case(
            "deadline(ms = 5000, mode = \"observe\"), timeout(ms = 9000)",
            1,
            "9 s",
            "9 s",
        );
    }

    #[test]
    fn what_nothing_bounds_is_unbounded() {
        case("", 1, "unbounded", "unbounded");
        case("retry", 3, "unbounded", "unbounded");
        case("timeout(ms = 5, mode = \"observe\")", 1, "unbounded", "unbounded");
        let endless = Numbers {
            queue: None,
            ..numbers("timeout(ms = 5)")
        };
        assert_eq!(of(endless).time, None);
        let deadline = Some(Duration::from_secs(5));
        assert_eq!(of(Numbers { deadline, ..endless }).time, deadline);
    }

    #[test]
    fn hedges_run_beside_each_other() {
        case("hedge(after_ms = 80), timeout(ms = 500)", 2, "580 ms", "580 ms");
        case(
            "hedge(after_ms = 80, max = 3), timeout(ms = 500)",
            4,
            "740 ms",
            "740 ms",
        );
        case(
            "hedge(after_ms = 0, max = 2), timeout(ms = 500)",
            3,
            "500 ms",
            "500 ms",
        );
        case(
            "hedge(after_ms = 80), timeout(ms = 500), deadline(ms = 550)",
            2,
            "550 ms",
            "550 ms",
        );
    }

    #[test]
    fn who_waits_for_the_load_of_another_waits_within_the_deadline() {
        case(
            "cached(ttl_ms = 60_000), timeout(ms = 200)",
            1,
            "200 ms",
            "200 ms",
        );
        case(
            "cached(ttl_ms = 60_000), timeout(ms = 200), deadline(ms = 500)",
            1,
            "500 ms",
            "500 ms",
        );
    }

    #[test]
    fn a_fallback_has_a_timeout_of_its_own() {
        case("fallback(with = f), timeout(ms = 500)", 1, "1 s", "1 s");
        case("fallback(value = 0), timeout(ms = 500)", 1, "500 ms", "500 ms");
        case(
            "fallback(with = f), retry, timeout(ms = 2000), deadline(ms = 5000)",
            3,
            "7 s",
            "7 s",
        );
        // The deadline is over when it begins.
        case(
            "fallback(with = f), deadline(ms = 5000)",
            1,
            "unbounded",
            "unbounded",
        );
    }

    #[test]
    fn a_probe_may_go_before_each_attempt() {
        let worst = of(numbers("retry, timeout(ms = 2000), circuit_breaker(probe = f)"));
        assert_eq!((worst.attempts, worst.probes), (3, 3));
        assert_eq!(worst.time, Some(Duration::from_millis(12_300)));
        let observing = of(numbers(
            "timeout(ms = 2000), circuit_breaker(probe = f, mode = \"observe\")",
        ));
        assert_eq!(
            (observing.probes, observing.time),
            (0, Some(Duration::from_secs(2)))
        );
        let raced = of(numbers(
            "hedge(after_ms = 80), timeout(ms = 500), circuit_breaker(probe = f)",
        ));
        assert_eq!((raced.attempts, raced.probes), (2, 0));
    }

    #[test]
    fn the_largest_numbers_of_all_end() {
        let most = "retry(attempts = 1_000_000, base_ms = 315_360_000_000, factor = 1_000_000, max_ms = 315_360_000_000), \
                    timeout(ms = 315_360_000_000), bulkhead(max_concurrent = 1, max_queued = 1, max_wait_ms = 315_360_000_000), \
                    rate_limit(permits = 1, max_wait_ms = 315_360_000_000)";
        let (attempts, time, asked) = shown(numbers(most));
        assert_eq!(attempts, 1_000_000);
        assert_eq!(
            (time.as_str(), asked.as_str()),
            ("14599996350 d", "14599996350 d")
        );
        let slow = "retry(attempts = 1_000_000, base_ms = 1, factor = 1.000001, max_ms = 315_360_000_000), timeout(ms = 1)";
        assert!(of(numbers(slow)).time.is_some());
        let raced = "hedge(after_ms = 315_360_000_000, max = 1_000_000), timeout(ms = 1)";
        assert!(of(numbers(raced)).time.is_some());
        assert_eq!(times(Duration::MAX, u64::MAX), Duration::MAX);
    }

    #[test]
    fn times_are_readable_and_never_too_short() {
        let cases = [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (6300, "6.3 s"),
            (1001, "1.001 s"),
            (119_999, "119.999 s"),
            (120_000, "2 min"),
            (150_001, "2 min 31 s"),
            (7_199_001, "120 min"),
            (7_200_000, "2 h"),
            (7_260_001, "2 h 2 min"),
            (172_800_000, "2 d"),
            (172_800_001, "3 d"),
        ];
        for (millis, text) in cases {
            assert_eq!(readable(Duration::from_millis(millis)), text);
        }
        assert_eq!(readable(Duration::from_nanos(1)), "1 ms");
    }
}
