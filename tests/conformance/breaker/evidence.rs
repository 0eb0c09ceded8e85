//! What says something of the dependency, and what does not: refusals, panics, drops, errors of other layers, observed policies.

use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt;
use resil::{
    Bulkhead, CircuitState, Mode, Policies, PolicyError, PolicyErrorKind, Protected, Retry, Timeout,
};
use tokio::sync::Semaphore;
use tokio::time::advance;

use super::rig::{Rig, cb, in_a_row, rows, word};
use crate::support::{Error, Port, Step, fault, ms, start, wrap};

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_success_and_a_permanent_error_a_failure() {
    rows([
        (
            "a refusal ends a run of failures",
            in_a_row(3),
            "E E U E E closed E open",
            6,
        ),
        ("a permanent error is one more", in_a_row(3), "E P E open", 3),
        (
            "a refusal thins the rate",
            cb(4, 0.75, 1_000, 1),
            "E U E U closed E U closed",
            6,
        ),
        (
            "permanent errors make it",
            cb(4, 0.75, 1_000, 1),
            "P U P P open",
            4,
        ),
        (
            "a permanent error of a probe reopens",
            in_a_row(1),
            "P +1000 P open CBO",
            2,
        ),
    ])
    .await;
}

/// An error that a policy further in has made.
fn further_in(kind: PolicyErrorKind) -> Step {
    Step::Now(Err(Error::Policy(PolicyError::new(kind).of(
        "Inner",
        "HttpInner",
        "get",
    ))))
}

const NO_TIMEOUT: [PolicyErrorKind; 5] = [
    PolicyErrorKind::DeadlineExceeded,
    PolicyErrorKind::CircuitOpen,
    PolicyErrorKind::BulkheadFull,
    PolicyErrorKind::RateLimited,
    PolicyErrorKind::LoadFailed,
];

