//! The circuit with retry, timeout and bulkhead: section 2 and its likes in 13, CO-1, CO-2.

use std::sync::Arc;

use resil::{Bulkhead, CircuitState, Jitter, Policies, Protected, Retry, Timeout};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::rig::{Rig, cb, in_a_row, word};
use crate::support::{Error, Port, Step, fault, is_full, is_open, ms, start, wrap};

/// Retries without a wait, so that only what the row means takes time.
fn retry(attempts: u32) -> Retry {
    Retry::attempts(attempts).base(ms(0))
}

// 37, 38, 39: CircuitBreakerRetryTest.testCircuitOpenWithMoreRetries, …WithFewRetries, testClassLevelCircuitOpenWithMoreRetries
#[tokio::test(start_paused = true)]
async fn an_open_circuit_ends_the_retries() {
    for (attempts, end, n, state) in [
        (8, "CBO", 4, CircuitState::Open),
        (3, "E", 3, CircuitState::Closed),
    ] {
        let policies = Policies::new()
            .retry(retry(attempts))
            .circuit_breaker(cb(4, 0.75, 50_000, 2));
        let (port, adapter) = wrap(policies, |_| fault());
        let answer = port.call().await;
        assert_eq!(word(&answer), end);
        assert_eq!(adapter.calls(), n);
        assert_eq!(port.circuit("call").unwrap().state(), state);
        if let Err(Error::Policy(error)) = answer {
            assert!(!error.not_sent(), "four attempts had reached it");
            assert_eq!(error.code().unwrap().as_str(), "fault");
        }
    }
}

// 40: CircuitBreakerRetryTest.testCircuitOpenWithMultiTimeouts
#[tokio::test(start_paused = true)]
async fn timeouts_open_it_under_a_retry() {
    let policies = Policies::new()
        .retry(retry(8))
        .circuit_breaker(cb(4, 0.75, 50_000, 2))
        .timeout(Timeout::new(ms(100)));
    let (port, adapter) = wrap(policies, |_| Step::After(5_000, Ok(0)));
    let begin = Instant::now();
    assert!(is_open(&port.call().await));
    assert_eq!(adapter.calls(), 4);
    assert_eq!(begin.elapsed(), ms(400));
}

// 41 to 44: CircuitBreakerRetryTest.testRetriesSucceedWhenCircuitCloses, testNoRetriesIfNotRetryOn(Async), testNoRetriesIfAbortOn
#[tokio::test(start_paused = true)]
async fn an_open_circuit_is_never_retried() {
    for wait in [100, 200] {
        let repeated = Retry::attempts(21)
            .base(ms(wait))
            .factor(1.0)
            .jitter(Jitter::None);
        let rig = Rig::under(
            Policies::new()
                .retry(repeated)
                .circuit_breaker(cb(4, 0.75, 1_000, 1)),
        );
        rig.run("P*4 open").await;
        let begin = Instant::now();
        rig.run("CBO").await;
        assert_eq!(begin.elapsed(), ms(0));
        assert_eq!(rig.adapter.calls(), 4);
        rig.run("+1000 ok closed").await;
        assert_eq!(rig.adapter.calls(), 5);
    }
}

// 45: CircuitBreakerTimeoutTest.testTimeout; 246: Composition: breaker over timeout
#[tokio::test(start_paused = true)]
async fn timeouts_are_failures() {
    let policies = Policies::new().timeout(Timeout::new(ms(500)));
    let rig = Rig::under(policies.circuit_breaker(cb(2, 0.75, 50_000, 2)));
    rig.run("TOX closed TOX open CBO").await;
    assert_eq!(rig.adapter.calls(), 2);

    let policies = Policies::new().timeout(Timeout::new(ms(50)));
    let rig = Rig::under(policies.circuit_breaker(in_a_row(1)));
    rig.run("TOX open").await;
    assert_eq!(rig.circuit().code().unwrap().as_str(), "timed_out");
}

