use std::time::Duration;

use super::{Limiter, Rate, Turn};
use crate::RateLimit;
use crate::time::Moment;

pub(super) const AT_ONCE: Duration = Duration::ZERO;
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

pub(super) fn at(time: Duration) -> Moment {
    Moment::at_ms(0).after(time)
}

/// When it may start, and otherwise how long until it could.
fn ask(limiter: &Limiter, rate: Rate, max_wait: Duration, now: Duration) -> Result<Duration, Duration> {
    let turn = limiter.admit(rate, max_wait, at(now));
    turn.map(|turn| turn.at().since(at(Duration::ZERO)))
}

fn take(limiter: &Limiter, rate: Rate, max_wait: Duration, now: Duration) -> Turn {
    limiter
        .admit(rate, max_wait, at(now))
        .expect("its turn comes in time")
}

/// Asks at each of these milliseconds, without a wait. `-`: started; otherwise how many milliseconds are missing.
fn row(limit: RateLimit, asked: &[u64]) -> String {
    let limiter = Limiter::new();
    let answers =
        asked.iter().map(
            |now| match ask(&limiter, limit.rate(), AT_ONCE, Duration::from_millis(*now)) {
                Ok(start) => {
                    assert_eq!(start, Duration::from_millis(*now));
                    String::from("-")
                }
                Err(missing) => missing.as_millis().to_string(),
            },
        );
    answers.collect::<Vec<_>>().join(" ")
}

#[test]
fn as_many_as_the_burst_start_at_once_and_then_one_each_period() {
    let ten = RateLimit::new(10);
    let cases: &[(RateLimit, &[u64], &str)] = &[
        // Ten at once, then one each 100 ms; a quiet second brings all ten back, a quiet hour no more.
        (ten, &[0; 11], "- - - - - - - - - - 100"),
        (ten.burst(1), &[0, 0, 99, 100, 100, 199, 200], "- 100 1 - 100 1 -"),
        (
            ten.burst(3),
            &[0, 0, 0, 0, 100, 100, 300, 300, 300],
            "- - - 100 - 100 - - 100",
        ),
        (
            ten.burst(2),
            &[0, 0, 3_600_000, 3_600_000, 3_600_000],
            "- - - - 100",
        ),
        // A part of a period counts: at 150 ms half of the next one is earned.
        (ten.burst(1), &[0, 150, 249, 250], "- - 1 -"),
        (ten.burst(2), &[0, 0, 150, 150, 200], "- - - 50 -"),
        // A burst above the permits, and a time that is no second.
        (
            RateLimit::new(1).per(MS * 10).burst(2),
            &[0, 0, 0, 10, 20],
            "- - 10 - -",
        ),
        (
            RateLimit::new(600).per(60 * SECOND).burst(1),
            &[0, 99, 100],
            "- 1 -",
        ),
    ];
    for (limit, asked, expected) in cases {
        assert_eq!(row(*limit, asked), *expected, "{limit:?} asked at {asked:?}");
    }
}

#[test]
fn a_refusal_takes_nothing() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(1).rate();
    take(&limiter, rate, AT_ONCE, AT_ONCE);
    for _ in 0..1000 {
        assert_eq!(ask(&limiter, rate, AT_ONCE, 40 * MS), Err(60 * MS));
    }
    assert_eq!(ask(&limiter, rate, AT_ONCE, 100 * MS), Ok(100 * MS));
}

#[test]
fn who_may_wait_gets_the_next_turn_in_order_and_who_would_wait_too_long_is_refused() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(2).rate();
    let starts: Vec<_> = (0..6).map(|_| ask(&limiter, rate, 250 * MS, AT_ONCE)).collect();
    let expected = [Ok(0), Ok(0), Ok(100), Ok(200), Err(300), Err(300)];
    assert_eq!(
        starts,
        expected.map(|ms| ms.map(|ms| ms * MS).map_err(|ms: u32| ms * MS))
    );
    // A turn that is promised is not given to one who comes later and would not wait.
    assert_eq!(ask(&limiter, rate, AT_ONCE, 299 * MS), Err(MS));
    assert_eq!(ask(&limiter, rate, AT_ONCE, 300 * MS), Ok(300 * MS));
    // Exactly as long as one may wait is not too long.
    assert_eq!(ask(&limiter, rate, 50 * MS, 350 * MS), Ok(400 * MS));
}

#[test]
fn the_last_turn_that_is_given_back_is_the_next_ones() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(1).rate();
    take(&limiter, rate, SECOND, AT_ONCE);
    let (first, second) = (
        take(&limiter, rate, SECOND, AT_ONCE),
        take(&limiter, rate, SECOND, AT_ONCE),
    );
    assert_eq!((first.at(), second.at()), (at(100 * MS), at(200 * MS)));
    limiter.give_back(second);
    limiter.give_back(first);
    assert_eq!(ask(&limiter, rate, SECOND, 50 * MS), Ok(100 * MS));
}

#[test]
fn a_turn_that_is_given_back_behind_others_stays_unused() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(1).rate();
    take(&limiter, rate, SECOND, AT_ONCE);
    let first = take(&limiter, rate, SECOND, AT_ONCE);
    let second = take(&limiter, rate, SECOND, AT_ONCE);
    limiter.give_back(first);
    assert_eq!(second.at(), at(200 * MS), "who waits keeps its time");
    assert_eq!(ask(&limiter, rate, SECOND, AT_ONCE), Ok(300 * MS));
}

