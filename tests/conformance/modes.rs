//! `mode = "observe"` and `scope = "instance"`.

use std::future::{pending, ready};

use resil_runtime::{
    Bulkhead, CircuitBreaker, CircuitState, Instance, MethodSpec, Mode, Overrides, Policies, Scope, Timeout,
};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::{at_once, circuit, first_failure, places, queue};
use crate::method::{ADAPTER, Method, READ, WRITE, bound};
use crate::support::{
    Answer, Error, Port, Scripted, Step, fault, is_full, is_open, is_timeout, ms, settle, start, wrap,
};

// A timeout that observes cuts nothing, and what it would have cut is no evidence.
#[tokio::test(start_paused = true)]
async fn an_observing_timeout_lets_the_attempt_go_on() {
    let policies = Policies::new().timeout(Timeout::new(ms(100)).mode(Mode::Observe));
    let (port, _) = wrap(policies.circuit_breaker(first_failure()), |n| match n {
        1 => Step::After(300, Ok(n)),
        2 => Step::After(300, Err(Error::Fault)),
        _ => Step::After(50, Err(Error::Fault)),
    });
    let circuit = circuit(&port);
    assert_eq!(timed(port.call()).await, (Ok(1), ms(300)));
    assert_eq!(timed(port.call()).await, (Err(Error::Fault), ms(300)));
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
    assert_eq!(timed(port.call()).await, (Err(Error::Fault), ms(50)));
    assert_eq!(
        circuit.state(),
        CircuitState::Open,
        "what ended in time is evidence"
    );
    assert_eq!(circuit.observed_timeouts(), 2);
}

// Retries follow the answer, as they would without the timeout.
#[tokio::test(start_paused = true)]
async fn an_attempt_beyond_an_observed_limit_is_retried_by_its_answer() {
    let policies = Policies::new()
        .timeout(Timeout::new(ms(100)).mode(Mode::Observe))
        .retry(at_once(2));
    let (port, adapter) = wrap(policies, |n| {
        Step::After(300, if n == 1 { Err(Error::Fault) } else { Ok(n) })
    });
    assert_eq!(timed(port.call()).await, (Ok(2), ms(600)));
    assert_eq!(adapter.calls(), 2);
}

// A circuit that observes shows what it would do, and refuses nothing.
#[tokio::test(start_paused = true)]
async fn an_observing_circuit_opens_and_refuses_nobody() {
    let (port, adapter) = wrap(
        Policies::new().circuit_breaker(first_failure().mode(Mode::Observe)),
        |n| match n {
            1..=3 => fault(),
            _ => Step::Now(Ok(n)),
        },
    );
    let circuit = circuit(&port);
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!((circuit.state(), circuit.opened()), (CircuitState::Open, 1));
    // What it would have refused goes through, and is no evidence.
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(port.call().await, Ok(4));
    assert_eq!(
        (circuit.state(), circuit.opened(), circuit.reopened()),
        (CircuitState::Open, 1, 0)
    );
    assert_eq!(circuit.refused(), 3, "what it would have refused");
    // Its probes are real ones.
    sleep(ms(1000)).await;
    assert_eq!(port.call().await, Ok(5));
    assert_eq!((circuit.state(), adapter.calls()), (CircuitState::Closed, 5));
}

// An operator's word holds all the same.
#[tokio::test(start_paused = true)]
async fn an_observing_circuit_can_be_forced_open() {
    let (port, adapter) = wrap(
        Policies::new().circuit_breaker(first_failure().mode(Mode::Observe)),
        |_| fault(),
    );
    circuit(&port).force_open();
    assert!(is_open(&port.call().await));
    assert_eq!(adapter.calls(), 0);
}

// A bulkhead that observes lets everybody in, and those beyond its size are no evidence.
#[tokio::test(start_paused = true)]
async fn an_observing_bulkhead_lets_everybody_in() {
    let bulkhead = Bulkhead::new(1).mode(Mode::Observe);
    let (port, adapter) = wrap(
        Policies::new()
            .bulkhead(bulkhead)
            .circuit_breaker(first_failure()),
        |n| match n {
            1 => Step::After(1000, Err(Error::Fault)),
            2..=5 => Step::After(500, Err(Error::Fault)),
            _ => Step::Now(Ok(n)),
        },
    );
    let circuit = circuit(&port);
    let first = start(&port).await;
    let mut beyond = Vec::new();
    for _ in 0..4 {
        beyond.push(start(&port).await);
    }
    assert_eq!(adapter.running(), 5);
    for call in beyond {
        assert_eq!(call.await.expect("it does not panic"), Err(Error::Fault));
    }
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
    assert_eq!(first.await.expect("it does not panic"), Err(Error::Fault));
    assert_eq!((circuit.state(), places(&port)), (CircuitState::Open, (0, 0)));
    assert_eq!(circuit.observed_overflows(), 4);
}

