//! What opens a closed circuit.

use super::*;
use CircuitState::{Closed, Open};

#[test]
fn without_a_criterion_five_in_a_row_or_half_of_twenty_open_it() {
    let rig = Rig::new(CircuitBreaker::new());
    rig.run("E E E E");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.breaker.status().cause, Some(Cause::ConsecutiveFailures));

    let rig = Rig::new(CircuitBreaker::new());
    rig.run("E ok E ok E ok E ok E");
    assert_eq!(rig.state(), Closed, "nine calls are too few");
    rig.run("ok");
    assert_eq!(rig.breaker.status().cause, Some(Cause::FailureRate));
}

#[test]
fn the_first_criterion_that_holds_opens_it() {
    let policy = CircuitBreaker::new()
        .failure_threshold(4)
        .failure_rate(0.5)
        .window(4)
        .min_calls(2);
    let rig = Rig::new(policy);
    rig.run("E E");
    assert_eq!(rig.breaker.status().cause, Some(Cause::FailureRate));
    let rig = Rig::new(policy.failure_threshold(2));
    rig.run("E E");
    assert_eq!(rig.breaker.status().cause, Some(Cause::ConsecutiveFailures));
}

#[test]
fn min_calls_counts_from_the_first_call_not_from_a_full_window() {
    let rig = Rig::new(CircuitBreaker::new().failure_rate(1.0).window(20).min_calls(3));
    assert_eq!(rig.run("E E E E"), "E E E CBO");
}

#[test]
fn a_third_of_three_is_a_third() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_rate(1.0 / 3.0)
            .window(3)
            .min_calls(3),
    );
    assert_eq!(rig.run("E ok ok ok"), "E ok ok CBO");
}

#[test]
fn failures_within_a_time_need_not_be_in_a_row() {
    let policy = CircuitBreaker::new().failure_threshold(3).within(ms(1_000));
    let rig = Rig::new(policy);
    rig.run("E ok +500 E ok +500 ok E");
    assert_eq!(rig.state(), Open, "the first is exactly as old as the time");
    assert_eq!(rig.breaker.status().cause, Some(Cause::FailuresWithin));
    let rig = Rig::new(policy);
    rig.run("E +500 E +501 E");
    assert_eq!(rig.state(), Closed, "the first is too old");
    rig.run("+400 E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn a_long_window_is_a_true_ring() {
    let rig = Rig::new(CircuitBreaker::new().failure_rate(0.1).window(100).min_calls(100));
    for _ in 0..10_000 {
        rig.run("ok");
    }
    rig.run("E E E E E E E E E");
    assert_eq!(rig.state(), Closed);
    for _ in 0..91 {
        rig.run("ok");
    }
    rig.run("E");
    assert_eq!(rig.state(), Closed, "the first has left");
    rig.run("E E E E E E E E");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn rates_of_failed_and_of_slow_calls_do_not_add_up() {
    for window in [10, 100] {
        let rig = Rig::new(
            CircuitBreaker::new()
                .failure_rate(0.5)
                .slow(ms(1_000))
                .slow_rate(0.5)
                .window(window)
                .min_calls(10),
        );
        assert_eq!(
            rig.run("E slow E slow E slow E slow ok ok"),
            "E slow E slow E slow E slow ok ok"
        );
        assert_eq!(rig.state(), Closed, "four of ten each");
    }
}

#[test]
fn slow_calls_are_nothing_where_they_are_not_judged() {
    let rig = cb(2, 0.5, 1_000, 1);
    rig.run("slow slow slow slow");
    assert_eq!(rig.state(), Closed);
    rig.run("E +1000 slow");
    assert_eq!(rig.state(), Closed, "the probe too");
}

#[test]
fn a_success_that_makes_a_share_judged_opens_with_the_last_code() {
    let rig = cb(2, 0.5, 1_000, 1);
    rig.fail_with(
        rig.admit(),
        Failure {
            code: Some("unavailable".into()),
            ..Failure::default()
        },
    );
    rig.run("ok");
    assert_eq!(rig.refused().code, Some("unavailable".into()));
}

#[test]
fn a_code_of_an_earlier_epoch_is_not_given_for_the_next() {
    let rig = cb(2, 0.5, 1_000, 1);
    rig.run("ok");
    let failure = Failure {
        code: Some("unavailable".into()),
        ..Failure::default()
    };
    rig.fail_with(rig.admit(), failure);
    rig.run("+1000 ok");
    assert_eq!(rig.state(), Closed);
    rig.run("E ok");
    assert_eq!((rig.state(), rig.refused().code), (Open, None));
}

#[test]
fn slow_calls_after_a_window_without_any_are_counted() {
    for window in [4, 40] {
        let rig = Rig::new(
            CircuitBreaker::new()
                .slow(ms(500))
                .slow_rate(0.5)
                .window(window)
                .min_calls(4),
        );
        for _ in 0..window * 2 {
            rig.run("ok");
        }
        for _ in 0..window / 2 {
            assert_eq!(rig.state(), Closed);
            rig.run("slow");
        }
        assert_eq!(rig.state(), Open);
    }
}

#[test]
fn the_open_time_after_a_timeout_is_its_own() {
    let policy = CircuitBreaker::new()
        .failure_threshold(2)
        .reset_after(ms(1_000))
        .reset_after_timeout(ms(5_000));
    let rig = Rig::new(policy);
    rig.run("E T");
    assert_eq!(rig.refused().retry_after, Some(ms(5_000)));
    let rig = Rig::new(policy);
    rig.run("T E");
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
    rig.run("+1000 T");
    assert_eq!(rig.refused().retry_after, Some(ms(5_000)), "a probe's as well");
}

#[test]
fn each_reopening_doubles_the_open_time_up_to_its_bound_and_closing_starts_anew() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .max_reset_after(ms(5_000)),
    );
    rig.run("E");
    let mut waits = Vec::new();
    for _ in 0..100 {
        let wait = rig.refused().retry_after.expect("time ends it");
        waits.push(wait.as_millis());
        rig.pass(u64::try_from(wait.as_millis()).expect("short"));
        assert_eq!(rig.run("E"), "E");
    }
    assert_eq!(waits[..4], [1_000, 2_000, 4_000, 5_000]);
    assert!(waits[4..].iter().all(|wait| *wait == 5_000));
    rig.run("+5000 ok E");
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
}

