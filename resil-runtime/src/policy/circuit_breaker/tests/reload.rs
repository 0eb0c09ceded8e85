//! Rules that change under a running circuit.

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

fn reload(rig: &mut Rig, policy: CircuitBreaker) {
    policy.check().expect("the options agree");
    rig.rules = policy.rules();
}

fn rate(window: u32) -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(0.5)
        .window(window)
        .min_calls(window.min(6))
}

/// Four failures and a success, whatever the window was: the sixth call is judged with the new one.
#[test]
fn a_window_of_calls_that_changes_keeps_the_last_calls() {
    for (before, after) in [(10, 20), (20, 10), (10, 100), (100, 10), (100, 200), (200, 100)] {
        let mut rig = Rig::new(rate(before));
        rig.run("E E E E ok");
        assert_eq!(rig.state(), Closed);
        reload(&mut rig, rate(after));
        rig.run("ok");
        assert_eq!(rig.state(), Open, "from {before} to {after}");
    }
}

#[test]
fn a_window_that_shrinks_forgets_the_oldest_calls() {
    for before in [20, 100] {
        let mut rig = Rig::new(rate(before).min_calls(20));
        rig.run("E E E E ok ok ok ok");
        reload(&mut rig, rate(4));
        rig.run("ok");
        assert_eq!(rig.state(), Closed, "from {before}");
        rig.run("E E");
        assert_eq!(rig.state(), Open, "from {before}");
    }
}

#[test]
fn slow_calls_move_with_the_failed_ones() {
    let slow = |window: u32| rate(window).failure_rate(1.0).slow(ms(500)).slow_rate(0.5);
    for (before, after) in [(10, 100), (100, 10)] {
        let mut rig = Rig::new(slow(before));
        rig.run("slow slow slow ok ok");
        reload(&mut rig, slow(after));
        rig.run("ok");
        assert_eq!(rig.breaker.status().cause, Some(Cause::SlowRate));
    }
}

#[test]
fn a_clean_ring_of_another_length_is_filled_again() {
    let mut rig = Rig::new(rate(40));
    for _ in 0..100 {
        rig.run("ok");
    }
    reload(&mut rig, rate(50));
    for _ in 0..9 {
        rig.run("ok");
    }
    for _ in 0..24 {
        rig.run("E");
    }
    assert_eq!(rig.state(), Closed);
    rig.run("E");
    assert_eq!(rig.state(), Open, "25 of 50");
}

#[test]
fn a_window_of_time_that_changes_keeps_what_it_holds() {
    let timed = |time| {
        CircuitBreaker::new()
            .failure_rate(0.5)
            .window_time(ms(time))
            .min_calls(6)
    };
    let mut rig = Rig::new(timed(1_000));
    rig.run("E E E E ok");
    reload(&mut rig, timed(60_000));
    rig.run("+5 ok");
    assert_eq!(rig.state(), Open);
}

#[test]
fn a_running_open_time_is_kept() {
    let mut rig = in_a_row(1);
    rig.run("E");
    reload(&mut rig, CircuitBreaker::new().reset_after(ms(60_000)));
    assert_eq!(rig.run("ok +1000 ok"), "CBO ok");
}

#[test]
fn a_policy_that_is_taken_away_refuses_no_more() {
    let rig = in_a_row(1);
    for prepare in ["E", "E +1000"] {
        rig.run(prepare);
        let probe = (rig.now() > Moment::at_ms(0)).then(|| rig.admit());
        let admission = rig.breaker.admit(None, rig.now()).expect("no policy");
        assert!(!admission.is_shadow());
        assert_eq!(rig.breaker.status().cause, Some(Cause::PolicyRemoved));
        if let Some(probe) = probe {
            rig.fail(probe);
        }
        assert_eq!(rig.state(), Closed);
    }
}

#[test]
fn a_probe_that_ends_without_a_policy_only_gives_its_place_back() {
    for fails in [true, false] {
        let rig = in_a_row(1);
        rig.until_half_open();
        let probe = rig.admit();
        if fails {
            rig.breaker.failure(None, probe, Failure::default(), rig.now());
        } else {
            rig.breaker.success(None, probe, false, || rig.now());
        }
        assert_eq!(rig.state(), HalfOpen);
        assert_eq!(rig.run("ok"), "ok");
    }
}
