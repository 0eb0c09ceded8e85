//! Conformance rows on rates over time, slow calls and operators.

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

fn sm() -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(0.5)
        .window_time(ms(20_000))
        .min_calls(5)
        .slow(ms(4_000))
        .slow_rate(0.5)
        .half_open_calls(4)
        .half_open_max(ms(1_000))
        .reset_after(ms(5_000))
}

#[test]
fn row_173_174_forced_open_outlives_the_reset_time() {
    let rig = Rig::new(sm());
    rig.breaker.force_open(rig.now());
    let refused = rig.refused();
    assert_eq!((refused.retry_after, refused.code), (None, None));
    rig.pass(6_000);
    rig.refused();
    let status = rig.breaker.status();
    assert_eq!((status.state, status.forced, status.refused), (Open, true, 2));
}

#[test]
fn row_175_176_four_places_for_each_half_open_time() {
    let rig = Rig::new(sm());
    rig.run("E E E E E");
    for _ in 0..2 {
        rig.pass(5_000);
        let probes = [rig.admit(), rig.admit(), rig.admit(), rig.admit()];
        rig.refused();
        rig.refused();
        rig.fail(probes[0]);
        assert_eq!(rig.state(), Open);
    }
}

#[test]
fn row_177_half_of_six_within_the_time() {
    let rig = Rig::new(sm());
    rig.run("ok +1000 ok +1000 ok +1000 E +1000 E");
    assert_eq!(rig.state(), Closed);
    rig.run("+1000 E");
    assert_eq!(rig.state(), Open);
    assert_eq!(rig.breaker.status().cause, Some(Cause::FailureRate));
}

#[test]
fn row_178_slow_calls_failed_or_not() {
    let rig = Rig::new(sm().failure_rate(1.0));
    rig.run("slowE slow E ok");
    assert_eq!(rig.state(), Closed);
    rig.run("slow");
    assert_eq!(rig.state(), Open);
    assert_eq!(rig.breaker.status().cause, Some(Cause::SlowRate));
}