#[test]
fn a_permit_that_comes_back_after_a_quiet_time_changes_nothing() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(2).rate();
    let unused = take(&limiter, rate, AT_ONCE, AT_ONCE);
    limiter.give_back(unused);
    let (late, now) = (take(&limiter, rate, AT_ONCE, AT_ONCE), 10 * SECOND);
    limiter.give_back(late);
    let starts = [(); 3].map(|()| ask(&limiter, rate, AT_ONCE, now));
    assert_eq!(starts, [Ok(now), Ok(now), Err(100 * MS)]);
}

#[test]
fn a_clock_reading_from_before_an_other_ones_gives_nothing_away() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(10).burst(1).rate();
    take(&limiter, rate, AT_ONCE, SECOND);
    assert_eq!(ask(&limiter, rate, AT_ONCE, 990 * MS), Err(110 * MS));
    assert_eq!(ask(&limiter, rate, AT_ONCE, 1100 * MS), Ok(1100 * MS));
}

#[test]
fn numbers_that_change_forget_nothing_of_what_was_taken() {
    let limiter = Limiter::new();
    let (slow, fast) = (
        RateLimit::new(10).burst(2).rate(),
        RateLimit::new(100).burst(4).rate(),
    );
    take(&limiter, slow, AT_ONCE, AT_ONCE);
    take(&limiter, slow, AT_ONCE, AT_ONCE);
    // 200 ms are owed; a burst of four reaches 30 ms ahead.
    assert_eq!(ask(&limiter, fast, AT_ONCE, AT_ONCE), Err(170 * MS));
    assert_eq!(ask(&limiter, fast, AT_ONCE, 170 * MS), Ok(170 * MS));
    // Now 210 ms: with the old numbers, again, one may start once no more than 100 ms are owed.
    assert_eq!(ask(&limiter, slow, AT_ONCE, 100 * MS), Err(10 * MS));
    assert_eq!(ask(&limiter, slow, AT_ONCE, 110 * MS), Ok(110 * MS));
}

#[test]
fn a_period_is_rounded_up_to_the_nanosecond_and_the_burst_is_whole_all_the_same() {
    let third = RateLimit::new(3).rate();
    assert_eq!(
        third,
        Rate {
            period: 333_333_334,
            slack: 666_666_668
        }
    );
    assert_eq!(row(RateLimit::new(3), &[0; 4]), "- - - 333");
    let even = RateLimit::new(1_000_000).per(MS).rate();
    assert_eq!(
        even,
        Rate {
            period: 1,
            slack: 999_999
        }
    );
    let finer = RateLimit::new(1_000_000).per(Duration::from_nanos(1)).rate();
    assert_eq!(finer.period, 1);
}

#[test]
fn the_largest_numbers_count_and_never_reach_the_end_of_time() {
    for permits in [1, 1_000_000] {
        for burst in [1, 7, 1_000_000] {
            let limit = RateLimit::new(permits).per(TEN_YEARS).burst(burst);
            let (limiter, rate) = (Limiter::new(), limit.rate());
            // Two hundred years' worth is the most that is kept.
            let kept = if permits == 1 {
                burst.min(21)
            } else {
                burst.min(20_000_001)
            };
            for _ in 0..kept {
                assert_eq!(ask(&limiter, rate, AT_ONCE, AT_ONCE), Ok(AT_ONCE), "{limit:?}");
            }
            let period = TEN_YEARS / permits;
            assert_eq!(ask(&limiter, rate, AT_ONCE, AT_ONCE), Err(period), "{limit:?}");
            assert_eq!(ask(&limiter, rate, TEN_YEARS, AT_ONCE), Ok(period), "{limit:?}");
            assert_eq!(
                ask(&limiter, rate, AT_ONCE, 2 * period),
                Ok(2 * period),
                "{limit:?}"
            );
        }
    }
}

#[test]
fn numbers_that_nobody_checked_neither_panic_nor_stop_counting() {
    let limits = [
        RateLimit::new(0),
        RateLimit::new(u32::MAX).per(Duration::ZERO),
        RateLimit::new(1).per(Duration::MAX).burst(u32::MAX),
        RateLimit::new(1).burst(0),
    ];
    for limit in limits {
        let (limiter, rate) = (Limiter::new(), limit.rate());
        assert!(rate.period >= 1, "{limit:?}");
        for now in [Moment::from_nanos(0), at(AT_ONCE), Moment::FOREVER] {
            let taken = limiter.admit(rate, Duration::MAX, now);
            assert!(taken.is_ok_and(|turn| turn.at() >= now), "{limit:?}");
        }
    }
}

#[test]
fn threads_share_one_limit() {
    let limiter = Limiter::new();
    let rate = RateLimit::new(50).rate();
    let started: usize = std::thread::scope(|scope| {
        let asks = || {
            (0..100)
                .filter(|_| ask(&limiter, rate, AT_ONCE, AT_ONCE).is_ok())
                .count()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(asks)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
            .sum()
    });
    assert_eq!(started, 50);
}

#[test]
fn is_one_word() {
    assert_eq!(size_of::<Limiter>(), 8);
    assert!(size_of::<Turn>() <= 24, "{}", size_of::<Turn>());
}
