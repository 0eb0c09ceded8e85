//! What it may not cost.

use super::*;

#[test]
fn sizes() {
    assert!(size_of::<Breaker>() <= 112, "{}", size_of::<Breaker>());
    assert!(size_of::<Admission>() <= 16, "{}", size_of::<Admission>());
}

/// Successes of a closed circuit read no clock, whatever its window of calls holds.
#[test]
fn successes_read_no_clock() {
    for window in [20, 100] {
        let rig = Rig::new(
            CircuitBreaker::new()
                .failure_threshold(5)
                .failure_rate(0.9)
                .window(window),
        );
        let succeed = || {
            let admission = rig
                .breaker
                .admit(Some(&rig.rules), Moment::FOREVER)
                .expect("closed");
            rig.breaker
                .success(Some(&rig.rules), admission, false, || unreachable!("closed"));
        };
        for _ in 0..3 {
            rig.run("E E");
            for _ in 0..150 {
                succeed();
            }
        }
    }
}

/// A window that is full and clean is not written: the lock of its ring can be held by somebody else.
#[test]
fn a_clean_window_takes_no_lock() {
    for window in [20, 100] {
        let rig = Rig::new(CircuitBreaker::new().failure_rate(0.5).window(window));
        for _ in 0..100 {
            rig.run("ok");
        }
        let _held = rig.breaker.lock();
        rig.run("ok ok ok");
    }
}

/// A window that holds failures is written without a lock, up to 32 calls and over time.
#[test]
fn a_window_with_failures_takes_no_lock_on_success() {
    for policy in [
        CircuitBreaker::new().window(32),
        CircuitBreaker::new().window_time(ms(1_000)),
    ] {
        let rig = Rig::new(policy.failure_threshold(9).failure_rate(0.9));
        rig.run("E ok E");
        let _held = rig.breaker.lock();
        rig.run("ok slow ok");
    }
}

#[test]
fn a_circuit_without_trouble_has_no_heap() {
    let rig = Rig::new(CircuitBreaker::new());
    for _ in 0..100 {
        rig.run("ok");
    }
    rig.breaker.status();
    rig.run("E ok");
    assert!(!rig.breaker.has_heap(), "nor do a few failures need it");
    rig.run("E E E E E");
    assert!(rig.breaker.has_heap());
}
