//! What an operator does, and sees.

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

#[test]
fn a_new_circuit_was_never_in_trouble() {
    let rig = in_a_row(3);
    let status = rig.breaker.status();
    assert_eq!((status.state, status.forced), (Closed, false));
    assert_eq!((status.since, status.cause, status.code), (None, None, None));
    assert_eq!(
        (status.failures, status.opened, status.reopened, status.refused),
        (0, 0, 0, 0)
    );
    rig.run("E E");
    assert_eq!(rig.breaker.status().failures, 2);
    rig.run("ok");
    assert_eq!(rig.breaker.status().failures, 0);
}

#[test]
fn status_says_since_when_and_why() {
    let rig = in_a_row(2);
    rig.run("+100 E");
    let failure = Failure {
        code: Some("unreachable".into()),
        ..Failure::default()
    };
    rig.fail_with(rig.admit(), failure);
    rig.run("+500 ok");
    let status = rig.breaker.status();
    assert_eq!(status.state, Open);
    assert_eq!(status.since, Some(Moment::at_ms(100)));
    assert_eq!(status.cause, Some(Cause::ConsecutiveFailures));
    assert_eq!(status.code, Some("unreachable".into()));
    assert_eq!((status.failures, status.opened, status.refused), (2, 1, 1));

    rig.pass(500);
    let probe = rig.admit();
    assert_eq!(rig.refused().code, Some("unreachable".into()));
    let status = rig.breaker.status();
    assert_eq!((status.state, status.cause), (HalfOpen, Some(Cause::ResetTime)));
    assert_eq!(status.since, Some(Moment::at_ms(1_100)));

    rig.ok(probe);
    let status = rig.breaker.status();
    assert_eq!(
        (status.state, status.cause),
        (Closed, Some(Cause::ProbesSucceeded))
    );
    assert_eq!((status.code, status.failures), (None, 0));
}

#[test]
fn what_is_forced_survives_outcomes_and_time_until_released() {
    let rig = in_a_row(1);
    let before = rig.admit();
    rig.breaker.force_closed(rig.now());
    rig.fail(before);
    assert_eq!(rig.run("E E E +100000 E ok"), "E E E E ok");
    assert!(rig.breaker.status().forced);
    rig.breaker.force_open(rig.now());
    assert_eq!(rig.run("ok +100000 ok"), "CBO CBO");
    rig.breaker.release(rig.now());
    let status = rig.breaker.status();
    assert_eq!((status.state, status.forced, status.failures), (Closed, false, 0));
    assert_eq!(rig.run("ok E ok"), "ok E CBO");
}

#[test]
fn force_open_refuses_whatever_the_mode_and_without_a_policy() {
    let rig = Rig::new(CircuitBreaker::new().mode(crate::Mode::Observe));
    rig.breaker.force_open(rig.now());
    rig.refused();
    rig.breaker
        .admit(None, rig.now())
        .expect_err("an operator said so");
    rig.breaker.release(rig.now());
    rig.breaker.admit(None, rig.now()).expect("nothing refuses");
}

#[test]
fn reset_closes_whatever_it_was() {
    for prepare in [
        |rig: &Rig| drop(rig.run("E")),
        |rig: &Rig| {
            rig.run("E +1000");
            rig.admit();
        },
        |rig: &Rig| rig.breaker.force_open(rig.now()),
        |rig: &Rig| rig.breaker.force_closed(rig.now()),
    ] {
        let rig = in_a_row(1);
        prepare(&rig);
        rig.breaker.reset(rig.now());
        let status = rig.breaker.status();
        assert_eq!((status.state, status.forced), (Closed, false));
        assert_eq!(rig.run("E ok"), "E CBO", "by its own rules");
    }
}

#[test]
fn reset_of_a_closed_circuit_empties_it_and_forgets_calls_under_way() {
    let rig = in_a_row(2);
    let before = rig.admit();
    rig.run("E");
    rig.breaker.reset(rig.now());
    rig.fail(before);
    assert_eq!(rig.breaker.status().failures, 0);
    assert_eq!(rig.run("E ok"), "E ok");
    assert_eq!(rig.breaker.status().cause, None, "nothing changed");
}

#[test]
fn release_without_force_does_nothing() {
    let rig = in_a_row(1);
    rig.run("E");
    rig.breaker.release(rig.now());
    assert_eq!(rig.state(), Open);
    let rig = in_a_row(2);
    rig.run("E");
    rig.breaker.release(rig.now());
    assert_eq!(rig.breaker.status().failures, 1);
}

#[test]
fn closing_by_hand_starts_the_open_time_anew() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .max_reset_after(ms(60_000)),
    );
    rig.run("E +1000 E +2000 E");
    assert_eq!(rig.refused().retry_after, Some(ms(4_000)));
    rig.breaker.reset(rig.now());
    rig.run("E");
    assert_eq!(rig.refused().retry_after, Some(ms(1_000)));
}

#[test]
fn forcing_open_from_closed_counts_as_an_opening() {
    let rig = in_a_row(1);
    rig.breaker.force_open(rig.now());
    rig.breaker.force_open(rig.now());
    assert_eq!(rig.breaker.status().opened, 1);
    assert_eq!(rig.breaker.status().reopened, 0);
}