#[test]
fn retry_after_keeps_it_open_within_reason() {
    let wish = |seconds| Failure {
        retry_after: Some(Duration::from_secs(seconds)),
        ..Failure::default()
    };
    let open_for = |policy: CircuitBreaker, failure| {
        let rig = Rig::new(policy.failure_threshold(1).reset_after(ms(1_000)));
        rig.fail_with(rig.admit(), failure);
        let wait = rig.refused().retry_after;
        rig.pass(u64::try_from(wait.expect("time ends it").as_millis()).expect("short"));
        rig.fail_with(rig.admit(), wish(3_600));
        (wait, rig.refused().retry_after)
    };
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let plain = CircuitBreaker::new();
    assert_eq!(open_for(plain, wish(0)), (seconds(1), seconds(10)));
    assert_eq!(open_for(plain, wish(7)), (seconds(7), seconds(10)));
    assert_eq!(open_for(plain, wish(u64::MAX)), (seconds(10), seconds(10)));
    let bounded = plain.max_reset_after(ms(60_000));
    assert_eq!(open_for(bounded, wish(30)), (seconds(30), seconds(60)));
}

#[test]
fn manual_reset_waits_for_an_operator() {
    let rig = Rig::new(CircuitBreaker::new().failure_threshold(1).reset(Reset::Manual));
    rig.fail_with(
        rig.admit(),
        Failure {
            retry_after: Some(ms(1)),
            ..Failure::default()
        },
    );
    rig.pass(1_000_000_000);
    assert_eq!(rig.refused().retry_after, None);
    rig.breaker.reset(rig.now());
    assert_eq!(rig.run("ok E ok"), "ok E CBO");
}

#[test]
fn huge_durations_saturate() {
    let rules = Rules {
        reset_after: Duration::MAX,
        reset_after_timeout: Duration::MAX,
        max_reset_after: Some(Duration::MAX),
        half_open_max: Duration::MAX,
        within: Some(Duration::MAX),
        window: Window::Time(Duration::MAX),
        ..CircuitBreaker::new().rules()
    };
    let rig = Rig::of(rules);
    assert_eq!(rig.run("T T T T T T"), "T T T T T CBO");
}

#[test]
fn time_that_runs_backwards_is_no_time() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(3)
            .within(ms(100))
            .failure_rate(1.0)
            .window_time(ms(1_000))
            .min_calls(50),
    );
    rig.pass(10_000);
    rig.run("E");
    rig.now_ms.set(0);
    rig.run("E ok E");
    assert_eq!(rig.state(), Open);
    rig.pass(30_000);
    let probe = rig.admit();
    rig.now_ms.set(0);
    rig.refused();
    rig.ok(probe);
    assert_eq!(rig.state(), Closed);
}
