//! What subscribers and `tracing` are told.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span;

use super::*;

/// What waits for this subscriber.
async fn told(transitions: &mut Transitions) -> Vec<String> {
    let mut told = Vec::new();
    while let Ok(Some(transition)) = tokio::time::timeout(ms(1), transitions.next()).await {
        let forced = if transition.is_forced() { "!" } else { "" };
        told.push(format!(
            "{}>{}{forced} {}",
            transition.from(),
            transition.to(),
            transition.cause()
        ));
    }
    told
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_is_told_every_transition_in_order_and_when_the_circuit_is_gone() {
    let rig = in_a_row(1);
    rig.run("E");
    let mut transitions = rig.breaker.subscribe();
    rig.run("+1000 E +1000 ok");
    rig.breaker.force_open(rig.now());
    rig.breaker.release(rig.now());
    assert_eq!(
        told(&mut transitions).await,
        [
            "open>half_open reset_time",
            "half_open>open probe_failed",
            "open>half_open reset_time",
            "half_open>closed probes_succeeded",
            "closed>open! operator",
            "open>closed operator",
        ]
    );
    drop(rig);
    assert_eq!(transitions.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn row_190_nothing_is_told_where_nothing_changes() {
    let rig = in_a_row(1);
    let mut transitions = rig.breaker.subscribe();
    for _ in 0..2 {
        rig.breaker.release(rig.now());
        rig.breaker.reset(rig.now());
    }
    for _ in 0..2 {
        rig.breaker.force_closed(rig.now());
    }
    for _ in 0..2 {
        rig.breaker.force_open(rig.now());
    }
    assert_eq!(
        told(&mut transitions).await,
        ["closed>closed! operator", "closed>open! operator"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_does_not_read_misses_the_oldest_and_is_told_how_many() {
    let rig = in_a_row(1);
    let mut transitions = rig.breaker.subscribe();
    for _ in 0..50 {
        rig.breaker.force_open(rig.now());
        rig.breaker.release(rig.now());
    }
    assert_eq!(told(&mut transitions).await.len(), 64);
    assert_eq!(transitions.missed(), 36);
}

#[tokio::test(start_paused = true)]
async fn a_transition_carries_the_code() {
    let rig = in_a_row(1);
    let mut transitions = rig.breaker.subscribe();
    let failure = Failure {
        code: Some("unreachable".into()),
        ..Failure::default()
    };
    rig.fail_with(rig.admit(), failure);
    let transition = transitions.next().await.expect("it opened");
    assert_eq!(transition.code(), Some(&"unreachable".into()));
}

/// Writes events down, and does to the breaker what the test says.
struct Log {
    lines: Mutex<Vec<String>>,
    breaker: Arc<Breaker>,
    on_event: fn(&Breaker),
}

impl Log {
    fn of(rig: &Rig, on_event: fn(&Breaker), test: impl FnOnce()) -> Vec<String> {
        let log = Arc::new(Self {
            lines: Mutex::default(),
            breaker: Arc::clone(&rig.breaker),
            on_event,
        });
        tracing::subscriber::with_default(Arc::clone(&log), test);
        let lines = log.lines.lock().expect("it is held for a moment only");
        lines.clone()
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.lines
            .lock()
            .expect("it is held for a moment only")
            .push(line.0);
        (self.on_event)(&self.breaker);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a string takes everything");
    }
}

#[test]
fn each_transition_is_one_event() {
    let rig = in_a_row(1);
    let lines = Log::of(
        &rig,
        |_| {},
        || {
            let failure = Failure {
                code: Some("unreachable".into()),
                ..Failure::default()
            };
            rig.fail_with(rig.admit(), failure);
            rig.run("ok +1000 ok");
        },
    );
    let names = r#"port="SmsSender" adapter="HttpSmsSender" method="send""#;
    assert_eq!(
        lines,
        [
            format!(
                "WARN message=circuit open {names} from=\"closed\" to=\"open\" \
                 cause=\"consecutive_failures\" code=\"unreachable\" forced=false"
            ),
            format!(
                "WARN message=circuit half_open {names} from=\"open\" to=\"half_open\" \
                 cause=\"reset_time\" code=\"unreachable\" forced=false"
            ),
            format!(
                "INFO message=circuit closed {names} from=\"half_open\" to=\"closed\" \
                 cause=\"probes_succeeded\" forced=false"
            ),
        ]
    );
}

/// BRK-9: the state can be asked from inside a subscriber, and it is the new one.
#[test]
fn brk_9_a_subscriber_may_ask_the_breaker() {
    let rig = in_a_row(1);
    let lines = Log::of(
        &rig,
        |breaker| assert_eq!(breaker.status().state, CircuitState::Open),
        || drop(rig.run("E")),
    );
    assert_eq!(lines.len(), 1);
    assert_eq!(rig.run("ok"), "CBO");
}

/// BRK-9: a panic in a subscriber is its own.
#[test]
fn brk_9_a_subscriber_that_panics_harms_nobody() {
    let rig = in_a_row(1);
    let mut transitions = rig.breaker.subscribe();
    let lines = Log::of(
        &rig,
        |_| panic!("the subscriber's own"),
        || drop(rig.run("E +1000 ok E")),
    );
    assert_eq!(lines.len(), 4, "all were told all the same");
    assert_eq!(rig.run("ok"), "CBO");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    for _ in 0..4 {
        assert!(runtime.block_on(transitions.next()).is_some());
    }
}

/// A subscriber that causes a transition does not wait for itself, and its transition is told after the one it was told.
#[test]
fn a_subscriber_may_force_the_breaker() {
    let rig = in_a_row(1);
    let lines = Log::of(
        &rig,
        |breaker| breaker.force_closed(Moment::at_ms(0)),
        || drop(rig.run("E")),
    );
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("to=\"open\""), "{}", lines[0]);
    assert!(lines[1].contains("to=\"closed\""), "{}", lines[1]);
    assert_eq!(rig.run("E E"), "E E");
}

/// Transitions of many threads are told in the order in which they happened.
#[test]
fn threads_that_force_it_are_told_in_order() {
    let rig = in_a_row(1);
    let mut transitions = rig.breaker.subscribe();
    let breaker: &Breaker = &rig.breaker;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for _ in 0..4 {
                    breaker.force_open(Moment::at_ms(0));
                    breaker.release(Moment::at_ms(0));
                }
            });
        }
    });
    drop(rig);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let mut state = CircuitState::Closed;
    while let Some(transition) = runtime.block_on(transitions.next()) {
        assert_eq!(transition.from(), state);
        state = transition.to();
    }
    assert_eq!((state, transitions.missed()), (CircuitState::Closed, 0));
}
