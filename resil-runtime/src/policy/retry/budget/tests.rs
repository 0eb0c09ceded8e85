use std::collections::VecDeque;
use std::thread;

use proptest::prelude::*;

use super::{Budget, NEVER};
use crate::policy::retry::Retry;
use crate::sync::lock;
use crate::time::Moment;

const START: Moment = Moment::at_ms(0);

const fn at(ms: u64) -> Moment {
    Moment::at_ms(ms)
}

const fn retry(share: f64, min_per_s: u32) -> Retry {
    Retry::attempts(3).budget(share).budget_min_per_s(min_per_s)
}

fn count(budget: &Budget, calls: u32) {
    (0..calls).for_each(|_| budget.count_call());
}

/// How many retries it grants at one moment until it refuses.
fn drain(budget: &Budget, retry: &Retry, now: Moment) -> usize {
    (0..1_000_000).take_while(|_| budget.withdraw(retry, now)).count()
}

#[test]
fn is_small_until_it_is_asked() {
    assert!(size_of::<Budget>() <= 64, "{}", size_of::<Budget>());
    let budget = Budget::new(START);
    budget.count_call();
    budget.tick(|| at(5000));
    assert!(lock(&budget.window).is_none());
    assert_eq!(budget.due.load(super::Relaxed), NEVER);
    assert_eq!(budget.refused(), 0);
    budget.withdraw(&retry(0.2, 0), at(5000));
    assert!(lock(&budget.window).is_some());
    assert_eq!(budget.due.load(super::Relaxed), at(6000).as_nanos());
}

#[test]
fn the_call_that_just_finished_is_counted() {
    // Row 274.
    let budget = Budget::new(START);
    let retry = retry(1.0, 0);
    assert!(!budget.withdraw(&retry, START));
    budget.count_call();
    assert!(budget.withdraw(&retry, START));
    assert!(!budget.withdraw(&retry, START));
}

#[test]
fn grants_exactly_the_share_where_every_call_asks() {
    // Row 271, the clock frozen.
    for (share, expected) in [(0.1, 1000), (0.25, 2500), (0.5, 5000), (0.75, 7500), (0.29, 2900)] {
        let budget = Budget::new(START);
        let retry = retry(share, 0);
        assert!(!budget.withdraw(&retry, START), "nothing to begin with");
        let granted = (0..10_000).filter(|_| {
            budget.count_call();
            budget.withdraw(&retry, START)
        });
        assert_eq!(granted.count(), expected, "{share}");
        assert_eq!(budget.refused(), 10_000 - expected as u64 + 1);
    }
}

#[test]
fn the_minimum_holds_from_the_start_and_the_larger_of_both_counts() {
    // Row 272, with the larger of the two instead of their sum.
    let budget = Budget::new(START);
    let retry = retry(0.2, 10);
    assert_eq!(drain(&budget, &retry, at(300)), 100);
    count(&budget, 500);
    assert_eq!(drain(&budget, &retry, at(300)), 0);
    count(&budget, 500);
    assert_eq!(drain(&budget, &retry, at(300)), 100);
}

#[test]
fn without_a_budget_all_is_granted_and_nothing_kept() {
    let budget = Budget::new(START);
    let retry = Retry::attempts(3).budget_off();
    assert!((0..1000).all(|_| budget.withdraw(&retry, START)));
    assert!(lock(&budget.window).is_none());
}

#[test]
fn what_is_older_than_the_window_no_longer_counts() {
    let budget = Budget::new(START);
    let retry = retry(0.5, 0);
    count(&budget, 100);
    assert_eq!(drain(&budget, &retry, at(0)), 50);
    budget.tick(|| at(1000));
    assert!(
        !budget.withdraw(&retry, at(9999)),
        "the calls count, and so do the retries"
    );
    assert!(!budget.withdraw(&retry, at(10_000)), "neither does");
    count(&budget, 4);
    assert_eq!(drain(&budget, &retry, at(10_000)), 2);
}

#[test]
fn ticks_tell_when_calls_came() {
    let retry = retry(0.5, 0);
    for (ticks, granted) in [(true, 0), (false, 38)] {
        let budget = Budget::new(START);
        assert!(!budget.withdraw(&retry, START));
        count(&budget, 100);
        if ticks {
            budget.tick(|| at(1000));
        }
        // Without a look in between they seem to have come over all of 12.5 seconds, of which the last 9.5 are seen.
        assert_eq!(drain(&budget, &retry, at(12_500)), granted);
    }
}