// Nobody waits for a place in a queue that is only observed.
#[tokio::test(start_paused = true)]
async fn an_observing_bulkhead_makes_nobody_wait() {
    let (port, adapter) = wrap(Policies::new().bulkhead(queue(1, 5).mode(Mode::Observe)), |_| {
        Step::Hang
    });
    for _ in 0..10 {
        start(&port).await;
    }
    assert_eq!(adapter.running(), 10);
}

/// Read and write of one instance.
fn both(policies: Policies) -> (Method, Method) {
    let instance = bound(policies);
    (Method::of(&instance, &READ), Method::of(&instance, &WRITE))
}

fn failing() -> Scripted {
    Scripted::new(|_| fault())
}

#[tokio::test(start_paused = true)]
async fn a_circuit_is_each_methods_own_unless_the_instance_has_one() {
    let breaker = CircuitBreaker::new().failure_threshold(2).reset_after(ms(1000));
    let (read, write) = both(Policies::new().circuit_breaker(breaker));
    let body = failing();
    let _ = read.call(|| body.call()).await;
    let _ = write.call(|| body.call()).await;
    let _ = read.call(|| body.call()).await;
    assert!(is_open(&read.call(|| body.call()).await));
    assert_eq!(
        write.call(|| body.call()).await,
        Err(Error::Fault),
        "its own second failure"
    );
    assert!(is_open(&write.call(|| body.call()).await));
    assert_eq!(body.calls(), 4);

    let (read, write) = both(Policies::new().circuit_breaker(breaker.scope(Scope::Instance)));
    let body = failing();
    let _ = read.call(|| body.call()).await;
    let _ = write.call(|| body.call()).await;
    for method in [&read, &write] {
        assert!(is_open(&method.call(|| body.call()).await));
        assert_eq!(method.circuit().state(), CircuitState::Open);
    }
    assert_eq!(body.calls(), 2);
    // The probe of one method closes it for both.
    sleep(ms(1000)).await;
    assert_eq!(write.call(|| ready(Ok(1))).await, Ok(1));
    assert_eq!(
        (read.circuit().state(), write.circuit().state()),
        (CircuitState::Closed, CircuitState::Closed)
    );
    // So does an operator's word.
    read.circuit().force_open();
    assert!(is_open(&write.call(|| body.call()).await));
}

#[tokio::test(start_paused = true)]
async fn instances_never_share_a_circuit() {
    let breaker = first_failure().scope(Scope::Instance);
    let (read, _) = both(Policies::new().circuit_breaker(breaker));
    let (other, _) = both(Policies::new().circuit_breaker(breaker));
    let _ = read.call(failing_now).await;
    assert!(is_open(&read.call(failing_now).await));
    assert_eq!(other.circuit().state(), CircuitState::Closed);
    assert_eq!(other.call(|| ready(Ok(1))).await, Ok(1));
}

fn failing_now() -> impl Future<Output = Answer> {
    ready(Err(Error::Fault))
}

#[tokio::test(start_paused = true)]
async fn a_bulkhead_of_the_instance_bounds_its_methods_together() {
    let (read, write) = both(Policies::new().bulkhead(queue(2, 1).scope(Scope::Instance)));
    for method in [&read, &write] {
        let method = method.clone();
        tokio::spawn(async move { method.call(holds_for_a_second).await });
        settle().await;
    }
    assert_eq!(
        (read.running(), write.running()),
        (2, 2),
        "both speak of the same bulkhead"
    );
    let waits = tokio::spawn({
        let read = read.clone();
        async move { read.call(|| ready(Ok(3))).await }
    });
    settle().await;
    assert!(is_full(&write.call(|| ready(Ok(4))).await));
    let (waited, time) = timed(waits).await;
    assert_eq!((waited.expect("it does not panic"), time), (Ok(3), ms(1000)));
    assert_eq!((read.running(), write.waiting()), (0, 0));
}

async fn holds_for_a_second() -> Answer {
    sleep(ms(1000)).await;
    Ok(1)
}

/// Its own limit, beside what the instance has for all.
static HASTY: MethodSpec = MethodSpec::new(&ADAPTER, "read")
    .overrides(Overrides::new().timeout(Timeout::new(ms_of(50))))
    .idempotent();

const fn ms_of(ms: u64) -> std::time::Duration {
    std::time::Duration::from_millis(ms)
}

// What a method states itself stays where the instance is bound to other policies, beside what those have for all.
#[tokio::test(start_paused = true)]
async fn a_methods_own_limit_stays_beside_the_instances_circuit() {
    let policies = Policies::new()
        .timeout(Timeout::new(ms(1000)))
        .circuit_breaker(first_failure().scope(Scope::Instance));
    let instance = Instance::bound(&ADAPTER, policies).expect("these numbers are legal");
    let (hasty, patient) = (Method::of(&instance, &HASTY), Method::of(&instance, &WRITE));
    assert_eq!(
        patient
            .call(async || {
                sleep(ms(60)).await;
                Ok(1)
            })
            .await,
        Ok(1)
    );
    let (answer, time) = timed(hasty.call(pending)).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!(time, ms(50));
    assert!(is_open(&patient.call(|| ready(Ok(2))).await));
}