#[test]
fn row_179_slow_calls_open_it_though_none_failed() {
    let rig = Rig::new(sm());
    rig.run("slow slow ok ok");
    assert_eq!(rig.state(), Closed);
    rig.run("slow");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_180_half_open_at_the_first_call_after_the_wait() {
    let rig = Rig::new(sm());
    assert_eq!(rig.run("E E E E E E +3000 ok +3000 ok"), "E E E E E CBO CBO ok");
    assert_eq!(rig.state(), HalfOpen);
}

#[test]
fn row_181_217_open_for_as_long_as_the_dependency_says() {
    let rig = Rig::new(sm().max_reset_after(Duration::from_secs(3_600)));
    rig.run("E E E E");
    rig.fail_with(
        rig.admit(),
        Failure {
            retry_after: Some(Duration::from_secs(30 * 60)),
            ..Failure::default()
        },
    );
    assert_eq!(rig.run("ok +900000 ok +901000 ok"), "CBO CBO ok");
}

#[test]
fn row_182_each_reopening_waits_longer() {
    let rig = Rig::new(sm().max_reset_after(ms(60_000)));
    assert_eq!(
        rig.run("E E E E E +3000 ok +3000 E +6000 ok +5000 ok"),
        "E E E E E CBO E CBO ok",
        "twice five seconds the second time"
    );
}

#[test]
fn row_184_closes_with_empty_windows() {
    let rig = Rig::new(sm());
    rig.run("E E E E E +5000 ok ok ok ok");
    assert_eq!(rig.state(), Closed);
    rig.run("ok E E E");
    assert_eq!(rig.state(), Closed, "four calls, not nine");
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_185_reset_empties_the_windows() {
    let rig = Rig::new(sm());
    rig.run("ok E E E");
    rig.breaker.reset(rig.now());
    assert_eq!(rig.breaker.status().failures, 0);
    rig.run("E E E E");
    assert_eq!(rig.state(), Closed, "four calls, not eight");
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_186_forced_closed_records_nothing() {
    let rig = Rig::new(sm());
    rig.breaker.force_closed(rig.now());
    assert_eq!(rig.run("ok E E E E E E"), "ok E E E E E E");
    assert_eq!(rig.breaker.status().failures, 0);
    rig.breaker.release(rig.now());
    rig.run("E E E E");
    assert_eq!(rig.state(), Closed, "nothing was kept from before");
}

/// `mode = "observe"`: it decides, and refuses nothing; what it would have refused is no evidence.
#[test]
fn row_189_observed_only() {
    let rig = Rig::new(sm().failure_rate(0.6).mode(crate::Mode::Observe));
    assert_eq!(rig.run("E E E ok ok E"), "E E E ok ok E");
    let status = rig.breaker.status();
    assert_eq!((status.state, status.opened, status.refused), (Open, 1, 1));
}

/// Nothing but a call moves it: there is no timer.
#[test]
fn row_191_192_195_half_open_without_calls_stays_so() {
    let rig = Rig::new(sm());
    rig.run("E E E E E +5000");
    assert_eq!(rig.state(), Open);
    rig.breaker.cancel(rig.admit());
    rig.pass(1_000_000);
    assert_eq!(rig.state(), HalfOpen);
    assert_eq!(rig.run("ok"), "ok");
}

#[test]
fn row_213_isolated_and_closed_by_hand() {
    let rig = Rig::new(sm());
    rig.breaker.force_open(rig.now());
    assert_eq!(rig.refused().retry_after, None);
    rig.refused();
    rig.breaker.release(rig.now());
    assert_eq!(rig.run("ok ok"), "ok ok");
}

#[test]
fn row_215_successes_in_each_state() {
    let rig = in_a_row(1);
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
    rig.until_half_open();
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
    rig.until_half_open();
    let probe = rig.admit();
    rig.breaker.force_open(rig.now());
    rig.ok(probe);
    assert_eq!(rig.breaker.status().state, Open);
    assert!(rig.breaker.status().forced);
}

#[test]
fn row_219_the_code_of_the_error_that_opened_it() {
    let rig = in_a_row(1);
    rig.fail_with(
        rig.admit(),
        Failure {
            code: Some("unreachable".into()),
            ..Failure::default()
        },
    );
    let refused = rig.refused();
    assert_eq!(refused.code, Some("unreachable".into()));
    assert_eq!(refused.retry_after, Some(ms(1_000)));

    let rig = Rig::new(sm());
    rig.run("slow slow slow slow slow");
    let refused = rig.refused();
    assert_eq!((refused.code, refused.retry_after), (None, Some(ms(5_000))));
}

#[test]
fn row_220_probes_do_not_enter_the_windows() {
    let rig = cb(4, 0.5, 1_000, 4);
    rig.run("E E E E +1000 ok ok ok ok");
    assert_eq!(rig.state(), Closed);
    assert_eq!(
        rig.run("E E E"),
        "E E E",
        "three calls in the window, not four and three"
    );
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

/// One breaker for calls of two kinds.
#[test]
fn row_224_ten_failures_of_two_kinds() {
    let rig = Rig::new(sm().failure_rate(1.0).min_calls(10).half_open_calls(1));
    for _ in 0..5 {
        assert_eq!(rig.run("E T"), "E T");
    }
    assert_eq!(rig.run("ok +5000 ok ok"), "CBO ok ok");
}

#[test]
fn row_242_time_based_threshold() {
    let rules = Rules {
        reset_after: Duration::ZERO,
        reset_after_timeout: Duration::ZERO,
        ..CircuitBreaker::new().failure_threshold(2).within(ms(200)).rules()
    };
    let rig = Rig::of(rules);
    rig.run("E ok +210 E ok +50");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
    assert_eq!(rig.run("E E E"), "E E E", "each is a probe that reopens");
    assert_eq!(rig.breaker.status().reopened, 3);
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
}

#[test]
fn row_243_time_based_rate() {
    let rules = Rules {
        reset_after: Duration::ZERO,
        reset_after_timeout: Duration::ZERO,
        ..CircuitBreaker::new()
            .failure_rate(0.5)
            .window_time(ms(200))
            .min_calls(3)
            .half_open_calls(2)
            .rules()
    };
    let rig = Rig::of(rules);
    rig.run("E ok +210 E ok +50 ok");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
    rig.run("ok");
    assert_eq!(rig.state(), HalfOpen);
    rig.run("E");
    assert_eq!(rig.state(), Open);
    rig.run("ok ok");
    assert_eq!(rig.state(), Closed);
}
