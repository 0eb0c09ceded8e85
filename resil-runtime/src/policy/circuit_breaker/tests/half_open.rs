//! Probes.

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

#[test]
fn the_call_that_finds_the_time_over_is_the_first_probe() {
    let rig = in_a_row(1);
    rig.run("E +999");
    rig.refused();
    rig.pass(1);
    assert_eq!(rig.state(), Open, "until a call comes");
    let probe = rig.admit();
    assert!(!probe.is_shadow());
    assert_eq!(rig.state(), HalfOpen);
    rig.ok(probe);
    assert_eq!(rig.state(), Closed);
}

#[test]
fn more_successes_than_places_are_gathered_one_after_the_other() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .half_open_calls(2)
            .success_threshold(5),
    );
    rig.until_half_open();
    let (first, second) = (rig.admit(), rig.admit());
    rig.refused();
    rig.ok(first);
    rig.ok(second);
    assert_eq!(rig.run("ok ok"), "ok ok");
    assert_eq!(rig.state(), HalfOpen);
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
}

#[test]
fn fewer_successes_than_places_close_it_and_the_others_say_nothing() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .half_open_calls(3)
            .success_threshold(1),
    );
    rig.until_half_open();
    let (first, second, third) = (rig.admit(), rig.admit(), rig.admit());
    rig.ok(second);
    assert_eq!(rig.state(), Closed);
    rig.fail(first);
    rig.ok(third);
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.breaker.status().failures, 0);
}

#[test]
fn a_slow_probe_reopens_where_slow_calls_are_judged() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .slow(ms(500))
            .reset_after(ms(1_000)),
    );
    rig.until_half_open();
    rig.run("slow");
    assert_eq!(rig.state(), Open);
    assert_eq!(rig.breaker.status().cause, Some(Cause::ProbeSlow));
}

#[test]
fn a_place_is_lost_only_to_a_next_call() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .half_open_max(ms(100))
            .half_open_calls(2),
    );
    rig.until_half_open();
    let oldest = rig.admit();
    rig.pass(50);
    let second = rig.admit();
    rig.pass(50);
    assert!(rig.breaker.holds(&oldest), "nobody has asked for its place");
    let third = rig.admit();
    assert!(!rig.breaker.holds(&oldest));
    assert!(rig.breaker.holds(&second) && rig.breaker.holds(&third));
    rig.refused();
    rig.fail(oldest);
    rig.ok(oldest);
    rig.breaker.cancel(oldest);
    assert_eq!(rig.state(), HalfOpen);
    rig.refused();
    rig.ok(second);
    assert_eq!(rig.state(), HalfOpen, "one of two");
    rig.ok(third);
    assert_eq!(rig.state(), Closed);
}

#[test]
fn a_probe_that_is_late_but_kept_its_place_counts() {
    let rig = in_a_row(1);
    rig.until_half_open();
    let probe = rig.admit();
    rig.pass(100_000);
    rig.ok(probe);
    assert_eq!(rig.state(), Closed);
}

#[test]
fn a_cancelled_probe_gives_its_place_back_and_breaks_no_row() {
    let rig = cb(4, 0.75, 1_000, 2);
    rig.run("E E E E +1000 ok");
    rig.breaker.cancel(rig.admit());
    rig.breaker.cancel(rig.admit());
    rig.run("ok");
    assert_eq!(rig.state(), Closed);
}

#[test]
fn admissions_hold_until_something_happens() {
    let rig = in_a_row(1);
    let (waiting, failing) = (rig.admit(), rig.admit());
    assert!(rig.breaker.holds(&waiting));
    rig.fail(failing);
    assert!(!rig.breaker.holds(&waiting), "it opened meanwhile");
    rig.pass(1_000);
    let probe = rig.admit();
    assert!(rig.breaker.holds(&probe));
    rig.ok(probe);
    assert!(!rig.breaker.holds(&probe));
    assert!(!rig.breaker.holds(&waiting), "closed again, but not the same");
    rig.breaker.force_closed(rig.now());
    let forced = rig.admit();
    assert!(rig.breaker.holds(&forced));
    rig.breaker.release(rig.now());
    assert!(!rig.breaker.holds(&forced));
}

#[test]
fn observed_probes_are_probes_and_the_excess_are_shadows() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1_000))
            .mode(crate::Mode::Observe),
    );
    rig.run("E");
    let shadow = rig.admit();
    assert!(shadow.is_shadow() && rig.breaker.holds(&shadow));
    rig.pass(1_000);
    let probe = rig.admit();
    let excess = rig.admit();
    assert!(!probe.is_shadow() && excess.is_shadow());
    for stale in [shadow, excess] {
        rig.ok(stale);
        rig.fail(stale);
        rig.breaker.cancel(stale);
    }
    assert_eq!(rig.state(), HalfOpen);
    rig.ok(probe);
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.breaker.status().refused, 2, "would have been");
}
