//! What an operator does with a circuit, and sees of it. Rows of sections 11 and 12, BRK-9.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use futures::FutureExt;
use resil::{
    Bulkhead, Cause, Circuit, CircuitState, Mode, Policies, Protected, Retry, Transition, Transitions,
};
use tokio::time::Instant;

use crate::breaker_rig::{Rig, cb, in_a_row, word};
use crate::support::{Error, Port, Step, is_open, ms, settle, start, wrap};

/// `open > half_open: reset_time (fault)`; with a `!` where an operator holds it.
fn line(transition: &Transition) -> String {
    let held = if transition.is_forced() { "!" } else { "" };
    let code = transition.code().map_or("-", |code| code.as_str());
    format!(
        "{} > {}{held}: {} ({code})",
        transition.from(),
        transition.to(),
        transition.cause()
    )
}

/// What was told so far.
fn told(transitions: &mut Transitions) -> Vec<String> {
    std::iter::from_fn(|| transitions.next().now_or_never().flatten())
        .map(|told| line(&told))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn transitions_are_told_in_order_with_cause_and_code() {
    let rig = Rig::new(in_a_row(2).half_open_calls(2));
    let mut transitions = rig.circuit().subscribe();
    rig.run("E ok E E").await;
    assert_eq!(
        told(&mut transitions),
        ["closed > open: consecutive_failures (fault)"]
    );
    rig.run("CBO +500 CBO").await;
    assert!(
        told(&mut transitions).is_empty(),
        "a refused call is no transition"
    );
    rig.run("+500 P CBO +1000 ok ok ok").await;
    assert_eq!(
        told(&mut transitions),
        [
            "open > half_open: reset_time (fault)",
            "half_open > open: probe_failed (permanent)",
            "open > half_open: reset_time (permanent)",
            "half_open > closed: probes_succeeded (-)",
        ]
    );
    let mut late = rig.circuit().subscribe();
    rig.run("P P").await;
    let opened = ["closed > open: consecutive_failures (permanent)"];
    assert_eq!(told(&mut transitions), opened);
    assert_eq!(told(&mut late), opened, "from the moment of subscribing on");
}

/// The code is that of the error that opened it; where a success does, of the last failure.
#[tokio::test(start_paused = true)]
async fn every_criterion_has_its_cause() {
    for (breaker, steps, expected) in [
        (
            cb(4, 0.5, 1_000, 1),
            "ok P P ok",
            "closed > open: failure_rate (permanent)",
        ),
        (cb(2, 1.0, 1_000, 1), "P E", "closed > open: failure_rate (fault)"),
        (
            in_a_row(2).within(ms(100)),
            "E ok P",
            "closed > open: failures_within (permanent)",
        ),
        (
            resil::CircuitBreaker::new().slow(ms(5)).window(1),
            "ok@5",
            "closed > open: slow_rate (-)",
        ),
    ] {
        let rig = Rig::new(breaker);
        let mut transitions = rig.circuit().subscribe();
        rig.run(steps).await;
        assert_eq!(told(&mut transitions), [expected]);
    }
}

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
        (ms(0), None, None)
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
        (ms(300), Some(Cause::ConsecutiveFailures))
    );
    assert_eq!(
        (circuit.code().unwrap().as_str(), circuit.failures()),
        ("permanent", 3)
    );
    rig.run("+700 ok +40").await;
    assert_eq!(
        (circuit.since(), circuit.cause()),
        (ms(40), Some(Cause::ProbesSucceeded))
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

/// Runs its code when a transition is told.
struct Listener(Box<dyn Fn() + Send + Sync>);

impl Wake for Listener {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

/// Calls `code` at the next transition, in the very moment it is told, for as long as what it returns lives.
fn listen(circuit: &Circuit, code: impl Fn() + Send + Sync + 'static) -> Pin<Box<dyn Future<Output = ()>>> {
    let mut transitions = circuit.subscribe();
    let mut next = Box::pin(async move {
        transitions.next().await;
    });
    let waker = Waker::from(Arc::new(Listener(Box::new(code))));
    assert!(next.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    next
}

/// BRK-9: who is told of a transition may read the circuit and call the port.
#[tokio::test(start_paused = true)]
async fn a_listener_may_read_the_circuit_and_call_the_port() {
    let rig = Rig::new(in_a_row(1));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (circuit, port, notes) = (rig.circuit(), rig.port.clone(), Arc::clone(&seen));
    let listening = listen(&rig.circuit(), move || {
        let answer = port.call().now_or_never().map(|answer| word(&answer));
        notes
            .lock()
            .unwrap()
            .push((circuit.state(), circuit.opened(), circuit.failures(), answer));
    });
    rig.run("E").await;
    assert_eq!(*seen.lock().unwrap(), [(CircuitState::Open, 1, 1, Some("CBO"))]);
    drop(listening);
    rig.run("+1000 ok closed").await;
}

/// BRK-9: one that panics hides neither the call's own error nor the transition from others.
#[tokio::test(start_paused = true)]
async fn a_listener_that_panics_harms_nobody() {
    let rig = Rig::new(in_a_row(1));
    let mut before = rig.circuit().subscribe();
    let panicking = listen(&rig.circuit(), || panic!("as the test says"));
    let mut after = rig.circuit().subscribe();
    rig.run("E open CBO +1000").await;
    drop(panicking);
    rig.run("ok closed").await;
    let all = [
        "closed > open: consecutive_failures (fault)",
        "open > half_open: reset_time (fault)",
        "half_open > closed: probes_succeeded (-)",
    ];
    assert_eq!(told(&mut before), all);
    assert_eq!(told(&mut after), all);
}

/// One that causes a transition does not wait for itself, and the order holds.
#[tokio::test(start_paused = true)]
async fn a_listener_may_command_the_circuit() {
    let rig = Rig::new(in_a_row(1));
    let mut transitions = rig.circuit().subscribe();
    let circuit = rig.circuit();
    let listening = listen(&rig.circuit(), move || circuit.reset());
    rig.run("E closed ok").await;
    assert_eq!(
        told(&mut transitions),
        [
            "closed > open: consecutive_failures (fault)",
            "open > closed: operator (-)"
        ]
    );
    drop(listening);
}

/// A handle outlives the wrapper that it was taken from.
#[tokio::test(start_paused = true)]
async fn a_handle_may_outlive_its_wrapper() {
    let rig = Rig::new(in_a_row(1));
    rig.run("E").await;
    let circuit = rig.circuit();
    let mut transitions = circuit.subscribe();
    drop(rig);
    assert_eq!((circuit.state(), circuit.method()), (CircuitState::Open, "call"));
    circuit.reset();
    circuit.force_open();
    assert_eq!(
        told(&mut transitions),
        ["open > closed: operator (-)", "closed > open!: operator (-)"]
    );
    assert!(transitions.next().now_or_never().is_none(), "the handle keeps it");
    drop(circuit);
    assert!(transitions.next().await.is_none());
}

/// Nor does a wrapper that goes while a call of it runs take anything from that call.
#[tokio::test(start_paused = true)]
async fn a_subscriber_hears_of_calls_that_outlive_the_wrapper() {
    let (port, _) = wrap(Policies::new().circuit_breaker(in_a_row(1)), |_| {
        Step::After(1_000, Err(Error::Fault))
    });
    let mut transitions = port.circuit("call").unwrap().subscribe();
    let call = start(&port).await;
    let circuit = port.circuit("call").unwrap();
    drop(port);
    settle().await;
    let answer = call.await.unwrap();
    assert!(!is_open(&answer), "{answer:?}");
    assert_eq!(circuit.state(), CircuitState::Open);
    assert_eq!(
        told(&mut transitions),
        ["closed > open: consecutive_failures (fault)"]
    );
}
