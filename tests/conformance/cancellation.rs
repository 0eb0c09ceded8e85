//! Calls that nobody waits for any more.

use std::future::ready;
use std::sync::{Arc, Mutex};

use resil::{Bulkhead, CircuitBreaker, CircuitState, Policies, Timeout};
use tokio::time::{Instant, sleep, timeout};

use crate::given::{at_once, circuit, first_failure, half_of_four};
use crate::method::Method;
use crate::support::{Error, Port, Scripted, Step, fault, is_timeout, ms, settle, wrap};

fn hanging() -> Scripted {
    Scripted::new(|_| Step::Hang)
}

/// Says when it was dropped.
struct Witness(Arc<Mutex<Option<Instant>>>);

impl Drop for Witness {
    fn drop(&mut self) {
        *self.0.lock().expect("nobody panics under it") = Some(Instant::now());
    }
}

// TO-1: the body is dropped in the poll that ends the call
#[tokio::test(start_paused = true)]
async fn a_body_goes_with_its_call() {
    for (row, limit, caller_waits, gone_after) in [("timed out", 100, 1000, 100), ("dropped", 100, 50, 50)] {
        let dropped = Arc::new(Mutex::new(None));
        let finished = Scripted::new(|n| Step::Now(Ok(n)));
        let method = Method::read(Policies::new().timeout(Timeout::new(ms(limit))));
        let begun = Instant::now();
        let call = method.call(async || {
            let _witness = Witness(Arc::clone(&dropped));
            sleep(ms(10_000)).await;
            finished.call().await
        });
        let answer = timeout(ms(caller_waits), call).await;
        assert!(
            answer.as_ref().map_or(row == "dropped", is_timeout),
            "{row}: {answer:?}"
        );
        let gone = dropped
            .lock()
            .expect("nobody panics under it")
            .expect("it was dropped");
        assert_eq!(gone - begun, ms(gone_after), "{row}");
        sleep(ms(20_000)).await;
        assert_eq!(finished.calls(), 0, "{row}");
    }
}

// TO-2: callers that go away are neither successes nor failures
#[tokio::test(start_paused = true)]
async fn callers_that_hang_up_are_no_evidence() {
    let (port, adapter) = wrap(Policies::new().circuit_breaker(half_of_four()), |n| match n {
        1..=10 => Step::Hang,
        _ => fault(),
    });
    for _ in 0..10 {
        assert!(timeout(ms(5000), port.call()).await.is_err());
    }
    assert_eq!((adapter.calls(), adapter.running()), (10, 0));
    // The window is empty: it takes four outcomes to open the circuit, not fewer.
    let circuit = circuit(&port);
    for number in 1..=4 {
        assert_eq!(circuit.state(), CircuitState::Closed, "before failure {number}");
        assert_eq!(port.call().await, Err(Error::Fault));
    }
    assert_eq!(circuit.state(), CircuitState::Open);
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_after_half_of_its_timeout_is_a_failure_and_an_earlier_one_is_not() {
    let rows = [
        ("just before half", Some(1000), 499, CircuitState::Closed),
        ("at half", Some(1000), 500, CircuitState::Open),
        ("just before the end", Some(1000), 999, CircuitState::Open),
        ("at once", Some(1000), 0, CircuitState::Closed),
        ("half of an odd limit", Some(3), 2, CircuitState::Open),
        ("before half of an odd limit", Some(3), 1, CircuitState::Closed),
        ("without a timeout", None, 1_000_000, CircuitState::Closed),
    ];
    for (row, limit, dropped_after, state) in rows {
        let mut policies = Policies::new().circuit_breaker(first_failure());
        if let Some(limit) = limit {
            policies = policies.timeout(Timeout::new(ms(limit)));
        }
        let (method, body) = (Method::read(policies), hanging());
        let call = timeout(ms(dropped_after), method.call(|| body.call()));
        assert!(call.await.is_err(), "{row}");
        assert_eq!((method.circuit().state(), body.running()), (state, 0), "{row}");
    }
}

// Half of the timeout is counted from when the attempt ran, not from when its caller asked.
#[tokio::test(start_paused = true)]
async fn time_in_the_queue_is_no_evidence() {
    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(60_000));
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .timeout(Timeout::new(ms(1000)))
        .bulkhead(bulkhead);
    // The one that runs answers before its own half.
    let body = Scripted::new(|n| {
        if n == 1 {
            Step::After(400, Ok(1))
        } else {
            Step::Hang
        }
    });
    let method = Method::read(policies);
    let (running, first) = (method.clone(), body.clone());
    tokio::spawn(async move { running.call(|| first.call()).await });
    settle().await;
    // 400 in the queue and 499 of its own.
    assert!(timeout(ms(899), method.call(|| body.call())).await.is_err());
    assert_eq!(
        (body.calls(), method.circuit().state()),
        (2, CircuitState::Closed)
    );
    assert_eq!((method.running(), method.waiting()), (0, 0));
    // Half of its own.
    assert!(timeout(ms(500), method.call(|| body.call())).await.is_err());
    assert_eq!(method.circuit().state(), CircuitState::Open);
}

// What was settled before the drop is not settled again: the wait before a retry is nobody's fault.
#[tokio::test(start_paused = true)]
async fn a_call_dropped_during_the_wait_for_a_retry_counts_only_its_attempt() {
    let breaker = CircuitBreaker::new().failure_threshold(2);
    let retry = at_once(3).base(ms(10_000)).jitter(resil::Jitter::None);
    let policies = Policies::new()
        .circuit_breaker(breaker)
        .retry(retry)
        .timeout(Timeout::new(ms(1000)));
    let (method, body) = (Method::read(policies), Scripted::new(|_| fault()));
    assert!(timeout(ms(5000), method.call(|| body.call())).await.is_err());
    assert_eq!((body.calls(), method.circuit().failures()), (1, 1));
}

// 90: AsyncCancellationTest.testCancelledDoesNotRetry
#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_not_retried() {
    let (method, body) = (Method::read(Policies::new().retry(at_once(6))), hanging());
    assert!(timeout(ms(100), method.call(|| body.call())).await.is_err());
    sleep(ms(500)).await;
    assert_eq!((body.calls(), body.running()), (1, 0));
}

// 225: RetryResilienceStrategyTests.ExecuteAsync_CanceledBefore. A call is lazy: nothing happens before its first poll.
#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_first_poll() {
    let retry = at_once(2).budget(1.0).budget_min_per_s(0);
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .bulkhead(Bulkhead::new(1))
        .retry(retry);
    let (method, body) = (Method::read(policies), Scripted::new(|_| fault()));
    let unpolled: Vec<_> = (0..10).map(|_| method.call(|| body.call())).collect();
    assert_eq!((body.calls(), method.running()), (0, 0));
    drop(unpolled);
    assert_eq!(
        (body.calls(), method.circuit().state()),
        (0, CircuitState::Closed)
    );

    // Neither is the probe's place taken by one.
    assert_eq!(
        method.call(|| ready(Err(Error::Permanent))).await,
        Err(Error::Permanent)
    );
    sleep(ms(1000)).await;
    let unpolled = method.call(|| body.call());
    assert_eq!(method.call(|| ready(Ok(1))).await, Ok(1));
    assert_eq!(method.circuit().state(), CircuitState::Closed);
    drop(unpolled);
}
