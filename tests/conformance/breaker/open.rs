//! How long the circuit stays open: `reset_after_ms` and its kin, `max_reset_after_ms`, an error's `retry_after`, an operator.
//! Rows of sections 11 to 13, BRK-10.

use std::time::Duration;

use resil::{CircuitBreaker, CircuitState, Policies, Reset, Timeout};
use tokio::time::advance;

use super::rig::{Rig, busy, cb, in_a_row, rows, word};
use crate::support::{Error, Step, ms};

const MINUTE: u64 = 60_000;

// BRK-10: the paused clock is all that counts; no wall clock is read that could be set back or forward.
#[tokio::test(start_paused = true)]
async fn it_stays_open_for_its_time() {
    rows([
        ("BRK-10", in_a_row(1), "E CBO +999 CBO +1 ok closed", 2),
        (
            "180: shouldTransitionToHalfOpenAfterWaitDuration",
            cb(5, 0.5, 5_000, 4),
            "E*5 open CBO +3000 CBO +3000 ok half_open",
            6,
        ),
        // 195: no timer ends it; it is open until a call comes.
        ("195", in_a_row(1), "E +86400000 open ok closed", 2),
        (
            "refused calls do not prolong it",
            in_a_row(1),
            "E +500 CBO*5 +499 CBO*5 +1 ok closed",
            2,
        ),
        (
            "a failed probe starts it anew",
            in_a_row(1),
            "E +5000 E open CBO +999 CBO +1 ok closed",
            3,
        ),
    ])
    .await;
}

/// How long each of so many openings lasts, as the refused caller is told, one probe failing after the other.
async fn open_times(rig: &Rig, openings: usize, failure: fn() -> Step) -> Vec<u64> {
    let mut times = Vec::new();
    for _ in 0..openings {
        rig.call(failure()).await.expect_err("the step is a failure");
        assert_eq!(rig.state(), CircuitState::Open);
        let wait = rig.refused().await.retry_after().expect("time ends it");
        advance(wait.saturating_sub(ms(1))).await;
        rig.refused().await;
        advance(ms(1)).await;
        times.push(u64::try_from(wait.as_millis()).expect("it is no longer than ten years"));
    }
    times
}

fn plain() -> Step {
    Step::Now(Err(Error::Fault))
}

// 182: shouldTransitionToHalfOpenAfterWaitInterval, with our doubling
#[tokio::test(start_paused = true)]
async fn each_reopening_doubles_it_up_to_a_bound() {
    rows([(
        "182",
        cb(5, 1.0, 5_000, 4).max_reset_after(ms(MINUTE)),
        "E*5 +3000 CBO +2000 E open +6000 CBO +3999 CBO +1 E +19999 CBO +1 ok half_open",
        8,
    )])
    .await;
    let rig = Rig::new(in_a_row(1).max_reset_after(ms(5_000)));
    assert_eq!(
        open_times(&rig, 5, plain).await,
        [1_000, 2_000, 4_000, 5_000, 5_000]
    );
    rig.run("ok closed").await;
    assert_eq!(
        open_times(&rig, 2, plain).await,
        [1_000, 2_000],
        "closing starts it anew"
    );
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (2, 5));

    let rig = Rig::new(in_a_row(1));
    assert_eq!(
        open_times(&rig, 4, plain).await,
        [1_000; 4],
        "without a bound it does not grow"
    );

    let rig = Rig::new(in_a_row(1).max_reset_after(ms(60 * MINUTE)));
    let times = open_times(&rig, 70, plain).await;
    assert_eq!(times[..3], [1_000, 2_000, 4_000]);
    assert_eq!(times[12..], [3_600_000; 58], "no number of reopenings wraps");
}

// 212: …WithBreakDurationGenerator: another time for another cause is what a timeout can have
#[tokio::test(start_paused = true)]
async fn a_timeout_may_keep_it_open_for_another_time() {
    let under = |breaker| {
        Rig::under(
            Policies::new()
                .timeout(Timeout::new(ms(100)))
                .circuit_breaker(breaker),
        )
    };
    let breaker = in_a_row(1).reset_after(ms(30_000)).reset_after_timeout(ms(1_000));
    let rig = under(breaker);
    rig.run("TOX open CBO +500 CBO +499 CBO +1 TOX open +999 CBO +1 ok closed")
        .await;
    rig.run("E open +29999 CBO +1 E open +29999 CBO +1 ok closed")
        .await;

    let rig = under(breaker.failure_threshold(2));
    rig.run("E TOX open +1000 ok closed").await;
    rig.run("TOX E open +29999 CBO +1 ok closed").await;

    let rig = under(breaker.max_reset_after(ms(40_000)));
    let hang = || Step::Hang;
    assert_eq!(open_times(&rig, 3, hang).await, [1_000, 2_000, 4_000]);
    let rig = under(breaker.max_reset_after(ms(40_000)));
    assert_eq!(open_times(&rig, 2, plain).await, [30_000, 40_000]);
}

