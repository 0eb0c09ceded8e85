//! Slow calls: what they open, and what a slow probe does. Rows of section 11.

use resil::{Cause, CircuitBreaker, CircuitState, Policies, Timeout};

use super::rig::{Rig, in_a_row, rows};
use super::windows::sm;
use crate::support::ms;

/// The last cause, once a row has opened the circuit.
async fn cause(breaker: CircuitBreaker, steps: &str) -> Option<Cause> {
    let rig = Rig::new(breaker);
    rig.run(steps).await;
    assert_eq!(rig.state(), CircuitState::Open, "{steps}");
    rig.circuit().cause()
}

#[tokio::test(start_paused = true)]
async fn slow_calls_open_it() {
    // 178: shouldOpenAfterSlowCallRateThresholdExceeded
    let mixed = "E@5000 ok@5000 E@100 ok@100 closed ok@5000";
    assert_eq!(cause(sm(), mixed).await, Some(Cause::SlowRate));
    // 179: shouldOpenAfterSlowCallRateThresholdExceededUsingMockClock
    let well = "ok@5000 ok@5000 ok@1000 ok@1000 closed ok@5000";
    assert_eq!(cause(sm(), well).await, Some(Cause::SlowRate));
    // At or above the time.
    assert_eq!(
        cause(sm(), "ok ok ok@4000 ok@4000 closed ok@4000").await,
        Some(Cause::SlowRate)
    );
    let rig = Rig::new(sm());
    rig.run("ok@3999*8 closed").await;
}

// 197: FixedSizeSlidingWindowMetricsTest.testSlidingWindowMetricsWithSlowCalls
#[tokio::test(start_paused = true)]
async fn slow_calls_are_counted_beside_failures() {
    let two = CircuitBreaker::new()
        .slow(ms(100))
        .window(2)
        .reset_after(ms(1_000));
    let with_rate = two.failure_rate(1.0);
    rows([
        ("slow whether it fails or not", two, "E@100 closed ok@100 open", 2),
        ("a slow refusal is slow", two, "U@100 closed U@150 open", 2),
        (
            "the oldest has left",
            two,
            "E@100 ok closed ok@100 closed ok@100 open",
            4,
        ),
        ("failures alone are not judged here", two, "E*9 closed", 9),
        (
            "failures are judged beside",
            with_rate,
            "E@100 ok@99 closed E closed E open",
            4,
        ),
        (
            "the default rate is all",
            CircuitBreaker::new().slow(ms(100)).window(10),
            "ok@100*9 ok closed ok@100*9 closed ok@100 open",
            20,
        ),
        (
            "the default minimum is ten",
            CircuitBreaker::new().slow(ms(100)),
            "ok@100*9 closed ok@100 open",
            10,
        ),
        (
            "over time",
            CircuitBreaker::new()
                .slow(ms(100))
                .window_time(ms(1_000))
                .min_calls(3),
            "ok@100*2 +1000 ok@100*2 closed ok@100 open",
            5,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_cause_is_the_criterion_that_held() {
    let all = CircuitBreaker::new()
        .failure_threshold(3)
        .failure_rate(0.5)
        .window(4)
        .min_calls(4)
        .slow(ms(100));
    assert_eq!(cause(all, "E E E").await, Some(Cause::ConsecutiveFailures));
    assert_eq!(cause(all, "E ok ok E").await, Some(Cause::FailureRate));
    assert_eq!(cause(all, "ok@100*4").await, Some(Cause::SlowRate));
    let within = CircuitBreaker::new().failure_threshold(2).within(ms(100));
    assert_eq!(cause(within, "E ok E").await, Some(Cause::FailuresWithin));
}

/// A timed-out attempt is slow where the timeout is longer than `slow_ms`.
#[tokio::test(start_paused = true)]
async fn a_timeout_is_slow_too() {
    let breaker = CircuitBreaker::new().slow(ms(50)).window(2);
    let rig = Rig::under(
        Policies::new()
            .timeout(Timeout::new(ms(100)))
            .circuit_breaker(breaker),
    );
    rig.run("TOX closed ok@50 open").await;
    assert_eq!(rig.circuit().cause(), Some(Cause::SlowRate));
}

/// A slow answer of a probe reopens the circuit where slow calls are judged, and only there.
#[tokio::test(start_paused = true)]
async fn a_slow_probe_reopens_it() {
    let judged = in_a_row(1).slow(ms(100));
    rows([
        ("slow", judged, "E +1000 ok@100 open CBO +1000 ok closed", 3),
        ("a slow refusal", judged, "E +1000 U@100 open CBO", 2),
        ("not slow", judged, "E +1000 ok@99 closed", 2),
        (
            "one of three",
            judged.half_open_calls(3),
            "E +1000 ok ok half_open ok@100 open",
            4,
        ),
        ("not judged", in_a_row(1), "E +1000 ok@60000 closed", 2),
    ])
    .await;
    assert_eq!(cause(judged, "E +1000 ok@100").await, Some(Cause::ProbeSlow));
    assert_eq!(cause(judged, "E +1000 E@100").await, Some(Cause::ProbeFailed));
}
