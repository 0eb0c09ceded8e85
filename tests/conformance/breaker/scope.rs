//! A port of several methods: circuits of their own, one for all, attributes on a method, and one wrapper inside another.

use resil::{Bulkhead, CircuitBreaker, CircuitState, Policies, Protected, Retry, Scope, Timeout};
use tokio::time::advance;

use super::rig::{cb, in_a_row, word};
use super::several::{PassedOn, ResilientPassedOn, Several, on_classify, several};
use crate::support::{Error, Step, fault, is_full, is_open, ms, start, wrap};

fn state(port: &impl Protected, method: &str) -> CircuitState {
    port.circuit(method).expect("the port has this method").state()
}

fn shared(breaker: CircuitBreaker) -> Policies {
    Policies::new().circuit_breaker(breaker.scope(Scope::Instance))
}

// 224: IssuesTests.CircuitBreakerStateSharing_959
#[tokio::test(start_paused = true)]
async fn one_circuit_for_the_instance() {
    let (port, adapter) = several(shared(cb(10, 1.0, 1_000, 1)), |n| {
        if n <= 10 { fault() } else { Step::Now(Ok(n)) }
    });
    for _ in 0..5 {
        assert_eq!(word(&port.one().await), "E");
        assert_eq!(state(&port, "one"), CircuitState::Closed);
        assert_eq!(word(&port.other().await), "E");
    }
    for (answer, method) in [(port.one().await, "one"), (port.other().await, "other")] {
        let Err(Error::Policy(error)) = answer else {
            panic!("{method} was to be refused")
        };
        assert_eq!(
            (error.method(), error.code().unwrap().as_str()),
            (method, "fault")
        );
    }
    assert_eq!(adapter.calls(), 10);
    advance(ms(1_000)).await;
    assert_eq!(port.other().await, Ok(11));
    assert_eq!(port.one().await, Ok(12));
    assert_eq!(
        (state(&port, "one"), state(&port, "other")),
        (CircuitState::Closed, CircuitState::Closed)
    );
}

#[tokio::test(start_paused = true)]
async fn one_probe_for_the_instance() {
    let (port, adapter) = several(shared(in_a_row(1)), |n| {
        if n == 1 { fault() } else { Step::After(100, Ok(n)) }
    });
    assert_eq!(word(&port.one().await), "E");
    advance(ms(1_000)).await;
    let (probe, refused) = tokio::join!(port.one(), port.other());
    assert_eq!(probe, Ok(2));
    assert!(is_open(&refused));
    assert_eq!(adapter.calls(), 2);
    assert_eq!(state(&port, "other"), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn instances_do_not_share_one() {
    let [(first, _), (second, _)] = [
        several(shared(in_a_row(1)), |_| fault()),
        several(shared(in_a_row(1)), |_| fault()),
    ];
    assert_eq!(word(&first.one().await), "E");
    assert_eq!(
        (state(&first, "other"), state(&second, "other")),
        (CircuitState::Open, CircuitState::Closed)
    );
}

#[tokio::test(start_paused = true)]
async fn each_method_has_its_own_otherwise() {
    let (port, adapter) = several(Policies::new().circuit_breaker(in_a_row(1)), |n| {
        if n == 1 { fault() } else { Step::Now(Ok(n)) }
    });
    assert_eq!(word(&port.one().await), "E");
    assert!(is_open(&port.one().await));
    assert_eq!(port.other().await, Ok(2));
    assert_eq!(adapter.calls(), 2);
    assert_eq!(
        (state(&port, "one"), state(&port, "other")),
        (CircuitState::Open, CircuitState::Closed)
    );
}

// 213: AddCircuitBreakers_WithIsolatedManualControl_ShouldBeIsolated
#[tokio::test(start_paused = true)]
async fn a_handle_of_one_method_acts_on_the_instance() {
    let (port, adapter) = several(shared(in_a_row(1)), |n| Step::Now(Ok(n)));
    let (one, other) = (port.circuit("one").unwrap(), port.circuit("other").unwrap());
    let mut transitions = other.subscribe();
    one.force_open();
    assert!(other.is_forced());
    for answer in [port.one().await, port.other().await] {
        let Err(Error::Policy(error)) = answer else {
            panic!("it was to be refused")
        };
        assert_eq!((error.retry_after(), error.code()), (None, None));
    }
    other.release();
    assert_eq!((port.one().await, port.other().await), (Ok(1), Ok(2)));
    assert_eq!(adapter.calls(), 2);
    assert_eq!(transitions.next().await.unwrap().to(), CircuitState::Open);
    assert_eq!(transitions.next().await.unwrap().to(), CircuitState::Closed);
}

// 33: CircuitBreakerTest.testClassLevelCircuitOverride; 52: CircuitBreakerLifecycleTest.circuitBreakerOnClassAndMethod
#[tokio::test(start_paused = true)]
async fn an_attribute_on_a_method_replaces_the_policy() {
    let (port, adapter) = several(Policies::new().circuit_breaker(cb(4, 0.75, 50_000, 2)), |_| {
        fault()
    });
    for expected in ["E", "E", "CBO", "CBO", "CBO", "CBO", "CBO"] {
        assert_eq!(word(&port.of_two().await), expected);
    }
    assert_eq!(adapter.calls(), 2);

    let (port, adapter) = several(Policies::new().circuit_breaker(cb(16, 0.5, 5_000, 1)), |_| {
        fault()
    });
    let clones = [port.clone(), port.clone(), port.clone(), port];
    for expected in ["E", "E", "CBO"] {
        for port in &clones {
            assert_eq!(word(&port.of_eight().await), expected);
        }
    }
    assert_eq!(adapter.calls(), 8);
}

// 245 (Δ10): Composition: breaker over retry, by two wrappers
#[tokio::test(start_paused = true)]
async fn a_circuit_around_a_wrapper_sees_what_its_retries_end_with() {
    let retry = Retry::attempts(3).base(ms(0));
    for outer in [Policies::new(), Policies::new().retry(retry)] {
        let (inner, adapter) = wrap(Policies::new().retry(retry), |_| fault());
        let port = ResilientPassedOn::with_policies(PassedOn(inner), outer.circuit_breaker(in_a_row(3)));
        assert_eq!(port.one().await, Err(Error::Fault));
        assert_eq!(adapter.calls(), 3, "one layer retries");
        let circuit = port.circuit("one").unwrap();
        assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 1));
    }
}

