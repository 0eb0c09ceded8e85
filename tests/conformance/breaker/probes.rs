//! What becomes of a probe that does not just answer: dropped, hung, panicked, or held up by the bulkhead. BRK-2, BRK-5.

use std::sync::Arc;

use resil::{Bulkhead, CircuitBreaker, CircuitState, Mode, Policies, Protected, Timeout};
use tokio::sync::Semaphore;
use tokio::time::advance;

use super::rig::{Rig, cb, in_a_row, word};
use crate::support::{Error, Port, Step, fault, is_full, is_open, ms, start, wrap};

/// Opens at the first failure; then so many probes at once, and as many successes to close.
fn probes(at_once: u32) -> CircuitBreaker {
    in_a_row(1).half_open_calls(at_once)
}

/// BRK-2: a dropped probe gives its place back at the drop.
#[tokio::test(start_paused = true)]
async fn a_dropped_probe_gives_its_place_back_at_once() {
    let rig = Rig::new(cb(4, 0.5, 1_000, 1));
    rig.run("E*4 +1000").await;
    rig.pending(Ok(1)).await.drop_it().await;
    assert_eq!(rig.state(), CircuitState::HalfOpen);
    rig.run("ok closed").await;
    assert_eq!(rig.adapter.calls(), 6);
}

/// A drop says nothing before half of the timeout, and is a failure from there on.
#[tokio::test(start_paused = true)]
async fn a_probe_dropped_late_is_a_failure() {
    for (after, state) in [(499, CircuitState::HalfOpen), (500, CircuitState::Open)] {
        let policies = Policies::new()
            .circuit_breaker(probes(1))
            .timeout(Timeout::new(ms(1_000)));
        let rig = Rig::under(policies);
        rig.run("E +1000").await;
        let probe = rig.pending(Ok(1)).await;
        advance(ms(after)).await;
        probe.drop_it().await;
        assert_eq!(rig.state(), state, "dropped after {after} ms");
    }
}

// BRK-5; 214: HalfOpen_EnsureBreakDuration
#[tokio::test(start_paused = true)]
async fn a_probe_that_does_not_end_loses_its_place() {
    for (breaker, lease) in [(probes(1), 1_000), (probes(1).half_open_max(ms(5_000)), 5_000)] {
        for late in [Err(Error::Fault), Ok(1)] {
            let rig = Rig::new(breaker);
            rig.run("E +60000").await;
            let hung = rig.pending(late).await;
            advance(ms(lease - 1)).await;
            rig.run("half_open CBO +1").await;
            let second = rig.pending(Ok(2)).await;
            rig.run("CBO").await;
            hung.end().await;
            assert_eq!(
                rig.state(),
                CircuitState::HalfOpen,
                "the first has no say any more"
            );
            rig.run("CBO").await;
            assert_eq!(second.end().await, "ok");
            assert_eq!(rig.state(), CircuitState::Closed);
        }
    }
}

/// BRK-5 to the letter: a probe that hangs for a minute, and ends once the circuit is closed.
#[tokio::test(start_paused = true)]
async fn a_hung_probe_that_fails_after_closing_is_not_heard() {
    let rig = Rig::new(probes(1));
    rig.run("E +1000").await;
    let hung = rig.pending(Err(Error::Fault)).await;
    rig.run("+60000 ok closed").await;
    assert_eq!(hung.end().await, "E");
    assert_eq!(rig.state(), CircuitState::Closed);
}

/// A panic is a failure: of a probe, too.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_probe_reopens_it() {
    let rig = Rig::new(probes(1));
    let panicked = rig.start(Step::Panic).await.await.unwrap_err();
    assert!(panicked.is_panic());
    rig.run("open CBO +1000").await;
    assert!(rig.start(Step::Panic).await.await.unwrap_err().is_panic());
    rig.run("open CBO +1000 ok closed").await;
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (1, 1));
}

/// A probe that the bulkhead has no room for says nothing, and gives its place back.
#[tokio::test(start_paused = true)]
async fn a_probe_that_finds_the_bulkhead_full_gives_its_place_back() {
    let policies = Policies::new()
        .circuit_breaker(probes(2))
        .bulkhead(Bulkhead::new(2));
    let rig = Rig::under(policies);
    let stale = rig.pending(Ok(1)).await;
    rig.run("E +1000").await;
    let probe = rig.pending(Ok(1)).await;
    for _ in 0..3 {
        assert!(
            is_full(&rig.call(Step::Now(Ok(1))).await),
            "the place is free, the bulkhead is not"
        );
    }
    assert_eq!(stale.end().await, "ok");
    rig.run("ok half_open").await;
    assert_eq!(probe.end().await, "ok");
    assert_eq!(rig.state(), CircuitState::Closed);
}

