//! How policies combine: the order in which they act, and what one makes of another's refusal.

use std::sync::{Arc, Mutex};

use resil::{
    Bulkhead, CircuitBreaker, CircuitState, Jitter, Policies, PolicyError, PolicyErrorKind, Retry, Timeout,
};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::{a_second_later, at_once, circuit, first_failure, gated, half_of_four, places, queue};
use crate::method::Method;
use crate::refusals::refusal;
use crate::support::{Error, Port, Step, fault, is_full, is_open, is_timeout, ms, start, wrap};

// Not here, with the reason:
//   29-54        circuit breakers, and what stands around them, are in files of their own
//   247, 248     see `fallback`, as for CO-4
//   258          see `retry_budget`
//   260          a hedge beside a retry does not compile
//   267          see `races` and `cached`
//   CO-3         which methods run on the wrapper is decided by the attribute, and tested there

// 172: FaultToleranceInterceptorPriorityChange*.testRetryInterceptors
#[tokio::test(start_paused = true)]
async fn what_stands_outside_runs_once_and_what_stands_inside_once_per_attempt() {
    let log = Mutex::new(Vec::new());
    let note = |what| log.lock().expect("nobody panics under it").push(what);
    let method = Method::read(Policies::new().retry(at_once(2)));
    let inner = async || {
        note("inner layer");
        note("function");
        Err(Error::Fault)
    };
    let outer = async {
        note("outer layer");
        method.call(inner).await
    };
    assert_eq!(outer.await, Err(Error::Fault));
    let expected = [
        "outer layer",
        "inner layer",
        "function",
        "inner layer",
        "function",
    ];
    assert_eq!(log.into_inner().expect("nobody panicked under it"), expected);
}

// CO-1: the order is fixed, whatever the order written. Retry stands outside the circuit: each attempt is an outcome.
#[tokio::test(start_paused = true)]
async fn each_attempt_is_an_outcome_of_the_circuit() {
    let retry_first = Policies::new().retry(at_once(3)).circuit_breaker(half_of_four());
    let breaker_first = Policies::new().circuit_breaker(half_of_four()).retry(at_once(3));
    assert_eq!(retry_first, breaker_first);
    for policies in [retry_first, breaker_first] {
        let (port, adapter) = wrap(policies, |_| fault());
        let circuit = circuit(&port);
        assert_eq!(port.call().await, Err(Error::Fault));
        assert_eq!((adapter.calls(), circuit.state()), (3, CircuitState::Closed));
        assert!(is_open(&port.call().await));
        assert_eq!((adapter.calls(), circuit.state()), (4, CircuitState::Open));
    }
}

// CO-1: the circuit stands outside the bulkhead. Who is refused by the circuit needs no place, and no room to wait.
#[tokio::test(start_paused = true)]
async fn an_open_circuit_refuses_before_a_full_bulkhead_does() {
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .bulkhead(Bulkhead::new(1));
    let (port, adapter) = wrap(policies, |_| Step::Hang);
    start(&port).await;
    assert!(is_full(&port.call().await));
    circuit(&port).force_open();
    assert!(is_open(&port.call().await));
    assert_eq!((adapter.calls(), places(&port)), (1, (1, 0)));
}

// CO-1: the retry stands outside the bulkhead, so no place is held between attempts. 64, 65 and 67 say the rest.
#[tokio::test(start_paused = true)]
async fn no_place_is_held_while_a_retry_waits() {
    let policies = Policies::new().retry(a_second_later()).bulkhead(Bulkhead::new(1));
    let (port, _) = wrap(policies, |n| if n == 1 { fault() } else { Step::Now(Ok(n)) });
    let first = start(&port).await;
    assert_eq!(places(&port), (0, 0));
    assert_eq!(timed(port.call()).await, (Ok(2), ms(0)));
    assert_eq!(first.await.expect("it does not panic"), Ok(3));
}

