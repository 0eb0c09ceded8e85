//! How long a call waits before it is repeated.

use std::time::Duration;

use resil::{Jitter, Policies, Retry, testing};
use tokio::time::timeout;

use crate::clock::{Times, timed};
use crate::support::{Answer, Error, Port, Step, ms, wrap};

/// How a call ends that never succeeds, and the waits between its attempts.
async fn waits(retry: Retry, answer: Answer) -> (Answer, Vec<Duration>) {
    let times = Times::default();
    let noted = times.clone();
    let (port, _) = wrap(Policies::new().retry(retry.budget_off()), move |_| {
        noted.note();
        Step::Now(answer.clone())
    });
    (port.call().await, times.gaps())
}

async fn waits_after_faults(retry: Retry) -> Vec<Duration> {
    let (answer, waits) = waits(retry, Err(Error::Fault)).await;
    assert_eq!(answer, Err(Error::Fault));
    waits
}

fn exact(attempts: u32, base: u64) -> Retry {
    Retry::attempts(attempts).base(ms(base)).jitter(Jitter::None)
}

#[tokio::test(start_paused = true)]
async fn waits_grow_from_the_base_by_the_factor_up_to_the_maximum() {
    let day = 24 * 60 * 60 * 1000;
    let rows: [(&str, Retry, &[u64]); 10] = [
        // 7: ZeroRetryJitterTest.test
        ("7", exact(4, 0), &[0, 0, 0]),
        // 203: SupplierRetryTest.shouldReturnAfterThreeAttempts
        ("203", exact(3, 500).factor(1.0), &[500, 500]),
        // 205: SupplierRetryTest.shouldTakeIntoAccountBackoffFunction
        ("205", exact(3, 500), &[500, 1000]),
        // 226: RetryResilienceStrategyTests.MaxDelay_EnsureRespected
        ("226", exact(4, 123).max(ms(123)), &[123, 123, 123]),
        // 227: RetryHelperTests.Constant_Ok
        ("227, constant", exact(4, 1000).factor(1.0), &[1000, 1000, 1000]),
        // 227: RetryHelperTests.Exponential_Ok
        ("227, exponential", exact(4, 1000), &[1000, 2000, 4000]),
        // 227: RetryHelperTests.GetRetryDelay_Overflow*: a cap is always set
        (
            "227, overflow",
            exact(4, day).factor(1e6).max(ms(2 * day)),
            &[day, 2 * day, 2 * day],
        ),
        // RT-3: the first wait is the base, and the cap the last step
        ("RT-3", exact(4, 100).max(ms(250)), &[100, 200, 250]),
        (
            "the default",
            Retry::attempts(9).jitter(Jitter::None),
            &[100, 200, 400, 800, 1600, 3200, 6400, 10_000],
        ),
        (
            "a factor that is not whole",
            exact(4, 100).factor(1.5),
            &[100, 150, 225],
        ),
    ];
    for (row, retry, expected) in rows {
        let expected: Vec<_> = expected.iter().copied().map(ms).collect();
        assert_eq!(waits_after_faults(retry).await, expected, "row {row}");
    }
}

// 7: ZeroRetryJitterTest.test
#[tokio::test(start_paused = true)]
async fn without_waits_no_time_passes() {
    let (port, adapter) = wrap(Policies::new().retry(exact(4, 0)), |n| {
        Step::Now(if n < 4 { Err(Error::Fault) } else { Ok(n) })
    });
    assert_eq!(timed(port.call()).await, (Ok(4), ms(0)));
    assert_eq!(adapter.calls(), 4);
}

// 202: SupplierRetryTest.testDecorateSupplier
#[tokio::test(start_paused = true)]
async fn waits_once_before_the_second_attempt() {
    let (port, adapter) = wrap(Policies::new().retry(exact(3, 500)), |n| {
        Step::Now(if n == 1 { Err(Error::Fault) } else { Ok(n) })
    });
    assert_eq!(timed(port.call()).await, (Ok(2), ms(500)));
    assert_eq!(adapter.calls(), 2);
}

