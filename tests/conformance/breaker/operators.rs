//! What an operator does with a circuit, and sees of it. Rows of sections 11 and 12, BRK-9.

use resil::{Bulkhead, Cause, Circuit, CircuitState, Mode, Policies, Protected, Retry};
use tokio::time::Instant;

use super::rig::{Rig, cb, in_a_row, word};
use super::transitions::told;
use crate::support::{Error, Step, ms};

#[tokio::test(start_paused = true)]
async fn what_a_handle_shows() {
    let rig = Rig::new(in_a_row(3));
    let circuit = rig.circuit();
    assert_eq!(
        (circuit.port(), circuit.adapter(), circuit.method()),
        ("Port", "Scripted", "call")
    );
    assert_eq!(
        (circuit.since(), circuit.cause(), circuit.code()),
        (None, None, None)
    );
    rig.run("E E").await;
    assert_eq!((circuit.failures(), circuit.opened()), (2, 0));
    rig.run("ok").await;
    assert_eq!(circuit.failures(), 0);
    rig.run("E E P +300").await;
    assert_eq!(
        (circuit.state(), circuit.is_forced()),
        (CircuitState::Open, false)
    );
    assert_eq!(
        (circuit.since(), circuit.cause()),
        (Some(ms(300)), Some(Cause::ConsecutiveFailures))
    );
    assert_eq!(
        (circuit.code().unwrap().as_str(), circuit.failures()),
        ("permanent", 3)
    );
    rig.run("+700 ok +40").await;
    assert_eq!(
        (circuit.since(), circuit.cause()),
        (Some(ms(40)), Some(Cause::ProbesSucceeded))
    );
    assert_eq!((circuit.code(), circuit.failures()), (None, 0));
    assert_eq!((circuit.opened(), circuit.reopened()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn there_is_a_circuit_for_each_wrapped_method_and_no_other() {
    let rig = Rig::under(Policies::new());
    for name in ["nope", "", "Call", "call "] {
        assert!(rig.port.circuit(name).is_none(), "{name}");
    }
    let methods: Vec<_> = rig.port.circuits().iter().map(Circuit::method).collect();
    assert_eq!(methods, ["call"]);
    // Without the policy: never by itself, but by an operator.
    rig.run("E*50 closed").await;
    rig.circuit().force_open();
    rig.run("CBO open +9999999 CBO").await;
    rig.circuit().release();
    rig.run("closed E*50 closed").await;
}

// 173: …WhenStateIsOpen; 174: shouldForceOpenCircuitBreaker
#[tokio::test(start_paused = true)]
async fn forced_open_it_refuses_until_it_is_released() {
    let rig = Rig::new(cb(5, 0.5, 5_000, 4));
    rig.circuit().force_open();
    rig.run("CBO +6000 CBO open +86400000 CBO open").await;
    assert!(rig.circuit().is_forced());
    let error = rig.refused().await;
    assert_eq!(
        (error.retry_after(), error.code()),
        (None, None),
        "no time ends it, and no error opened it"
    );
    assert!(error.not_sent());
    assert_eq!(rig.adapter.calls(), 0);
    rig.circuit().release();
    rig.run("closed E*4 closed E open").await;
    assert!(!rig.circuit().is_forced());
}

// 186: shouldDisableCircuitBreaker
#[tokio::test(start_paused = true)]
async fn forced_closed_it_lets_everything_through_and_judges_nothing() {
    let rig = Rig::new(cb(5, 0.5, 5_000, 1));
    rig.run("E*4").await;
    rig.circuit().force_closed();
    rig.run("ok E*20 closed").await;
    assert!(rig.circuit().is_forced());
    rig.circuit().release();
    rig.run("closed E*4 closed E open CBO").await;
    rig.circuit().force_closed();
    rig.run("closed E ok").await;
    rig.circuit().release();
    rig.run("closed E*4 closed E open").await;
}

// 185: shouldResetMetrics; reset ends every state, release only a forced one
#[tokio::test(start_paused = true)]
async fn reset_and_release() {
    let rig = Rig::new(in_a_row(2));
    let circuit = rig.circuit();
    rig.run("E").await;
    circuit.release();
    rig.run("E open").await;
    circuit.release();
    rig.run("open CBO").await;
    circuit.reset();
    rig.run("closed E closed").await;
    circuit.reset();
    rig.run("E closed").await;
    for force in [Circuit::force_open, Circuit::force_closed] {
        force(&circuit);
        circuit.reset();
        assert!(!circuit.is_forced());
        rig.run("closed E closed E open").await;
        circuit.reset();
    }
}

// 190: circuitBreakerDoesNotPublishStateTransitionEventsForInternalTransitions; 215, 216 in what operators hold
#[tokio::test(start_paused = true)]
async fn what_changes_nothing_is_silent() {
    let rig = Rig::new(in_a_row(1));
    let circuit = rig.circuit();
    let mut transitions = circuit.subscribe();
    let commands = [
        Circuit::reset,
        Circuit::release,
        Circuit::force_open,
        Circuit::force_closed,
        Circuit::release,
        Circuit::reset,
    ];
    for command in commands {
        command(&circuit);
        command(&circuit);
    }
    assert_eq!(
        told(&mut transitions),
        [
            "closed > open!: operator (-)",
            "open > closed!: operator (-)",
            "closed > closed: operator (-)"
        ]
    );
    // A success and a failure while held: no change, and no word of it.
    circuit.force_closed();
    rig.run("ok E").await;
    circuit.force_open();
    rig.run("CBO CBO").await;
    assert_eq!(
        told(&mut transitions),
        ["closed > closed!: operator (-)", "closed > open!: operator (-)"]
    );
    circuit.reset();
    rig.run("E").await;
    circuit.force_open();
    assert_eq!(
        told(&mut transitions),
        [
            "open > closed: operator (-)",
            "closed > open: consecutive_failures (fault)",
            "open > open!: operator (-)",
        ]
    );
}

/// What was under way when an operator stepped in has no say in what follows.
#[tokio::test(start_paused = true)]
async fn commands_begin_a_new_epoch() {
    let steps = [Circuit::force_open, Circuit::force_closed, Circuit::reset];
    for command in steps {
        for (answer, end) in [(Ok(1), "ok"), (Err(Error::Fault), "E")] {
            // Under way in the closed circuit, and as a probe.
            let rig = Rig::new(in_a_row(1));
            let of_closed = rig.pending(answer.clone()).await;
            rig.run("E +1000").await;
            let probe = rig.pending(answer.clone()).await;
            let circuit = rig.circuit();
            command(&circuit);
            let (state, forced) = (circuit.state(), circuit.is_forced());
            assert_eq!(of_closed.end().await, end);
            assert_eq!(probe.end().await, end);
            assert_eq!((circuit.state(), circuit.is_forced()), (state, forced));
            circuit.release();
            rig.run("closed ok E open").await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_forced_open_circuit_is_not_retried_and_refuses_who_waits() {
    let retry = Retry::attempts(5).base(ms(1_000));
    let rig = Rig::under(Policies::new().retry(retry).circuit_breaker(in_a_row(1)));
    rig.circuit().force_open();
    let begin = Instant::now();
    rig.run("CBO").await;
    assert_eq!((begin.elapsed(), rig.adapter.calls()), (ms(0), 0));

    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(60_000));
    let rig = Rig::under(Policies::new().circuit_breaker(in_a_row(1)).bulkhead(bulkhead));
    for (command, end) in [
        (Circuit::force_open as fn(&Circuit), "CBO"),
        (Circuit::force_closed, "ok"),
        (Circuit::reset, "ok"),
    ] {
        rig.circuit().reset();
        let running = rig.pending(Ok(1)).await;
        let waiting = rig.start(Step::Now(Ok(2))).await;
        command(&rig.circuit());
        assert_eq!(running.end().await, "ok");
        assert_eq!(word(&waiting.await.unwrap()), end);
    }
}

/// A forced circuit refuses in observe mode, too: it is an operator's decision, and none of the policy.
#[tokio::test(start_paused = true)]
async fn forced_open_refuses_in_observe_mode() {
    let rig = Rig::new(in_a_row(1).mode(Mode::Observe));
    rig.run("E open ok").await;
    rig.circuit().force_open();
    rig.run("CBO").await;
    rig.circuit().release();
    rig.run("closed ok").await;
}
