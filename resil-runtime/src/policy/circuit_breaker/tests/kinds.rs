//! Kinds of fault that users of other breakers met.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use CircuitState::{Closed, HalfOpen, Open};

fn brk(window_calls: u32, probes: u32) -> Rig {
    cb(window_calls, 0.5, 1_000, probes)
}

/// BRK-1: every admitted half-open call is counted or gives its place back.
#[test]
fn brk_1_a_refusal_uses_no_place_up() {
    let rig = brk(4, 2);
    assert_eq!(rig.run("E E E E +1000 ok ok ok"), "E E E E ok ok ok");
    assert_eq!(rig.state(), Closed);
    for end in [
        |rig: &Rig, probe| rig.ok(probe),
        |rig: &Rig, probe| rig.breaker.cancel(probe),
        |rig: &Rig, probe| rig.fail(probe),
    ] {
        let rig = brk(4, 1);
        rig.run("E E E E +1000");
        for _ in 0..20 {
            end(&rig, rig.admit());
            rig.pass(1_000);
        }
    }
}

/// BRK-2: a dropped probe gives its place back at the drop.
#[test]
fn brk_2_a_dropped_probe_gives_its_place_back() {
    let rig = brk(4, 1);
    rig.run("E E E E +1000");
    let dropped = rig.admit();
    rig.refused();
    rig.breaker.cancel(dropped);
    assert_eq!(rig.run("ok"), "ok");
    assert_eq!(rig.state(), Closed);
}

/// BRK-3: places are reserved atomically.
#[test]
fn brk_3_of_many_threads_at_the_edge_one_is_the_probe() {
    for _ in 0..200 {
        let rig = brk(4, 1);
        rig.run("E E E E +1000");
        let (breaker, rules, now) = (&*rig.breaker, &rig.rules, rig.now());
        let (barrier, entered) = (&Barrier::new(4), &AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    barrier.wait();
                    for _ in 0..25 {
                        if breaker.admit(Some(rules), now).is_ok() {
                            entered.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(entered.load(Ordering::Relaxed), 1);
    }
}

/// BRK-4: an outcome of another epoch changes neither state, window nor places.
#[test]
fn brk_4_a_slow_call_from_before_changes_nothing() {
    for late_success in [true, false] {
        let rig = brk(4, 1);
        let late = rig.admit();
        rig.run("E E E E +1000");
        let probe = rig.admit();
        if late_success {
            rig.ok(late);
        } else {
            rig.fail(late);
        }
        assert_eq!(rig.state(), HalfOpen);
        rig.refused();
        rig.fail(probe);
        assert_eq!(rig.state(), Open);
    }
}

/// BRK-4: a late outcome of the first closed time is no evidence in the second.
#[test]
fn brk_4_closed_again_is_another_epoch() {
    let rig = brk(2, 1);
    let late = [rig.admit(), rig.admit(), rig.admit()];
    rig.run("E E +1000 ok");
    assert_eq!(rig.state(), Closed);
    for late in late {
        rig.fail(late);
    }
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.breaker.status().failures, 0);
}

/// BRK-5: a probe that hangs keeps its place for `half_open_max` only, and its result is ignored afterwards.
#[test]
fn brk_5_a_probe_that_hangs_loses_its_place() {
    let rig = brk(4, 1);
    rig.run("E E E E +1000");
    let hangs = rig.admit();
    assert_eq!(rig.run("+60000 ok"), "ok");
    assert_eq!(rig.state(), Closed);
    rig.fail(hangs);
    assert_eq!(rig.state(), Closed);
    assert_eq!(rig.breaker.status().failures, 0);
}

/// BRK-6: what is no failure in a closed circuit is none in a half-open one.
#[test]
fn brk_6_a_refusal_in_half_open_does_not_open() {
    let rig = brk(4, 1);
    assert_eq!(rig.run("E E E E +1000 ok ok"), "E E E E ok ok");
    assert_eq!(rig.state(), Closed);
}

/// BRK-7: the check follows successes too.
#[test]
fn brk_7_a_success_that_fills_the_window_opens_it() {
    for window in [4, 40] {
        let rig = Rig::new(
            CircuitBreaker::new()
                .failure_rate(0.5)
                .window(window)
                .min_calls(4),
        );
        assert_eq!(rig.run("E E ok ok ok"), "E E ok ok CBO");
    }
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_rate(0.5)
            .window_time(ms(10_000))
            .min_calls(4),
    );
    assert_eq!(rig.run("E E ok ok ok"), "E E ok ok CBO");
}

/// BRK-8: `min_calls` is a rule of the closed state.
#[test]
fn brk_8_one_failed_probe_reopens_after_a_quiet_time() {
    let rig = Rig::new(
        CircuitBreaker::new()
            .failure_rate(0.5)
            .window_time(ms(10_000))
            .min_calls(10)
            .reset_after(ms(1_000)),
    );
    rig.run("E E E E E E E E E E");
    assert_eq!(rig.run("+60000 E ok"), "E CBO");
    assert_eq!(rig.run("+1000 ok"), "ok");
}

/// BRK-10: time is tokio's, so paused time moves it and nothing else does.
#[tokio::test(start_paused = true)]
async fn brk_10_paused_time_ends_the_open_time() {
    let rules = in_a_row(1).rules;
    let breaker = Breaker::new(&NAMES);
    let admission = breaker.admit(Some(&rules), Moment::now()).expect("closed");
    breaker.failure(Some(&rules), admission, Failure::default(), Moment::now());
    tokio::time::advance(ms(999)).await;
    breaker
        .admit(Some(&rules), Moment::now())
        .expect_err("still open");
    tokio::time::advance(ms(1)).await;
    breaker.admit(Some(&rules), Moment::now()).expect("the probe");
}