// 4: RetryTest.testRetryWithNoDelayAndJitter, with full jitter in place of a delay of 0 ± 400 ms
#[tokio::test(start_paused = true)]
async fn full_jitter_draws_each_wait_from_zero_to_the_bound() {
    testing::seed(4);
    let retry = Retry::attempts(1001).base(ms(400)).factor(1.0);
    let drawn = waits_after_faults(retry).await;
    assert_eq!(drawn.len(), 1000);
    assert!(drawn.iter().all(|wait| *wait <= ms(400)));
    // A fair draw has about 250 of a thousand in each quarter.
    for quarter in 0..4 {
        let (low, high) = (ms(100 * quarter), ms(100 * (quarter + 1)));
        let within = drawn.iter().filter(|wait| (low..high).contains(wait)).count();
        assert!(
            (180..320).contains(&within),
            "{within} waits from {low:?} to {high:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn equal_jitter_keeps_half_of_the_bound() {
    testing::seed(5);
    let retry = Retry::attempts(1001)
        .base(ms(400))
        .factor(1.0)
        .jitter(Jitter::Equal);
    let drawn = waits_after_faults(retry).await;
    assert!(drawn.iter().all(|wait| (ms(200)..=ms(400)).contains(wait)));
    let low = drawn.iter().filter(|wait| **wait < ms(300)).count();
    assert!(
        (400..600).contains(&low),
        "{low} of a thousand waits are in the lower half"
    );
}

#[tokio::test(start_paused = true)]
async fn a_seed_repeats_the_waits() {
    let retry = Retry::attempts(20);
    testing::seed(6);
    let first = waits_after_faults(retry).await;
    testing::seed(6);
    assert_eq!(waits_after_faults(retry).await, first);
    testing::seed(7);
    assert_ne!(waits_after_faults(retry).await, first);
}

// RT-1: no wait wraps round, however many attempts there were
#[tokio::test(start_paused = true)]
async fn waits_stay_at_the_maximum_for_ever() {
    let waits = waits_after_faults(exact(10_001, 100).max(ms(1000))).await;
    assert_eq!(waits.len(), 10_000);
    assert_eq!(waits[..4], [100, 200, 400, 800].map(ms));
    assert!(waits[4..].iter().all(|wait| *wait == ms(1000)));

    testing::seed(1);
    let waits = waits_after_faults(exact(10_001, 100).max(ms(1000)).jitter(Jitter::Equal)).await;
    assert!(waits.iter().all(|wait| *wait > ms(0) && *wait <= ms(1000)));
    assert!(waits[4..].iter().all(|wait| *wait >= ms(500)));
}

// RT-2: nothing uncapped is kept from one attempt to the next
#[tokio::test(start_paused = true)]
async fn a_hundred_retries_add_up() {
    let (port, adapter) = wrap(
        Policies::new().retry(exact(101, 1).max(ms(10)).budget_off()),
        |_| Step::Now(Err(Error::Fault)),
    );
    // 1 + 2 + 4 + 8, then 96 times 10.
    assert_eq!(timed(port.call()).await, (Err(Error::Fault), ms(975)));
    assert_eq!(adapter.calls(), 101);
}

// RT-3: with jitter too the cap is the last step
#[tokio::test(start_paused = true)]
async fn jitter_never_goes_over_the_maximum() {
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::None] {
        testing::seed(3);
        let retry = Retry::attempts(10_001).base(ms(100)).max(ms(250)).jitter(jitter);
        let waits = waits_after_faults(retry).await;
        assert_eq!(waits.len(), 10_000);
        assert!(waits.iter().all(|wait| *wait <= ms(250)), "{jitter:?}");
    }
}

// RT-4: the dependency's hint is a floor
#[tokio::test(start_paused = true)]
async fn a_wait_the_dependency_asked_for_is_kept() {
    let busy = |wait| Err(Error::Busy { wait: ms(wait) });
    let retry = Retry::attempts(2);
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::None] {
        testing::seed(4);
        let (answer, waits) = waits(retry.jitter(jitter), busy(3000)).await;
        assert_eq!(answer, busy(3000));
        assert_eq!(waits.len(), 1);
        assert!(
            (ms(3000)..=ms(10_000)).contains(&waits[0]),
            "{jitter:?}: {:?}",
            waits[0]
        );
    }
    // A shorter one than the backoff's own shortens nothing.
    assert_eq!(waits(exact(3, 400), busy(300)).await.1, [400, 800].map(ms));
    // The cap itself is not over it.
    assert_eq!(waits(retry, busy(10_000)).await.1, [ms(10_000)]);
}

// RT-4: a hint over the cap ends the retries at once
#[tokio::test(start_paused = true)]
async fn a_wait_that_is_over_the_maximum_ends_the_retries_at_once() {
    for wait in [10_001, 60 * 60 * 1000, u64::MAX] {
        let busy = Err(Error::Busy { wait: ms(wait) });
        let (answer, time) = timed(waits(Retry::attempts(3), busy.clone())).await;
        assert_eq!(answer, (busy, vec![]));
        assert_eq!(time, ms(0));
    }
}

// 206: SupplierRetryTest.shouldUseBackoffBiFunctionWhenRetryWithResult; here the error says how long
#[tokio::test(start_paused = true)]
async fn each_error_says_its_own_wait() {
    let (port, adapter) = wrap(Policies::new().retry(exact(3, 0)), |n| match n {
        1 | 2 => Step::Now(Err(Error::Busy {
            wait: ms(100 * u64::from(n)),
        })),
        _ => Step::Now(Ok(n)),
    });
    assert_eq!(timed(port.call()).await, (Ok(3), ms(300)));
    assert_eq!(adapter.calls(), 3);
}

// 225: RetryResilienceStrategyTests.ExecuteAsync_CanceledDuringDelay; cancelling is dropping, so the rows in which the
// cancelled function goes on and answers have no counterpart
#[tokio::test(start_paused = true)]
async fn a_call_dropped_during_the_wait_makes_no_other_attempt() {
    let (port, adapter) = wrap(Policies::new().retry(exact(3, 1000)), |_| {
        Step::Now(Err(Error::Fault))
    });
    assert!(timeout(ms(999), port.call()).await.is_err());
    tokio::time::sleep(ms(10_000)).await;
    assert_eq!(adapter.calls(), 1);
}
