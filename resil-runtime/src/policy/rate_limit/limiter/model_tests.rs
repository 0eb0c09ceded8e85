//! Beside another implementation, and beside what a limit means.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};
use proptest::prelude::*;

use super::Limiter;
use super::tests::{AT_ONCE, at};
use crate::RateLimit;
use crate::time::Moment;

/// Any limit whose numbers are exact, so that the reference may use plain arithmetic.
fn limits() -> impl Strategy<Value = (u32, u64, u32)> {
    (1..2000_u32, 1..5_000_000_u64, 1..20_u32)
}

fn limit((permits, period, burst): (u32, u64, u32)) -> RateLimit {
    RateLimit::new(permits)
        .per(Duration::from_nanos(period) * permits)
        .burst(burst)
}

/// Pauses between the asks: mostly about as long as a period, so that it is the limit that decides.
fn pauses(period: u64) -> impl Strategy<Value = Vec<u64>> {
    let pause = prop_oneof![3 => Just(0), 4 => 0..=2 * period, 1 => 0..=40 * period];
    proptest::collection::vec(pause, 1..120)
}

fn arrivals() -> impl Strategy<Value = ((u32, u64, u32), Vec<u64>)> {
    limits().prop_flat_map(|limit| (Just(limit), pauses(limit.1)))
}

proptest! {
    #[test]
    fn decides_as_another_limiter_does((numbers, pauses) in arrivals()) {
        let clock = FakeRelativeClock::default();
        let burst = NonZeroU32::new(numbers.2).expect("it is drawn from 1 on");
        let quota = Quota::with_period(Duration::from_nanos(numbers.1)).expect("it is above zero");
        let other = RateLimiter::direct_with_clock(quota.allow_burst(burst), clock.clone());
        let (limiter, rate) = (Limiter::new(), limit(numbers).rate());
        let mut now = AT_ONCE;
        for pause in pauses {
            now += Duration::from_nanos(pause);
            clock.advance(Duration::from_nanos(pause));
            let ours = limiter.admit(rate, AT_ONCE, at(now)).is_ok();
            prop_assert_eq!(ours, other.check().is_ok(), "at {:?}", now);
        }
    }

    #[test]
    fn no_window_ever_holds_more_than_the_burst_and_what_came_back_within_it(
        (numbers, pauses) in arrivals(),
        patience in 0..10_u32,
        given_back in proptest::collection::vec(proptest::bool::weighted(0.2), 120),
    ) {
        let (_, period, burst) = numbers;
        let (limiter, rate) = (Limiter::new(), limit(numbers).rate());
        let max_wait = Duration::from_nanos(period) * patience;
        let mut now = AT_ONCE;
        let mut starts: Vec<Moment> = Vec::new();
        for (pause, unused) in pauses.into_iter().zip(given_back) {
            now += Duration::from_nanos(pause);
            match limiter.admit(rate, max_wait, at(now)) {
                Ok(turn) if unused => limiter.give_back(turn),
                Ok(turn) => {
                    prop_assert!(turn.at() >= at(now) && turn.at().since(at(now)) <= max_wait);
                    starts.push(turn.at());
                }
                Err(_) => {}
            }
        }
        prop_assert!(starts.is_sorted(), "turns come in the order of the asking");
        for (first, start) in starts.iter().enumerate() {
            for (count, end) in (1..).zip(&starts[first..]) {
                let back = u64::from(burst) * period + u64::try_from(end.since(*start).as_nanos())?;
                prop_assert!(count * period <= back, "{} within {:?}", count, end.since(*start));
            }
        }
    }

    /// Nobody is refused for whom a permit was there: each refusal names the first moment at which there is one.
    #[test]
    fn what_is_missing_is_exact_to_the_nanosecond((numbers, pauses) in arrivals(), patience in 0..10_u32) {
        let (limiter, rate) = (Limiter::new(), limit(numbers).rate());
        let max_wait = Duration::from_nanos(numbers.1) * patience;
        let mut now = AT_ONCE;
        for pause in pauses {
            now += Duration::from_nanos(pause);
            if let Err(missing) = limiter.admit(rate, max_wait, at(now)) {
                let same = || Limiter { all_back: limiter.all_back.load(Relaxed).into() };
                let almost = missing.saturating_sub(Duration::from_nanos(1));
                prop_assert!(missing > max_wait);
                prop_assert!(same().admit(rate, AT_ONCE, at(now + almost)).is_err());
                prop_assert!(same().admit(rate, AT_ONCE, at(now + missing)).is_ok());
            }
        }
    }
}
