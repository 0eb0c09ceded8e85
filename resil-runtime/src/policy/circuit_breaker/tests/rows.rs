//! Conformance rows on counts and states. The number in a name or comment is the row.

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

#[test]
fn row_29_32_closed_then_open() {
    let rig = cb(4, 0.75, 50_000, 2);
    assert_eq!(rig.run("E E E E E E E"), "E E E E CBO CBO CBO");
    assert_eq!(rig.breaker.status().opened, 1);
    assert_eq!(rig.breaker.status().refused, 3);
}

#[test]
fn row_30_closes_again() {
    let rig = cb(4, 0.75, 1, 2);
    assert_eq!(rig.run("E E E E +500 ok ok ok"), "E E E E ok ok ok");
    assert_eq!(rig.state(), Closed);
}

#[test]
fn row_31_high_success_threshold() {
    let rig = cb(4, 0.75, 1_000, 3);
    assert_eq!(
        rig.run("E E E E E +2000 ok ok E E"),
        "E E E E CBO ok ok E CBO",
        "it opens again although two of three probes passed"
    );
    let status = rig.breaker.status();
    assert_eq!((status.opened, status.reopened), (1, 1));
}

#[test]
fn row_33_window_of_two() {
    assert_eq!(
        cb(2, 1.0, 50_000, 2).run("E E E E E E E"),
        "E E CBO CBO CBO CBO CBO"
    );
}

#[test]
fn row_34_a_success_opens_it() {
    assert_eq!(cb(4, 0.5, 5_000, 2).run("ok E E ok ok"), "ok E E ok CBO");
}

#[test]
fn row_35_the_window_rolls() {
    assert_eq!(cb(4, 0.5, 5_000, 2).run("ok E ok ok E ok"), "ok E ok ok E CBO");
}

#[test]
fn row_36_initial_success() {
    let rig = cb(4, 0.75, 1_000, 1);
    assert_eq!(
        rig.run("ok E E E E +2000 ok ok E E E E"),
        "ok E E E CBO ok ok E E E CBO"
    );
    assert_eq!(rig.breaker.status().opened, 2);
}

#[test]
fn row_37_38_opens_at_the_fourth_not_the_third() {
    let rig = cb(4, 0.75, 50_000, 2);
    assert_eq!(rig.run("E E E"), "E E E");
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.run("E E"), "E CBO");
}

#[test]
fn row_40_45_timeouts_are_failures() {
    assert_eq!(cb(4, 0.75, 50_000, 2).run("T T T T T"), "T T T T CBO");
    assert_eq!(cb(2, 0.5, 50_000, 2).run("T T T"), "T T CBO");
}

#[test]
fn row_49_50_one_failure_opens_a_window_of_one_and_a_refusal_does_not() {
    assert_eq!(cb(1, 0.5, 20_000, 1).run("E E"), "E CBO");
    assert_eq!(cb(1, 0.5, 20_000, 1).run("ok ok"), "ok ok");
}

#[test]
fn row_53_no_policy_never_opens() {
    let breaker = Breaker::new(&NAMES);
    for _ in 0..100 {
        let admission = breaker.admit(None, Moment::FOREVER).expect("nothing refuses");
        breaker.failure(None, admission, Failure::default(), Moment::at_ms(0));
    }
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn row_118_eight_of_ten() {
    let rig = cb(10, 0.8, 5_000, 1);
    assert_eq!(rig.run("E E ok E E E ok E E E E"), "E E ok E E E ok E E E CBO");
}

#[test]
fn row_119_two_successes_close_and_one_failure_between_reopens() {
    let rig = cb(10, 0.5, 1_000, 2);
    let ten = "E E E E E E E E E E";
    assert_eq!(rig.run(ten), ten);
    assert_eq!(rig.run("E +1000 ok ok"), "CBO ok ok");
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.run(ten), ten);
    assert_eq!(rig.run("E +1000 ok E ok"), "CBO ok E CBO");
}

#[test]
fn row_121_reset_after_200() {
    let rig = cb(4, 0.75, 200, 1);
    assert_eq!(
        rig.run("E E E E E +500 ok E E E E E"),
        "E E E E CBO ok E E E E CBO"
    );
}

#[test]
fn row_211_retry_after_is_the_rest_of_the_open_time() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_rate(0.5)
            .min_calls(10)
            .window_time(ms(10_000))
            .reset_after(ms(1_000)),
    );
    rig.run("E E E E E E E E E E");
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
    rig.pass(500);
    assert_eq!(rig.refused().retry_after, Some(ms(500)));
    rig.pass(500);
    assert_eq!(rig.run("E"), "E", "the probe");
    let status = rig.breaker.status();
    assert_eq!((status.opened, status.reopened), (1, 1));
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
    assert_eq!(rig.run("+1000 ok"), "ok");
    assert_eq!(rig.state(), Closed);
}

#[test]
fn row_214_at_most_one_probe_for_each_lease_so_a_lost_one_cannot_wedge_it() {
    let rig = Rig::new(CircuitBreaker::new().failure_threshold(1).reset_after(ms(5_000)));
    rig.until_half_open();
    let _lost = rig.admit();
    rig.pass(4_999);
    rig.refused();
    rig.pass(1);
    rig.admit();
    rig.refused();
}