#[test]
fn before_the_first_retry_the_average_holds() {
    // Young: all that was counted is within the window.
    let budget = Budget::new(START);
    count(&budget, 100);
    assert_eq!(drain(&budget, &retry(0.2, 0), at(9999)), 20);
    // Old: a thousand in a hundred seconds are ten a second; and ten seconds later none of it is left.
    let budget = Budget::new(START);
    count(&budget, 1000);
    let retry = retry(1.0, 0);
    assert_eq!(drain(&budget, &retry, at(99_999)), 100);
    count(&budget, 2);
    assert_eq!(drain(&budget, &retry, at(110_000)), 2);
}

#[test]
fn a_moment_before_an_earlier_one_changes_no_order() {
    let budget = Budget::new(at(5000));
    let retry = retry(0.5, 0);
    count(&budget, 4);
    assert!(budget.withdraw(&retry, at(6000)));
    budget.tick(|| at(1000));
    assert!(budget.withdraw(&retry, at(1000)));
    assert!(!budget.withdraw(&retry, START));
    count(&budget, 2);
    assert!(budget.withdraw(&retry, at(6000)));
    assert!(
        !budget.withdraw(&retry, Moment::FOREVER),
        "the end of time is only late"
    );
    budget.tick(|| Moment::FOREVER);
}

#[test]
fn an_outage_is_not_multiplied() {
    // 100 calls a second for a minute, all of them failing, each with up to three attempts.
    let budget = Budget::new(START);
    let retry = retry(0.2, 10);
    let mut last_ten: VecDeque<u64> = VecDeque::new();
    let (mut calls, mut attempts, mut refused) = (0_u32, 0_u32, 0_u64);
    for ms in (0..60_000).step_by(10) {
        budget.tick(|| at(ms));
        budget.count_call();
        calls += 1;
        attempts += 1;
        for _ in 1..3 {
            if !budget.withdraw(&retry, at(ms)) {
                refused += 1;
                break;
            }
            attempts += 1;
            last_ten.push_back(ms);
        }
        last_ten.retain(|then| then + 10_000 > ms);
        assert!(
            last_ten.len() <= 220,
            "{} at {ms} ms: over the share and a slot of it",
            last_ten.len()
        );
    }
    assert_eq!(calls, 6000);
    assert!(attempts <= calls * 12 / 10 + 100, "{attempts}");
    assert!(
        attempts >= calls * 119 / 100,
        "{attempts}: the share is there to be used"
    );
    assert_eq!(budget.refused(), refused);
}

#[test]
fn threads_share_one_budget() {
    let budget = Budget::new(START);
    let retry = retry(0.25, 0);
    let granted: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    (0..1000)
                        .filter(|ms| {
                            budget.count_call();
                            budget.tick(|| at(*ms));
                            budget.withdraw(&retry, at(*ms))
                        })
                        .count()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no assertion failed"))
            .sum()
    });
    assert!(granted <= 1000, "{granted}");
    assert_eq!(drain(&budget, &retry, at(1000)) + granted, 1000);
}

proptest! {
    /// Whatever the pauses: no call pays for more than its share, and each window has its minimum once.
    #[test]
    fn never_grants_more_than_was_earned(
        share in 0.01_f64..1.0,
        min_per_s in 0_u32..3,
        steps in prop::collection::vec((0_u64..4000, 0_u32..20, 0_u32..20, any::<bool>()), 1..100),
    ) {
        let budget = Budget::new(START);
        let retry = retry(share, min_per_s);
        let (mut ms, mut calls, mut granted, mut asked) = (0, 0_u32, 0_u32, 0_u32);
        for (pause, counted, wanted, ticks) in steps {
            ms += pause;
            if ticks {
                budget.tick(|| at(ms));
            }
            count(&budget, counted);
            calls += counted;
            asked += wanted;
            granted += (0..wanted).map(|_| u32::from(budget.withdraw(&retry, at(ms)))).sum::<u32>();
            let windows = u32::try_from(ms / 10_000).expect("few") + 1;
            let earned = share * f64::from(calls) + f64::from(min_per_s * 10 * windows);
            prop_assert!(f64::from(granted) <= earned + 1e-3, "{granted} of {earned}");
        }
        prop_assert_eq!(budget.refused(), u64::from(asked - granted));
    }
}
