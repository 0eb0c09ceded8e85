//! The closed circuit, alone and with retry, timeout and bulkhead: section 2 and its likes in 12 to 14, CO-1, CO-2.
//!
//! Rows that concern the circuit breaker and cannot apply:
//!
//! - 188: no command makes a circuit half-open by hand.
//! - 194: an `Ok` is a success; an adapter that means a failure returns an error.
//! - 195: there is no timer to start or cancel. The open state lasts until the next call after its time, which the rows of
//!   `breaker_open` assert.
//! - 219, second half: no `Ok` opens a circuit by its value.
//! - 49, 50: kinds of errors and their order are a matter of `Classify`, so what is left are the classes.
//! - the metrics columns of all rows but for the counts that an operator's handle has.

use std::sync::Arc;

use resil::{Bulkhead, CircuitBreaker, CircuitState, Jitter, Policies, Protected, Retry, Timeout};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::breaker_rig::{Rig, cb, in_a_row, rows, word};
use crate::support::{
    Error, Port, ResilientScripted, Scripted, Step, fault, is_full, is_open, ms, start, wrap,
};

#[tokio::test(start_paused = true)]
async fn rows_of_single_calls() {
    rows([
        // At or above the rate, once there are enough calls.
        (
            "29: CircuitBreakerTest.testCircuitClosedThenOpen",
            cb(4, 0.75, 50_000, 2),
            "E*3 closed E open CBO*3",
            4,
        ),
        (
            "30: CircuitBreakerTest.testCircuitReClose",
            cb(4, 0.75, 1, 2),
            "E*4 +500 ok ok closed ok",
            7,
        ),
        (
            "31: CircuitBreakerTest.testCircuitHighSuccessThreshold",
            cb(4, 0.75, 1_000, 3),
            "E*4 CBO +2000 ok ok half_open E open CBO",
            7,
        ),
        (
            "32: CircuitBreakerTest.testClassLevelCircuitBase",
            cb(4, 0.75, 50_000, 2),
            "E*4 CBO*3",
            4,
        ),
        // A success can be the outcome that opens.
        (
            "34: CircuitBreakerTest.testRollingWindowCircuitOpen",
            cb(4, 0.5, 5_000, 2),
            "ok E E closed ok open CBO",
            4,
        ),
        (
            "35: CircuitBreakerTest.testRollingWindowCircuitOpen2",
            cb(4, 0.5, 5_000, 2),
            "ok E ok ok closed E open CBO",
            5,
        ),
        (
            "36: CircuitBreakerInitialSuccessTest",
            cb(4, 0.75, 1_000, 1),
            "ok E*3 open CBO +2000 ok closed ok E E closed E open CBO",
            9,
        ),
        ("BRK-7", cb(4, 0.5, 1_000, 1), "E E ok closed ok open CBO", 4),
        (
            "230: TestClosedStateFailureWithDefaultConfig",
            in_a_row(1),
            "E open",
            1,
        ),
        (
            "231: TestClosedStateFailureWithFailureThreshold",
            in_a_row(3),
            "E ok E E closed E open",
            5,
        ),
        (
            "232: TestClosedStateSuccessWithFailureThreshold",
            in_a_row(2),
            &"ok E closed ".repeat(20),
            40,
        ),
        (
            "232: TestClosedStateSuccessWithFailureRatio",
            cb(4, 0.75, 1_000, 1),
            &"ok E closed ".repeat(20),
            40,
        ),
        (
            "261: SmallRye CircuitBreakerSyncTest.test1",
            cb(4, 0.5, 1_000, 2),
            "ok ok U ok*3 E ok closed E open CBO*5 +1500 ok half_open E open CBO*3 +1500 ok ok closed ok",
            14,
        ),
        (
            "269: opossum: volume threshold",
            CircuitBreaker::new().failure_rate(0.01).min_calls(3),
            "E closed E closed E open",
            3,
        ),
        (
            "270: opossum: filtered error in half-open",
            in_a_row(1),
            "E open +1000 U closed ok",
            3,
        ),
    ])
    .await;
}

