//! What a subscriber is told of a circuit, and may do meanwhile. BRK-9.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use futures::FutureExt;
use resil::{Circuit, CircuitState, Policies, Protected, Transition, Transitions};

use super::rig::{Rig, cb, in_a_row, word};
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
pub(super) fn told(transitions: &mut Transitions) -> Vec<String> {
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