// CO-2: neither a full bulkhead nor a dropped caller is a failure of the dependency
#[tokio::test(start_paused = true)]
async fn a_full_bulkhead_is_no_evidence() {
    let breaker = half_of_four().failure_threshold(5);
    let policies = Policies::new()
        .circuit_breaker(breaker)
        .bulkhead(Bulkhead::new(1));
    let (port, adapter, gate) = gated(policies, |n| if n == 1 { Ok(n) } else { Err(Error::Fault) });
    let first = start(&port).await;
    for _ in 0..10 {
        assert!(is_full(&port.call().await));
    }
    let circuit = circuit(&port);
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
    gate.add_permits(4);
    assert_eq!(first.await.expect("it does not panic"), Ok(1));
    // The window holds that one success, so it takes three outcomes more, not fewer.
    for _ in 0..3 {
        assert_eq!(circuit.state(), CircuitState::Closed);
        assert_eq!(port.call().await, Err(Error::Fault));
    }
    assert_eq!((circuit.state(), adapter.calls()), (CircuitState::Open, 4));
}

// The same for one who waited in vain.
#[tokio::test(start_paused = true)]
async fn a_wait_that_was_too_long_is_no_evidence() {
    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(50));
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .bulkhead(bulkhead);
    let (port, _) = wrap(policies, |_| Step::Hang);
    start(&port).await;
    assert!(is_full(&port.call().await));
    let circuit = circuit(&port);
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
}

// A probe that the bulkhead refuses has used up nothing.
#[tokio::test(start_paused = true)]
async fn a_probe_that_finds_the_bulkhead_full_gives_its_place_back() {
    let breaker = first_failure().half_open_calls(2).half_open_max(ms(600_000));
    let policies = Policies::new()
        .circuit_breaker(breaker)
        .bulkhead(Bulkhead::new(2));
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let (port, adapter) = wrap(policies, move |n| match n {
        1 => Step::Hang,
        2 => fault(),
        3 => Step::Gate(Arc::clone(&held), Ok(n)),
        _ => Step::Now(Ok(n)),
    });
    let circuit = circuit(&port);
    start(&port).await;
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(circuit.state(), CircuitState::Open);
    sleep(ms(1000)).await;

    // The first call hangs and this probe runs, so both places are taken.
    let probe = start(&port).await;
    assert_eq!((circuit.state(), places(&port)), (CircuitState::HalfOpen, (2, 0)));
    for _ in 0..3 {
        assert!(
            is_full(&port.call().await),
            "not refused by the circuit: a probe's place is free"
        );
    }
    gate.add_permits(1);
    assert_eq!(probe.await.expect("it does not panic"), Ok(3));
    assert_eq!(
        circuit.state(),
        CircuitState::HalfOpen,
        "one of two probes succeeded"
    );
    assert_eq!(port.call().await, Ok(4));
    assert_eq!((circuit.state(), adapter.calls()), (CircuitState::Closed, 4));
}

// One whose circuit opened while it waited is refused by the circuit, without reaching the adapter.
#[tokio::test(start_paused = true)]
async fn waiters_behind_the_failure_that_opens_the_circuit_are_refused() {
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .bulkhead(queue(1, 3));
    let (port, adapter) = wrap(policies, |_| Step::After(10, Err(Error::Fault)));
    let first = start(&port).await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(start(&port).await);
    }
    assert_eq!(first.await.expect("it does not panic"), Err(Error::Fault));
    for waiter in waiting {
        let error = refusal(waiter.await.expect("it does not panic"));
        assert_eq!(error.kind(), PolicyErrorKind::CircuitOpen);
        assert!(error.not_sent());
    }
    assert_eq!((adapter.calls(), places(&port)), (1, (0, 0)));
}

// 244: Composition: retry over breaker, success after failures
#[tokio::test(start_paused = true)]
async fn a_success_after_retries_ends_the_run_of_failures() {
    let policies = Policies::new()
        .retry(at_once(1_000_000))
        .circuit_breaker(CircuitBreaker::new().failure_threshold(3));
    let (port, adapter) = wrap(policies, |n| if n < 3 { fault() } else { Step::Now(Ok(n)) });
    assert_eq!(port.call().await, Ok(3));
    let circuit = circuit(&port);
    assert_eq!(
        (adapter.calls(), circuit.state(), circuit.failures()),
        (3, CircuitState::Closed, 0)
    );
}