/// What policies of a wrapper further in refuse is no evidence and not retried; its timeout is.
#[tokio::test(start_paused = true)]
async fn refusals_of_an_inner_wrapper_do_not_open_the_outer_circuit() {
    let retry = Retry::attempts(3).base(ms(0));
    let outer = Policies::new().retry(retry).circuit_breaker(in_a_row(1));

    let (inner, adapter) = wrap(Policies::new().circuit_breaker(in_a_row(1)), |_| fault());
    inner.circuit("call").unwrap().force_open();
    let port = ResilientPassedOn::with_policies(PassedOn(inner), outer);
    let Err(Error::Policy(error)) = port.one().await else {
        panic!("it was to be refused")
    };
    assert_eq!((error.port(), error.method()), ("Port", "call"));
    assert_eq!((adapter.calls(), state(&port, "one")), (0, CircuitState::Closed));

    let (inner, adapter) = wrap(Policies::new().bulkhead(Bulkhead::new(1)), |_| Step::Hang);
    let port = ResilientPassedOn::with_policies(PassedOn(inner.clone()), outer);
    let running = start(&inner).await;
    assert!(is_full(&port.one().await));
    assert_eq!((adapter.calls(), state(&port, "one")), (1, CircuitState::Closed));
    running.abort();

    let (inner, adapter) = wrap(Policies::new().timeout(Timeout::new(ms(50))), |_| Step::Hang);
    let outer = Policies::new().retry(retry).circuit_breaker(in_a_row(3));
    let port = ResilientPassedOn::with_policies(PassedOn(inner), outer);
    assert_eq!(word(&port.one().await), "TOX");
    assert_eq!((adapter.calls(), state(&port, "one")), (3, CircuitState::Open));
}

/// BRK-9: a classifier may read and command the circuit that its error is about to open.
#[tokio::test(start_paused = true)]
async fn a_classifier_runs_under_no_lock() {
    let (port, _) = several(Policies::new().circuit_breaker(in_a_row(1)), |_| fault());
    let circuit = port.circuit("one").unwrap();
    let read = circuit.clone();
    on_classify(move || assert_eq!((read.state(), read.failures()), (CircuitState::Closed, 0)));
    assert_eq!(port.one().await, Err(Error::Fault));
    assert_eq!(circuit.state(), CircuitState::Open);

    // The probe's error arrives in another epoch than it was let through in.
    advance(ms(1_000)).await;
    let commanded = circuit.clone();
    on_classify(move || commanded.reset());
    assert_eq!(port.one().await, Err(Error::Fault));
    assert_eq!(circuit.state(), CircuitState::Closed);
}

/// BRK-9: a panic in a classifier reaches the caller and is a failure; it leaves nothing held.
#[tokio::test(start_paused = true)]
async fn a_classifier_that_panics_harms_nobody_else() {
    let policies = Policies::new()
        .circuit_breaker(in_a_row(1))
        .bulkhead(Bulkhead::new(1));
    let (port, adapter) = several(policies, |n| {
        if n < 3 {
            Step::Now(Err(Error::Refusal))
        } else {
            Step::Now(Ok(n))
        }
    });
    for reopened in [0, 1] {
        on_classify(|| panic!("as the test says"));
        let failing = port.clone();
        let panicked = tokio::spawn(async move { failing.one().await })
            .await
            .unwrap_err();
        assert!(panicked.is_panic());
        let circuit = port.circuit("one").unwrap();
        assert_eq!(
            (circuit.state(), circuit.opened(), circuit.reopened()),
            (CircuitState::Open, 1, reopened)
        );
        assert!(is_open(&port.one().await));
        advance(ms(1_000)).await;
    }
    assert_eq!(port.one().await, Ok(3));
    assert_eq!((adapter.calls(), state(&port, "one")), (3, CircuitState::Closed));
}
