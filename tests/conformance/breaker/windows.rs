//! What opens the circuit: windows over calls and over time, `within_ms`, slow calls. Rows of sections 11 to 13.
//!
//! A window over time is kept in ten parts, so nothing here is as old as the last tenth of its window when it matters.

use resil::{CircuitBreaker, CircuitState};

use super::rig::{Rig, cb, in_a_row, rows};
use crate::support::{Error, ms};

/// SM of section 11.
pub(super) fn sm() -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(0.5)
        .window_time(ms(20_000))
        .min_calls(5)
        .slow(ms(4_000))
        .slow_rate(0.5)
        .reset_after(ms(5_000))
        .half_open_calls(4)
        .half_open_max(ms(1_000))
}

fn rate_over(time_ms: u64, rate: f64, min_calls: u32) -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(rate)
        .window_time(ms(time_ms))
        .min_calls(min_calls)
        .reset_after(ms(1))
}

#[tokio::test(start_paused = true)]
async fn windows_over_calls() {
    rows([
        // With the first failure still in, the fifth call would make two of five.
        (
            "196: FixedSizeSlidingWindowMetricsTest",
            cb(4, 0.4, 1_000, 1),
            "E ok ok ok closed E closed E open",
            6,
        ),
        (
            "193 (Δ6): a refusal is counted",
            cb(2, 0.5, 1_000, 1),
            "E closed U open",
            2,
        ),
        (
            "223: a refusal is a success",
            cb(2, 1.0, 1_000, 1),
            "U E closed U E closed E open",
            5,
        ),
        (
            "`min_calls` counts from the first call on",
            cb(100, 0.5, 1_000, 1).min_calls(2),
            "E closed ok open",
            2,
        ),
        (
            "`min_calls` is at most the window",
            CircuitBreaker::new().failure_rate(1.0).window(3),
            "E E closed E open",
            3,
        ),
        (
            "`min_calls` is ten otherwise",
            CircuitBreaker::new().failure_rate(1.0).window(30),
            "E*9 closed E open",
            10,
        ),
        (
            "a window of many calls",
            cb(300, 0.5, 1_000, 1),
            "ok*150 E*149 closed E open",
            300,
        ),
        (
            "a window of many calls slides",
            cb(300, 0.5, 1_000, 1),
            "E*100 ok*250 closed E*99 closed E*51 open",
            500,
        ),
        (
            "a window of one call",
            cb(1, 1.0, 1_000, 1),
            "ok U closed E open",
            3,
        ),
        // One third is not a number that a float holds.
        ("a third", cb(3, 1.0 / 3.0, 1_000, 1), "ok ok E open", 3),
        (
            "seven percent",
            cb(100, 0.07, 1_000, 1),
            "E*6 ok*93 closed E open",
            100,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn windows_over_time() {
    let sliding = "E +100 ok +100 ok +1000 ok +1000 ok +1000 E +1000 ok";
    let rolling = "E ok +2000 E ok +2000 ok ok +2000 ok ok +2000 ok ok";
    rows([
        (
            "177: shouldOpenAfterFailureRateThresholdExceeded2",
            sm(),
            "ok +1000 ok +1000 ok +1000 E +1000 E closed +1000 E open",
            6,
        ),
        // At 4.2 s there are two of seven; at 5.2 s three have left, so the next makes five and not eight.
        (
            "198: two of seven at 4.2 s",
            rate_over(5_000, 2.0 / 7.0, 7),
            &format!("{sliding} open"),
            7,
        ),
        (
            "198: five at 5.2 s",
            rate_over(5_000, 0.2, 8),
            &format!("{sliding} +1000 ok closed"),
            8,
        ),
        // With the first call still in, it would be two of seven.
        (
            "198: what has left does not thin the rate",
            rate_over(5_000, 0.3, 5),
            "ok +5200 E ok*4 closed E open",
            7,
        ),
        (
            "221: SingleHealthMetricsTests",
            rate_over(100, 0.2, 5),
            "E ok ok ok closed ok open",
            5,
        ),
        (
            "221: none after the window",
            rate_over(100, 0.1, 5),
            "E ok ok ok +100 ok ok ok ok closed",
            8,
        ),
        (
            "222: two of ten at 8 s",
            rate_over(10_000, 0.2, 10),
            &format!("{rolling} open"),
            10,
        ),
        (
            "222: none of six at 12 s",
            rate_over(10_000, 0.05, 11),
            &format!("{rolling} closed +4000 ok*5 closed"),
            15,
        ),
        (
            "243: time based failure rate",
            rate_over(200, 0.5, 3),
            "E ok +210 E ok +50 ok closed E open +1 E open +1 ok closed",
            8,
        ),
        (
            "a failure too old does not count",
            rate_over(1_000, 0.5, 2),
            "E +1000 ok closed E open",
            3,
        ),
        (
            "all idle time is forgotten",
            rate_over(1_000, 0.5, 4),
            "E E E +86400000 E ok ok closed ok closed",
            7,
        ),
    ])
    .await;
}

/// `failure_threshold` with `within_ms`: so many within that time, in a row or not.
#[tokio::test(start_paused = true)]
async fn failures_within_a_time() {
    let within = |failures: u32, time_ms| {
        CircuitBreaker::new()
            .failure_threshold(failures)
            .within(ms(time_ms))
            .reset_after(ms(1))
    };
    rows([
        (
            "242: time based failure threshold",
            within(2, 200),
            "E ok +210 E ok +50 closed E open +1 E open +1 E open +1 E open +1 ok closed",
            9,
        ),
        (
            "successes between do not matter",
            within(3, 1_000),
            "E ok*5 E ok*5 closed E open",
            13,
        ),
        (
            "the oldest has left",
            within(3, 1_000),
            "E +600 E +600 E closed +399 E open",
            4,
        ),
        ("many at once", within(1_000, 1_000), "E*999 closed E open", 1_000),
        (
            "closing starts anew",
            within(2, 1_000),
            "E E +1 ok closed E closed E open",
            5,
        ),
    ])
    .await;
}

/// Each transition empties every window.
#[tokio::test(start_paused = true)]
async fn each_transition_empties_the_windows() {
    let slow = CircuitBreaker::new()
        .failure_threshold(2)
        .slow(ms(100))
        .window(3)
        .reset_after(ms(1_000));
    let within = CircuitBreaker::new()
        .failure_threshold(3)
        .within(ms(60_000))
        .failure_rate(1.0)
        .window(2)
        .reset_after(ms(1));
    rows([
        (
            "slow calls",
            slow,
            "ok@100*2 E*2 open +1000 ok closed ok@100*2 closed ok@100 open",
            8,
        ),
        (
            "failures within a time",
            within,
            "E E open +1 ok closed E ok E closed ok E open",
            8,
        ),
        (
            "a window of many calls",
            cb(100, 0.5, 1_000, 1),
            "E*100 open +1000 ok closed E*99 closed E open",
            201,
        ),
        (
            "a window over time",
            rate_over(60_000, 0.5, 4),
            "E*4 open +1 ok closed E*3 closed E open",
            9,
        ),
    ])
    .await;
}

// 184, 185: shouldResetMetrics
#[tokio::test(start_paused = true)]
async fn a_reset_empties_the_windows() {
    for breaker in [
        sm(),
        cb(5, 0.5, 1_000, 1),
        in_a_row(5),
        in_a_row(5).within(ms(60_000)),
    ] {
        let rig = Rig::new(breaker);
        rig.run("E*4 closed").await;
        rig.circuit().reset();
        rig.run("E*4 closed E open").await;
        rig.circuit().reset();
        rig.run("closed E*4 closed E open").await;
    }
}

/// What an attempt ended with counts when it ends, not when it began.
#[tokio::test(start_paused = true)]
async fn outcomes_count_when_they_come() {
    let rig = Rig::new(rate_over(1_000, 1.0, 2));
    let early = rig.pending(Err(Error::Fault)).await;
    rig.run("+5000 E closed").await;
    assert_eq!(early.end().await, "E");
    assert_eq!(rig.state(), CircuitState::Open);
    rig.run("CBO").await;
}
