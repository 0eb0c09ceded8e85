//! The closed circuit by itself: section 2 and its likes in 12 to 14.

use resil::{CircuitBreaker, CircuitState, Policies};

use super::rig::{Rig, cb, in_a_row, rows, word};
use crate::support::{Error, Port, ResilientScripted, Scripted, Step, fault, is_open, ms, wrap};

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