#[test]
fn row_216_failures_in_each_state() {
    let rig = in_a_row(2);
    let late = rig.admit();
    rig.run("E");
    assert_eq!(rig.state(), Closed, "closed, too few");
    rig.run("E");
    assert_eq!(rig.state(), Open, "closed, enough");
    rig.fail(late);
    assert_eq!(rig.breaker.status().opened, 1, "a late failure is silent");
    rig.pass(1_000);
    rig.run("E");
    assert_eq!(rig.state(), Open, "half-open");
    rig.pass(1_000);
    let probe = rig.admit();
    rig.breaker.force_open(rig.now());
    rig.fail(probe);
    assert!(rig.breaker.status().forced);
}

#[test]
fn row_218_a_clock_near_its_end_saturates() {
    let rules = in_a_row(1).rules;
    let breaker = Breaker::new(&NAMES);
    let late = Moment::from_nanos(u64::MAX - 1);
    let admission = breaker.admit(Some(&rules), late).expect("closed");
    breaker.failure(Some(&rules), admission, Failure::default(), late);
    let refused = breaker.admit(Some(&rules), late).expect_err("open");
    assert_eq!(refused.retry_after, Some(Duration::from_nanos(1)));
}

#[test]
fn row_230_one_failure() {
    let rig = in_a_row(1);
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_231_three_in_a_row() {
    let rig = in_a_row(3);
    rig.run("E ok E E");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_232_every_other_call_fails() {
    for rig in [cb(4, 0.75, 1_000, 1), in_a_row(2)] {
        for _ in 0..20 {
            assert_eq!(rig.run("ok E"), "ok E");
        }
        assert_eq!(rig.state(), Closed);
    }
}

/// Their half-open states are judged by a rate or a count of failures; here the first failure opens.
#[test]
fn row_233_234_235_236_237_239_183_263_264_one_failed_probe_reopens() {
    for before in ["", "ok", "ok ok"] {
        let rig = cb(4, 0.75, 1_000, 4);
        rig.run("E E E E +1000");
        assert_eq!(rig.run(before), before);
        rig.run("E");
        assert_eq!(rig.state(), Open, "after {before:?}");
    }
}

#[test]
fn row_238_three_successes_close() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .success_threshold(3)
            .reset_after(ms(1_000)),
    );
    rig.run("E +1000 ok ok");
    assert_eq!(rig.state(), HalfOpen);
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
    rig.run("E +1000 ok E");
    assert_eq!(rig.state(), Open);
}

#[test]
fn row_240_remaining_delay() {
    let rig = in_a_row(1);
    rig.run("E");
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
    rig.pass(110);
    assert_eq!(rig.refused().retry_after, Some(ms(890)));
    rig.pass(890);
    let _probe = rig.admit();
    assert_eq!(rig.refused().retry_after, None, "half-open");
}

#[test]
fn row_241_262_excess_probes_are_refused() {
    for end_well in [true, false] {
        let rig = cb(4, 0.75, 1_000, 3);
        rig.run("E E E E +1000");
        let probes = [rig.admit(), rig.admit(), rig.admit()];
        for _ in 0..5 {
            rig.refused();
        }
        assert_eq!(rig.state(), HalfOpen);
        if end_well {
            for probe in probes {
                rig.ok(probe);
            }
            assert_eq!(rig.state(), Closed);
        } else {
            rig.fail(probes[1]);
            assert_eq!(rig.state(), Open);
        }
    }
}

#[test]
fn row_261_smallrye_sequence() {
    let rig = cb(4, 0.5, 1_000, 2);
    let first = "ok ok ok ok ok ok E ok E";
    assert_eq!(rig.run(first), first);
    assert_eq!(rig.state(), Open);
    assert_eq!(rig.run("ok ok ok ok ok"), "CBO CBO CBO CBO CBO");
    assert_eq!(rig.run("+1500 ok"), "ok");
    assert_eq!(rig.state(), HalfOpen);
    assert_eq!(rig.run("E ok ok ok"), "E CBO CBO CBO");
    assert_eq!(rig.run("+1500 ok"), "ok");
    assert_eq!(rig.state(), HalfOpen);
    assert_eq!(rig.run("ok"), "ok");
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.run("ok"), "ok");
}

/// Their second call waits; here it is refused.
#[test]
fn row_265_a_second_call_beside_the_probe_is_refused() {
    let rig = in_a_row(1);
    rig.until_half_open();
    let probe = rig.admit();
    rig.refused();
    rig.ok(probe);
    assert_eq!(rig.run("ok"), "ok");
}

#[test]
fn row_269_volume_threshold() {
    let rig = Rig::new(CircuitBreaker::new().failure_rate(0.01).min_calls(3));
    rig.run("E E");
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open);
}

/// A refusal of the business is a success: the engine says so.
#[test]
fn row_187_193_223_270_a_refusal_in_half_open_closes() {
    let rig = in_a_row(1);
    rig.until_half_open();
    assert_eq!(rig.run("ok"), "ok");
    assert_eq!(rig.state(), Closed);
}