/// Neither a failure nor a success, and not retried.
#[tokio::test(start_paused = true)]
async fn a_refusal_by_another_layer_is_no_evidence() {
    for kind in NO_TIMEOUT {
        let retry = Retry::attempts(3).base(ms(0));
        let (port, adapter) = wrap(
            Policies::new().retry(retry).circuit_breaker(in_a_row(1)),
            move |_| further_in(kind),
        );
        assert_eq!(port.call().await.unwrap_err().kind(), Some(kind));
        assert_eq!(adapter.calls(), 1, "{kind:?} is not retried");
        let circuit = port.circuit("call").unwrap();
        assert_eq!(
            (circuit.state(), circuit.failures()),
            (CircuitState::Closed, 0),
            "{kind:?}"
        );

        let rig = Rig::new(in_a_row(2));
        rig.run("E").await;
        rig.call(further_in(kind)).await.unwrap_err();
        rig.run("closed E open").await;

        let rig = Rig::new(cb(2, 0.5, 1_000, 1));
        rig.run("ok").await;
        rig.call(further_in(kind)).await.unwrap_err();
        rig.run("closed ok closed E open").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_refused_by_another_layer_gives_its_place_back() {
    for kind in NO_TIMEOUT {
        let rig = Rig::new(in_a_row(1));
        rig.run("E +1000").await;
        for _ in 0..3 {
            assert_eq!(rig.call(further_in(kind)).await.unwrap_err().kind(), Some(kind));
            assert_eq!(rig.state(), CircuitState::HalfOpen, "{kind:?}");
        }
        rig.run("ok closed").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_further_in_is_a_failure_and_is_retried() {
    let retry = Retry::attempts(3).base(ms(0));
    let policies = Policies::new().retry(retry).circuit_breaker(in_a_row(3));
    let (port, adapter) = wrap(policies, |_| further_in(PolicyErrorKind::TimedOut));
    assert_eq!(word(&port.call().await), "TOX");
    assert_eq!(adapter.calls(), 3);
    assert_eq!(port.circuit("call").unwrap().state(), CircuitState::Open);
}

/// A panic is a failure.
#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure() {
    let rig = Rig::new(in_a_row(2));
    rig.run("E").await;
    assert!(rig.start(Step::Panic).await.await.unwrap_err().is_panic());
    rig.run("open CBO +1000 ok closed").await;
}

/// A call dropped while somebody else unwinds is a dropped call.
#[tokio::test(start_paused = true)]
async fn a_call_dropped_by_another_panic_is_no_failure() {
    let (port, adapter) = wrap(Policies::new().circuit_breaker(in_a_row(1)), |_| Step::Hang);
    let circuit = port.circuit("call").unwrap();
    let task = tokio::spawn(async move {
        let mut call = pin!(port.call());
        assert!(call.as_mut().now_or_never().is_none());
        panic!("somebody else");
    });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!((adapter.calls(), adapter.running()), (1, 0));
    assert_eq!(circuit.state(), CircuitState::Closed);
}

/// TO-2, CO-2: callers that hang up early say nothing.
#[tokio::test(start_paused = true)]
async fn an_early_drop_is_no_evidence() {
    for policies in [Policies::new(), Policies::new().timeout(Timeout::new(ms(1_000)))] {
        let rig = Rig::under(policies.circuit_breaker(cb(4, 0.5, 1_000, 1)));
        for _ in 0..10 {
            let call = rig.pending(Ok(1)).await;
            advance(ms(499)).await;
            call.drop_it().await;
        }
        assert_eq!(rig.adapter.running(), 0);
        rig.run("closed E*3 closed E open").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_after_half_of_the_timeout_is_a_failure() {
    let rig = Rig::under(
        Policies::new()
            .timeout(Timeout::new(ms(1_000)))
            .circuit_breaker(cb(4, 0.5, 1_000, 1)),
    );
    for _ in 0..4 {
        assert_eq!(rig.state(), CircuitState::Closed);
        let call = rig.pending(Ok(1)).await;
        advance(ms(500)).await;
        call.drop_it().await;
    }
    rig.run("open CBO").await;
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_no_drop_is_a_failure() {
    let rig = Rig::new(in_a_row(1));
    let call = rig.pending(Ok(1)).await;
    advance(ms(86_400_000)).await;
    call.drop_it().await;
    rig.run("closed").await;
}

/// Time in the queue of the bulkhead, or between two attempts, is no time of an attempt.
#[tokio::test(start_paused = true)]
async fn a_drop_outside_the_adapter_is_no_evidence() {
    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(60_000));
    let breaker = in_a_row(1);
    let rig = Rig::under(
        Policies::new()
            .circuit_breaker(breaker)
            .bulkhead(bulkhead)
            .timeout(Timeout::new(ms(20_000))),
    );
    let running = rig.pending(Ok(1)).await;
    let waiting = start(&rig.port).await;
    advance(ms(15_000)).await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    rig.run("closed").await;
    assert_eq!(running.end().await, "ok");

    let retry = Retry::attempts(3).base(ms(10_000)).jitter(resil::Jitter::None);
    let policies = Policies::new()
        .retry(retry)
        .circuit_breaker(in_a_row(2))
        .timeout(Timeout::new(ms(1_000)));
    let (port, adapter) = wrap(policies, |_| fault());
    let call = start(&port).await;
    advance(ms(9_000)).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let circuit = port.circuit("call").unwrap();
    assert_eq!(
        (adapter.calls(), circuit.failures(), circuit.state()),
        (1, 1, CircuitState::Closed)
    );
}

/// A call is lazy: one that is never polled is no probe, and holds no place.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_never_polled_is_none() {
    let rig = Rig::new(in_a_row(1));
    rig.run("E +1000").await;
    let unpolled = rig.port.call();
    rig.run("open ok closed").await;
    drop(unpolled);
    drop(rig.port.call());
    assert_eq!(rig.adapter.calls(), 2);
}

// 189: shouldRecordMetricsInMetricsOnlyState
#[tokio::test(start_paused = true)]
async fn an_observed_circuit_refuses_nothing() {
    let rig = Rig::new(cb(5, 0.5, 1_000, 1).mode(Mode::Observe));
    let mut transitions = rig.circuit().subscribe();
    rig.run("E E E ok closed ok open E open").await;
    assert_eq!(rig.adapter.calls(), 6);
    assert_eq!(transitions.next().await.unwrap().to(), CircuitState::Open);
    assert!(transitions.next().now_or_never().is_none(), "one transition");
}

/// What it would have refused is no evidence; what it would have let through as a probe is.
#[tokio::test(start_paused = true)]
async fn an_observed_circuit_goes_through_its_states() {
    let rig = Rig::new(in_a_row(2).mode(Mode::Observe));
    rig.run("E E open ok E ok open +1000").await;
    let probe = rig.pending(Ok(1)).await;
    rig.run("half_open E half_open ok half_open").await;
    assert_eq!(probe.end().await, "ok");
    rig.run("closed E closed E open +1000 E open ok open").await;
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (2, 1));
}

/// What an observed bulkhead would have refused is no evidence, neither way.
#[tokio::test(start_paused = true)]
async fn beyond_an_observed_bulkhead_nothing_is_evidence() {
    let gate = Arc::new(Semaphore::new(0));
    let step = Arc::clone(&gate);
    let bulkhead = Bulkhead::new(1).mode(Mode::Observe);
    let policies = Policies::new().circuit_breaker(in_a_row(2)).bulkhead(bulkhead);
    let (port, _) = wrap(policies, move |n| match n {
        2 => Step::Gate(Arc::clone(&step), Err(Error::Fault)),
        4 => Step::Now(Ok(n)),
        _ => fault(),
    });
    let circuit = port.circuit("call").unwrap();
    assert_eq!(port.call().await, Err(Error::Fault));
    let within = start(&port).await;
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(
        circuit.state(),
        CircuitState::Closed,
        "a failure beyond the limit does not count"
    );
    assert_eq!(port.call().await, Ok(4));
    gate.add_permits(1);
    assert_eq!(within.await.unwrap(), Err(Error::Fault));
    assert_eq!(
        circuit.state(),
        CircuitState::Open,
        "nor did the success end the run"
    );
}

/// What an observed timeout would have cut is no evidence; a probe gives its place back.
#[tokio::test(start_paused = true)]
async fn beyond_an_observed_timeout_nothing_is_evidence() {
    let timeout = Timeout::new(ms(100)).mode(Mode::Observe);
    let rig = Rig::under(Policies::new().timeout(timeout).circuit_breaker(in_a_row(1)));
    rig.run("E@200 closed ok@200 closed E@99 open").await;
    rig.run("+1000 E@200 half_open ok@200 half_open ok closed").await;
}