/// An error that opens it and has a `retry_after` keeps it open at least that long, within bounds.
#[tokio::test(start_paused = true)]
async fn the_dependency_may_keep_it_open_longer() {
    for (breaker, wish, open_for) in [
        (in_a_row(1), 3_000, 3_000),
        (in_a_row(1), 999, 1_000),
        (in_a_row(1), 10_001, 10_000),
        (in_a_row(1).max_reset_after(ms(4_000)), 3_999, 3_999),
        (in_a_row(1).max_reset_after(ms(4_000)), MINUTE, 4_000),
        (in_a_row(1).max_reset_after(ms(MINUTE)), 40_000, 40_000),
        // 181: shouldTransitionToHalfOpenAfterPassedWaitUntil
        (
            in_a_row(1).max_reset_after(ms(60 * MINUTE)),
            30 * MINUTE,
            30 * MINUTE,
        ),
        // 217: OnActionFailureAsync_EnsureBreakDurationGeneration
        (
            in_a_row(1).max_reset_after(ms(42 * MINUTE)),
            42 * MINUTE,
            42 * MINUTE,
        ),
    ] {
        let rig = Rig::new(breaker);
        for opening in ["from closed", "from half-open"] {
            assert_eq!(word(&rig.call(busy(wish)).await), "busy");
            let told = rig.refused().await;
            assert_eq!(told.retry_after(), Some(ms(open_for)), "{opening}, {wish} ms");
            assert_eq!(told.code().unwrap().as_str(), "busy");
            advance(ms(open_for - 1)).await;
            rig.run("CBO +1").await;
        }
        rig.run("ok closed").await;
    }
}

/// Only the error that opens it has a say.
#[tokio::test(start_paused = true)]
async fn an_earlier_wish_has_no_say() {
    let rig = Rig::new(in_a_row(2));
    assert_eq!(word(&rig.call(busy(5_000)).await), "busy");
    rig.run("E open +999 CBO +1 E open +999 CBO +1 ok closed").await;
}

// 218: OnActionFailureAsync_EnsureBreakDurationNotOverflow
#[tokio::test(start_paused = true)]
async fn no_wish_overflows() {
    let ten_years = ms(10 * 365 * 24 * 60 * MINUTE);
    let endless = || Step::Now(Err(Error::Busy { wait: Duration::MAX }));
    for (breaker, open_for) in [
        (in_a_row(1).reset_after(ten_years), ten_years * 10),
        (
            in_a_row(1).reset_after(ten_years).max_reset_after(ten_years),
            ten_years,
        ),
        (in_a_row(1), ms(10_000)),
    ] {
        let rig = Rig::new(breaker);
        assert_eq!(word(&rig.call(endless()).await), "busy");
        assert_eq!(rig.refused().await.retry_after(), Some(open_for));
        advance(open_for).await;
        rig.run("ok closed").await;
    }
}

// 211: AddCircuitBreaker_IntegrationTest
#[tokio::test(start_paused = true)]
async fn who_is_refused_is_told_how_long_it_will_last() {
    let breaker = CircuitBreaker::new()
        .failure_rate(0.5)
        .window_time(ms(10_000))
        .min_calls(10)
        .reset_after(ms(1_000));
    let rig = Rig::new(breaker);
    rig.run("E*9 closed E open").await;
    assert_eq!(rig.refused().await.retry_after(), Some(ms(1_000)));
    rig.run("+500").await;
    assert_eq!(rig.refused().await.retry_after(), Some(ms(500)));
    rig.run("+500 E open").await;
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (1, 1));
    assert_eq!(rig.refused().await.retry_after(), Some(ms(1_000)));
    rig.run("+1000 ok closed").await;
    assert_eq!(rig.adapter.calls(), 12);
}

// 240: TestRemainingDelay
#[tokio::test(start_paused = true)]
async fn the_rest_of_the_open_time() {
    let rig = Rig::new(in_a_row(1));
    rig.run("E").await;
    assert_eq!(rig.refused().await.retry_after(), Some(ms(1_000)));
    rig.run("+110").await;
    assert_eq!(rig.refused().await.retry_after(), Some(ms(890)));
    rig.run("+890").await;
    let probe = rig.pending(Ok(1)).await;
    assert_eq!(
        rig.refused().await.retry_after().unwrap_or_default(),
        Duration::ZERO
    );
    assert_eq!(probe.end().await, "ok");
}

/// `reset = "manual"`: no time ends it, and nobody is told of one.
#[tokio::test(start_paused = true)]
async fn a_manual_circuit_waits_for_an_operator() {
    let rig = Rig::new(CircuitBreaker::new().failure_threshold(1).reset(Reset::Manual));
    assert_eq!(word(&rig.call(busy(5_000)).await), "busy");
    for _ in 0..3 {
        rig.run("+864000000 open").await;
        let told = rig.refused().await;
        assert_eq!(told.retry_after(), None);
        assert_eq!(told.code().unwrap().as_str(), "busy");
    }
    rig.circuit().release();
    rig.run("open CBO").await;
    rig.circuit().reset();
    rig.run("closed ok E open CBO").await;
    rig.circuit().force_open();
    rig.circuit().release();
    rig.run("closed ok").await;
}