/// A probe that waits for room keeps its place, and one that is dropped there gives it back.
#[tokio::test(start_paused = true)]
async fn a_probe_that_waits_for_the_bulkhead_holds_its_place() {
    let bulkhead = Bulkhead::new(2).max_queued(1).max_wait(ms(60_000));
    let rig = Rig::under(Policies::new().circuit_breaker(probes(2)).bulkhead(bulkhead));
    let stale = rig.pending(Ok(1)).await;
    rig.run("E +1000").await;
    let probe = rig.pending(Ok(1)).await;
    let waiting = start(&rig.port).await;
    rig.run("CBO").await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    let waiting = rig.start(Step::Now(Ok(2))).await;
    rig.run("CBO").await;
    assert_eq!(stale.end().await, "ok");
    assert_eq!(word(&waiting.await.unwrap()), "ok");
    assert_eq!(rig.state(), CircuitState::HalfOpen);
    assert_eq!(probe.end().await, "ok");
    assert_eq!(rig.state(), CircuitState::Closed);
}

/// Where its time is up while it waits for room, and another call takes its place, it is asked again when its turn comes.
#[tokio::test(start_paused = true)]
async fn a_probe_that_lost_its_place_while_it_waited_does_not_run() {
    let gate = Arc::new(Semaphore::new(0));
    let step = Arc::clone(&gate);
    let bulkhead = Bulkhead::new(2).max_queued(3).max_wait(ms(60_000));
    let policies = Policies::new().circuit_breaker(probes(2)).bulkhead(bulkhead);
    let (port, adapter) = wrap(policies, move |n| match n {
        1 | 3 => Step::Gate(Arc::clone(&step), Ok(n)),
        2 => fault(),
        _ => Step::Now(Ok(n)),
    });
    let stale = start(&port).await;
    assert_eq!(port.call().await, Err(Error::Fault));
    advance(ms(1_000)).await;
    let (running, waiting) = (start(&port).await, start(&port).await);
    assert_eq!(adapter.calls(), 3);
    advance(ms(1_000)).await;
    let (third, fourth) = (start(&port).await, start(&port).await);
    assert_eq!(adapter.calls(), 3);
    gate.add_permits(1);
    assert_eq!(stale.await.unwrap(), Ok(1));
    assert!(is_open(&waiting.await.unwrap()));
    assert_eq!((third.await.unwrap(), fourth.await.unwrap()), (Ok(4), Ok(5)));
    assert_eq!(port.circuit("call").unwrap().state(), CircuitState::Closed);
    gate.add_permits(1);
    assert_eq!(running.await.unwrap(), Ok(3));
}

/// One that waits too long for room gives its place back.
#[tokio::test(start_paused = true)]
async fn a_probe_whose_wait_for_the_bulkhead_is_over_gives_its_place_back() {
    let bulkhead = Bulkhead::new(2).max_queued(1).max_wait(ms(300));
    let policies = Policies::new().circuit_breaker(probes(2)).bulkhead(bulkhead);
    let rig = Rig::under(policies);
    let stale = rig.pending(Ok(1)).await;
    rig.run("E +1000").await;
    let probe = rig.pending(Ok(1)).await;
    rig.run("BHF half_open").await;
    assert_eq!(stale.end().await, "ok");
    rig.run("ok half_open").await;
    assert_eq!(probe.end().await, "ok");
    assert_eq!(rig.state(), CircuitState::Closed);
}

/// One beyond an observed bulkhead says nothing, and gives its place back.
#[tokio::test(start_paused = true)]
async fn a_probe_beyond_an_observed_bulkhead_says_nothing() {
    let bulkhead = Bulkhead::new(2).mode(Mode::Observe);
    let policies = Policies::new().circuit_breaker(probes(2)).bulkhead(bulkhead);
    let rig = Rig::under(policies);
    let stale = rig.pending(Ok(1)).await;
    rig.run("E +1000").await;
    let probe = rig.pending(Ok(1)).await;
    rig.run("E half_open ok half_open").await;
    assert_eq!(stale.end().await, "ok");
    rig.run("ok half_open").await;
    assert_eq!(probe.end().await, "ok");
    assert_eq!(rig.state(), CircuitState::Closed);
}