// 245: Composition: breaker over retry. That nesting is two wrappers.
#[tokio::test(start_paused = true)]
async fn a_circuit_further_out_counts_a_call_with_its_retries_once() {
    let outer = Method::read(Policies::new().circuit_breaker(CircuitBreaker::new().failure_threshold(3)));
    let (inner, adapter) = wrap(Policies::new().retry(at_once(3)), |_| fault());
    assert_eq!(outer.call(|| inner.call()).await, Err(Error::Fault));
    assert_eq!((adapter.calls(), outer.circuit().failures()), (3, 1));
    assert_eq!(outer.circuit().state(), CircuitState::Closed);
}

// 246: Composition: breaker over timeout
#[tokio::test(start_paused = true)]
async fn a_timeout_is_a_failure() {
    let policies = Policies::new()
        .circuit_breaker(first_failure())
        .timeout(Timeout::new(ms(50)));
    let (port, adapter) = wrap(policies, |n| Step::After(100, Ok(n)));
    assert!(is_timeout(&port.call().await));
    let circuit = circuit(&port);
    assert_eq!((circuit.state(), adapter.calls()), (CircuitState::Open, 1));
    let error = refusal(port.call().await);
    assert_eq!(error.code().map(resil::Code::as_str), Some("timed_out"));
}

// What a policy further in refused says nothing of the dependency, and is not retried; a timeout further in does, and is.
#[tokio::test(start_paused = true)]
async fn refusals_from_further_in_are_no_evidence() {
    let rows = [
        (PolicyErrorKind::CircuitOpen, CircuitState::Closed, 1),
        (PolicyErrorKind::BulkheadFull, CircuitState::Closed, 1),
        (PolicyErrorKind::RateLimited, CircuitState::Closed, 1),
        (PolicyErrorKind::DeadlineExceeded, CircuitState::Closed, 1),
        (PolicyErrorKind::TimedOut, CircuitState::Open, 2),
    ];
    for (kind, state, calls) in rows {
        let further_in = move |_| Step::Now(Err(Error::Policy(PolicyError::new(kind))));
        let (port, _) = wrap(Policies::new().circuit_breaker(first_failure()), further_in);
        assert_eq!(refusal(port.call().await), PolicyError::new(kind));
        assert_eq!(circuit(&port).state(), state, "{kind:?}");
        let (port, adapter) = wrap(Policies::new().retry(at_once(2)), further_in);
        assert_eq!(refusal(port.call().await), PolicyError::new(kind));
        assert_eq!(adapter.calls(), calls, "{kind:?}");
    }
}

// All four at once, as a service has them: a slow dependency is cut, repeated, given up, and found well again.
#[tokio::test(start_paused = true)]
async fn all_four_together() {
    let policies = Policies::new()
        .timeout(Timeout::new(ms(100)))
        .bulkhead(Bulkhead::new(2))
        .circuit_breaker(CircuitBreaker::new().failure_threshold(4).reset_after(ms(1000)))
        .retry(Retry::attempts(3).base(ms(10)).jitter(Jitter::None));
    let (port, adapter) = wrap(policies, |n| {
        if n <= 4 {
            Step::Hang
        } else {
            Step::After(10, Ok(n))
        }
    });
    let circuit = circuit(&port);
    let (answer, time) = timed(port.call()).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (3, ms(100 + 10 + 100 + 20 + 100)));
    let (answer, time) = timed(port.call()).await;
    assert!(is_open(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (4, ms(100 + 10)));
    // Ten milliseconds of the open time passed before that refusal.
    sleep(ms(990)).await;
    assert_eq!(timed(port.call()).await, (Ok(5), ms(10)));
    assert_eq!(
        (circuit.state(), circuit.opened(), places(&port)),
        (CircuitState::Closed, 1, (0, 0))
    );
}
