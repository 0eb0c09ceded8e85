use std::time::Duration;

use proptest::prelude::*;

use super::{bound, wait, wait_with_hint};
use crate::policy::retry::{Jitter, Retry};

const DAY: u64 = 86_400_000;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const fn retry(base: u64, factor: f64, max: u64) -> Retry {
    Retry::attempts(4)
        .base(ms(base))
        .factor(factor)
        .max(ms(max))
        .jitter(Jitter::None)
}

fn bounds(retry: &Retry, attempts: u32) -> Vec<Duration> {
    (1..=attempts).map(|n| bound(retry, n)).collect()
}

/// From zero to just below one, evenly.
fn draws(count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |n| f64::from(n) / f64::from(count))
}

#[test]
fn grows_to_the_maximum_and_stays_there_for_every_attempt() {
    // RT-1.
    let retry = retry(100, 2.0, 1000);
    let equal = retry.jitter(Jitter::Equal);
    assert_eq!(bounds(&retry, 5), [100, 200, 400, 800, 1000].map(ms));
    for n in (5..=10_000).chain([u32::MAX - 1, u32::MAX]) {
        assert_eq!(wait(&retry, n, 0.5), ms(1000), "after attempt {n}");
        for random in [0.0, 0.5, 1.0 - f64::EPSILON] {
            let wait = wait(&equal, n, random);
            assert!(
                wait > Duration::ZERO && wait <= ms(1000),
                "{wait:?} after attempt {n}"
            );
        }
    }
}

#[test]
fn a_hundred_retries_wait_no_longer_than_their_caps() {
    // RT-2.
    let retry = retry(1, 2.0, 10);
    let total: Duration = (1..=100).map(|n| wait(&retry, n, 0.5)).sum();
    assert_eq!(total, ms(975));
}

#[test]
fn the_first_wait_is_the_base_and_the_cap_is_the_last_word() {
    // RT-3.
    let retry = retry(100, 2.0, 250);
    let waits: Vec<_> = (1..=3).map(|n| wait(&retry, n, 0.5)).collect();
    assert_eq!(waits, [100, 200, 250].map(ms));
    assert_eq!(waits.iter().sum::<Duration>(), ms(550));
    for jitter in [Jitter::Full, Jitter::Equal] {
        for random in draws(10_000) {
            assert!(wait(&retry.jitter(jitter), 3, random) <= ms(250));
        }
    }
}

#[test]
fn what_the_dependency_asks_for_is_a_floor_up_to_the_maximum() {
    // RT-4.
    let retry = retry(100, 2.0, 10_000).jitter(Jitter::Full);
    let ask = |asked| wait_with_hint(&retry, 1, 0.5, Some(asked));
    assert_eq!(ask(ms(3000)), Some(ms(3000)));
    assert_eq!(ask(ms(10_000)), Some(ms(10_000)));
    assert_eq!(ask(ms(10_001)), None);
    assert_eq!(ask(Duration::from_secs(3600)), None);
    assert_eq!(ask(Duration::MAX), None);
    assert_eq!(ask(ms(20)), Some(ms(50)), "a shorter one shortens nothing");
    assert_eq!(wait_with_hint(&retry, 1, 0.5, None), Some(ms(50)));
}

#[test]
fn a_cap_below_every_step_holds_for_all() {
    // Row 226.
    assert_eq!(bounds(&retry(123, 2.0, 123), 3), [123; 3].map(ms));
}

#[test]
fn constant_and_exponential_steps_are_exact_and_overflow_is_the_cap() {
    // Row 227.
    assert_eq!(bounds(&retry(1000, 1.0, 60_000), 3), [1000; 3].map(ms));
    assert_eq!(bounds(&retry(1000, 2.0, 60_000), 3), [1000, 2000, 4000].map(ms));
    assert_eq!(bounds(&retry(1000, 1.5, 60_000), 3), [1000, 1500, 2250].map(ms));
    assert_eq!(bound(&retry(DAY, 2.0, 365 * DAY), 1001), ms(365 * DAY));
    assert_eq!(bound(&retry(DAY, 1.5, 365 * DAY), 100_001), ms(365 * DAY));
    let endless = retry(DAY, 2.0, DAY).max(Duration::MAX);
    assert_eq!(bound(&endless, 1001), Duration::MAX);
}