// 46, 47, 48: CircuitBreakerBulkheadTest.*; CO-2
#[tokio::test(start_paused = true)]
async fn a_full_bulkhead_is_no_evidence() {
    for (breaker, queued, refused) in [
        (cb(3, 1.0, 50_000, 1), 1, 5),
        (cb(3, 1.0, 5_000, 1), 0, 5),
        (cb(3, 1.0, 50_000, 1), 1, 5),
        (cb(4, 0.5, 1_000, 1), 0, 10),
    ] {
        let gate = Arc::new(Semaphore::new(0));
        let bulkhead = Bulkhead::new(1).max_queued(queued).max_wait(ms(60_000));
        let step = Arc::clone(&gate);
        let policies = Policies::new().circuit_breaker(breaker).bulkhead(bulkhead);
        let (port, adapter) = wrap(policies, move |_| Step::Gate(Arc::clone(&step), Ok(1)));
        let mut admitted = Vec::new();
        for _ in 0..=queued {
            admitted.push(start(&port).await);
        }
        for _ in 0..refused {
            assert!(is_full(&port.call().await));
        }
        let circuit = port.circuit("call").unwrap();
        assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
        gate.add_permits(admitted.len());
        for call in admitted {
            assert_eq!(call.await.unwrap(), Ok(1));
        }
        assert_eq!(adapter.calls(), queued + 1);
        assert_eq!(adapter.most_at_once(), 1);
    }
}

/// Who waits for a place while the circuit opens is refused as such, and gives the place on.
#[tokio::test(start_paused = true)]
async fn a_circuit_that_opens_refuses_who_waits_for_a_place() {
    let bulkhead = Bulkhead::new(1).max_queued(2).max_wait(ms(60_000));
    let rig = Rig::under(Policies::new().circuit_breaker(in_a_row(1)).bulkhead(bulkhead));
    let first = rig.pending(Err(Error::Fault)).await;
    let waiters = [start(&rig.port).await, start(&rig.port).await];
    assert_eq!(first.end().await, "E");
    for waiter in waiters {
        let answer = waiter.await.unwrap();
        assert!(is_open(&answer), "{answer:?}");
    }
    assert_eq!(rig.adapter.calls(), 1);
    rig.run("+1000 ok closed").await;
}

// 244: Composition: retry over breaker, success after failures
#[tokio::test(start_paused = true)]
async fn a_retry_that_works_in_time_leaves_it_closed() {
    let policies = Policies::new()
        .retry(retry(1_000_000))
        .circuit_breaker(in_a_row(3));
    let (port, adapter) = wrap(policies, |n| if n < 3 { fault() } else { Step::Now(Ok(n)) });
    assert_eq!(port.call().await, Ok(3));
    assert_eq!(adapter.calls(), 3);
    let circuit = port.circuit("call").unwrap();
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
}

/// CO-1: the breaker is inside the retry, and sees each attempt, in whatever order they are written.
#[tokio::test(start_paused = true)]
async fn each_attempt_is_an_outcome() {
    let breaker = cb(4, 0.5, 1_000, 1);
    for policies in [
        Policies::new().retry(retry(3)).circuit_breaker(breaker),
        Policies::new().circuit_breaker(breaker).retry(retry(3)),
    ] {
        let (port, adapter) = wrap(policies, |_| fault());
        let circuit = port.circuit("call").unwrap();
        assert_eq!(port.call().await, Err(Error::Fault));
        assert_eq!((adapter.calls(), circuit.state()), (3, CircuitState::Closed));
        assert!(is_open(&port.call().await));
        assert_eq!((adapter.calls(), circuit.state()), (4, CircuitState::Open));
    }
}

/// `not_sent` is said of the whole call.
#[tokio::test(start_paused = true)]
async fn a_refused_call_was_sent_where_an_earlier_attempt_was() {
    for (first, not_sent) in [(Error::NotSent, true), (Error::Fault, false)] {
        let policies = Policies::new().retry(retry(3)).circuit_breaker(in_a_row(2));
        let (port, adapter) = wrap(policies, move |n| {
            Step::Now(Err(if n == 1 { first.clone() } else { Error::NotSent }))
        });
        let Err(Error::Policy(error)) = port.call().await else {
            panic!("the third attempt was to be refused")
        };
        assert_eq!(
            (error.not_sent(), error.code().unwrap().as_str()),
            (not_sent, "not_sent")
        );
        assert_eq!(adapter.calls(), 2);
    }
}

/// Also where the turn never comes: the circuit is why, not the bulkhead.
#[tokio::test(start_paused = true)]
async fn who_waits_too_long_for_a_place_while_the_circuit_opens_is_refused_by_the_circuit() {
    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(1_000));
    let policies = Policies::new().circuit_breaker(in_a_row(1)).bulkhead(bulkhead);
    let (port, adapter) = wrap(policies, |_| Step::Hang);
    let running = start(&port).await;
    let waiting = start(&port).await;
    port.circuit("call").unwrap().force_open();
    assert_eq!(word(&waiting.await.unwrap()), "CBO");
    assert_eq!(adapter.calls(), 1);
    running.abort();
}