/// Several criteria: the first that holds. Without one: five in a row, or half of the last twenty with at least ten.
#[tokio::test(start_paused = true)]
async fn criteria_stand_together() {
    let both = cb(4, 0.5, 1_000, 1).failure_threshold(2);
    rows([
        ("the run comes first", both, "E E open", 2),
        ("the rate comes first", both, "E ok E closed ok open", 4),
        (
            "defaults: five in a row",
            CircuitBreaker::new(),
            "E*4 closed E open",
            5,
        ),
        (
            "defaults: not before the tenth call",
            CircuitBreaker::new(),
            "E*4 ok E*4 closed ok open",
            10,
        ),
        (
            "defaults: below half",
            CircuitBreaker::new(),
            "ok*6 E*4 closed ok E closed ok E closed",
            14,
        ),
        (
            "defaults: half of the last twenty",
            CircuitBreaker::new(),
            "ok*10 E*4 ok E*4 ok E closed E open",
            22,
        ),
        (
            "defaults: open for 30 s",
            CircuitBreaker::new(),
            "E*5 +29999 CBO +1 ok closed",
            6,
        ),
    ])
    .await;
}

// 31, 36: `opened` counts from closed only, `reopened` from half-open.
#[tokio::test(start_paused = true)]
async fn openings_are_counted_apart_from_reopenings() {
    let rig = Rig::new(cb(4, 0.75, 1_000, 3));
    rig.run("E*4 +2000 ok ok E").await;
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (1, 1));

    let rig = Rig::new(cb(4, 0.75, 1_000, 1));
    rig.run("ok E*3 +2000 ok ok E*3 open").await;
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (2, 0));
}

// 49, 50: CircuitBreakerExceptionHierarchyTest; 223: Execute_Unhandled; BRK-6 while closed
#[tokio::test(start_paused = true)]
async fn every_class_but_a_refusal_is_a_failure() {
    let cases = [
        (Error::Fault, CircuitState::Open),
        (Error::Permanent, CircuitState::Open),
        (Error::NotSent, CircuitState::Open),
        (Error::Busy { wait: ms(1) }, CircuitState::Open),
        (Error::Refusal, CircuitState::Closed),
    ];
    for (error, state) in cases {
        let rig = Rig::new(cb(1, 0.5, 20_000, 1));
        assert_eq!(rig.call(Step::Now(Err(error.clone()))).await, Err(error.clone()));
        assert_eq!(rig.state(), state, "{error:?}");
        let second = rig.call(Step::Now(Ok(1))).await;
        assert_eq!(is_open(&second), state == CircuitState::Open, "{error:?}");
    }
}

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

// 51: CircuitBreakerLifecycleTest.circuitBreakerOnClass; 54: noSharingBetweenClasses
#[tokio::test(start_paused = true)]
async fn clones_share_a_circuit_and_instances_do_not() {
    let wrapped = || wrap(Policies::new().circuit_breaker(cb(8, 0.5, 5_000, 1)), |_| fault());
    let [(first, first_adapter), (second, second_adapter)] = [wrapped(), wrapped()];
    let of_first = [first.clone(), first.clone(), first.clone(), first];
    for _ in 0..2 {
        call_each(&of_first, "E").await;
    }
    call_each(&of_first, "CBO").await;
    assert_eq!(first_adapter.calls(), 8);

    let of_second = [second.clone(), second];
    for _ in 0..4 {
        call_each(&of_second, "E").await;
    }
    call_each(&of_second, "CBO").await;
    assert_eq!(second_adapter.calls(), 8);
}

async fn call_each(ports: &[ResilientScripted], expected: &str) {
    for port in ports {
        assert_eq!(word(&port.call().await), expected);
    }
}

// 53: CircuitBreakerLifecycleTest.circuitBreakerOnMethodMissingOnOverriddenMethod
#[tokio::test(start_paused = true)]
async fn without_the_policy_it_never_opens_by_itself() {
    let adapter = Scripted::new(|_| fault());
    let ports: Vec<_> = (0..50)
        .map(|_| ResilientScripted::with_policies(adapter.clone(), Policies::new()).unwrap())
        .collect();
    for _ in 0..3 {
        call_each(&ports, "E").await;
    }
    assert_eq!(adapter.calls(), 150);
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

// 211, 219, 240: what the refused caller is told
#[tokio::test(start_paused = true)]
async fn a_refusal_says_why_and_for_how_long() {
    let rig = Rig::new(in_a_row(1));
    rig.run("E +110").await;
    let error = rig.refused().await;
    assert_eq!(
        (error.port(), error.adapter(), error.method()),
        ("Port", "Scripted", "call")
    );
    assert_eq!(error.code().unwrap().as_str(), "fault");
    assert_eq!(error.retry_after(), Some(ms(890)));
    assert!(error.not_sent());
    let line = error.to_string();
    for part in ["Port", "Scripted", "call", "open", "fault", "890ms"] {
        assert!(line.contains(part), "{part} in {line}");
    }
}