#[test]
fn long_waits_are_exact_to_the_nanosecond() {
    let odd = Duration::from_nanos(86_400_000_000_001);
    let retry = Retry::attempts(9).base(odd).max(ms(3650 * DAY));
    assert_eq!(bound(&retry, 11), odd * 1024);
}

#[test]
fn no_base_is_no_wait() {
    for factor in [1.0, 1.5, 1_000_000.0] {
        for n in [1, 2, 1000, u32::MAX] {
            assert_eq!(wait(&retry(0, factor, 1000), n, 0.9), Duration::ZERO);
        }
    }
}

#[test]
fn jitter_reaches_over_its_whole_range() {
    let retry = retry(100, 2.0, 1000);
    let at = |jitter, random| wait(&retry.jitter(jitter), 2, random);
    assert_eq!(at(Jitter::Full, 0.0), Duration::ZERO);
    assert_eq!(at(Jitter::Full, 0.25), ms(50));
    assert_eq!(at(Jitter::Full, 1.0), ms(200));
    assert_eq!(at(Jitter::Equal, 0.0), ms(100));
    assert_eq!(at(Jitter::Equal, 0.25), ms(125));
    assert_eq!(at(Jitter::Equal, 1.0), ms(200));
    assert_eq!(at(Jitter::None, 0.25), ms(200));
}

#[test]
fn an_attempt_numbered_zero_counts_as_the_first() {
    assert_eq!(bound(&retry(100, 2.0, 1000), 0), ms(100));
}

fn any_retry() -> impl Strategy<Value = Retry> {
    let jitter = prop_oneof![Just(Jitter::Full), Just(Jitter::Equal), Just(Jitter::None)];
    let durations = (any::<Duration>(), any::<Duration>());
    (durations, any::<f64>(), jitter).prop_map(|((base, max), factor, jitter)| {
        Retry::attempts(3)
            .base(base)
            .max(max)
            .factor(factor)
            .jitter(jitter)
    })
}

fn any_float() -> impl Strategy<Value = f64> {
    let odd = prop::sample::select(vec![
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        -1.0,
        2.0,
        f64::MAX,
    ]);
    prop_oneof![4 => 0.0..1.0, 1 => odd, 1 => any::<f64>()]
}

proptest! {
    #[test]
    fn no_number_whatever_it_is_panics_or_passes_the_cap(
        retry in any_retry(),
        factor in any_float(),
        attempt in any::<u32>(),
        random in any_float(),
        asked in any::<Option<Duration>>(),
    ) {
        for retry in [retry, retry.factor(factor)] {
            let bound = bound(&retry, attempt);
            prop_assert!(bound <= retry.max);
            let drawn = wait(&retry, attempt, random);
            prop_assert!(drawn <= bound);
            if retry.jitter == Jitter::Equal {
                prop_assert!(drawn >= bound / 2);
            }
            match (wait_with_hint(&retry, attempt, random, asked), asked) {
                (Some(wait), Some(asked)) => prop_assert_eq!(wait, drawn.max(asked)),
                (Some(wait), None) => prop_assert_eq!(wait, drawn),
                (None, asked) => prop_assert!(asked > Some(retry.max)),
            }
        }
    }

    #[test]
    fn bounds_never_shrink(base in 0_u64..100_000, factor in 1.0..1000.0, attempt in 1..u32::MAX) {
        let retry = Retry::attempts(3).base(ms(base)).factor(factor).max(ms(100_000));
        prop_assert!(bound(&retry, attempt) <= bound(&retry, attempt + 1));
        prop_assert_eq!(bound(&retry, 1), ms(base));
    }
}
