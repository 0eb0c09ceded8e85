//! Drives a wrapped adapter by a row written in words, one call after the other.
//!
//! | word | the call | |
//! |---|---|---|
//! | `ok` `E` `U` `P` | answers so: value, transient failure, refusal, permanent failure | `E@500`: after 500 ms; `E*3`: three calls |
//! | `TOX` | never answers, and is timed out | |
//! | `CBO` `BHF` | is refused by the circuit, by the bulkhead, without entering the adapter | |
//! | `+500` | none; 500 ms pass | |
//! | `closed` `open` `half_open` | none; the circuit must be so | |

use std::sync::{Arc, Mutex};

use resil::{Circuit, CircuitBreaker, CircuitState, Policies, PolicyError, PolicyErrorKind, Protected};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::advance;

use crate::support::{Answer, Error, Port, ResilientScripted, Scripted, Step, ms, settle, start, wrap};

/// The circuit breaker of section 2: over so many calls, judged once there are so many.
pub(super) fn cb(calls: u32, rate: f64, reset_ms: u64, probes: u32) -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(rate)
        .window(calls)
        .min_calls(calls)
        .reset_after(ms(reset_ms))
        .half_open_calls(probes)
}

/// So many failures in a row; open for a second.
pub(super) fn in_a_row(failures: u32) -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_threshold(failures)
        .reset_after(ms(1_000))
}

/// A failure that asks to be left alone for so long.
pub(super) fn busy(wait_ms: u64) -> Step {
    Step::Now(Err(Error::Busy { wait: ms(wait_ms) }))
}

/// The word for an answer.
pub(super) fn word(answer: &Answer) -> &'static str {
    match answer {
        Ok(_) => "ok",
        Err(Error::Fault) => "E",
        Err(Error::Refusal) => "U",
        Err(Error::Permanent) => "P",
        Err(Error::NotSent) => "not sent",
        Err(Error::Busy { .. }) => "busy",
        Err(Error::Policy(error)) => match error.kind() {
            PolicyErrorKind::CircuitOpen => "CBO",
            PolicyErrorKind::BulkheadFull => "BHF",
            PolicyErrorKind::TimedOut => "TOX",
            _ => "another policy",
        },
    }
}

/// What an adapter that is entered does so that the call ends with this word.
fn answer(word: &str) -> Answer {
    match word {
        "E" => Err(Error::Fault),
        "U" => Err(Error::Refusal),
        "P" => Err(Error::Permanent),
        // A call that should have been refused but was not is found out by its answer.
        "ok" | "CBO" | "BHF" => Ok(0),
        _ => panic!("`{word}` is no word of a row"),
    }
}

/// A wrapped adapter that does what it is told before each call.
pub(super) struct Rig {
    pub(super) port: ResilientScripted,
    pub(super) adapter: Scripted,
    next: Arc<Mutex<Option<Step>>>,
}

impl Rig {
    pub(super) fn new(breaker: CircuitBreaker) -> Self {
        Self::under(Policies::new().circuit_breaker(breaker))
    }

    pub(super) fn under(policies: Policies) -> Self {
        let next = Arc::new(Mutex::new(None));
        let told = Arc::clone(&next);
        let (port, adapter) = wrap(policies, move |_| {
            let step: Option<Step> = told.lock().expect("no test panics under it").take();
            step.expect("one call enters the adapter once")
        });
        Self { port, adapter, next }
    }

    fn plan(&self, step: Step) {
        *self.next.lock().expect("no test panics under it") = Some(step);
    }

    /// A call that does this once it is in the adapter.
    pub(super) async fn call(&self, step: Step) -> Answer {
        self.plan(step);
        self.port.call().await
    }

    /// The same in a task of its own, which runs as far as it gets.
    pub(super) async fn start(&self, step: Step) -> JoinHandle<Answer> {
        self.plan(step);
        start(&self.port).await
    }

    /// Starts a call that ends with `answer` when the gate lets it.
    pub(super) async fn pending(&self, answer: Answer) -> Pending {
        let gate = Arc::new(Semaphore::new(0));
        let call = self.start(Step::Gate(Arc::clone(&gate), answer)).await;
        Pending { gate, call }
    }

    /// The policy error of a call that must be refused by the circuit.
    pub(super) async fn refused(&self) -> PolicyError {
        match self.call(Step::Now(Ok(0))).await {
            Err(Error::Policy(error)) if error.kind() == PolicyErrorKind::CircuitOpen => error,
            answer => panic!("the circuit was to refuse this call, but it ended with {answer:?}"),
        }
    }

    pub(super) fn circuit(&self) -> Circuit {
        self.port.circuit("call").expect("the port has this method")
    }

    pub(super) fn state(&self) -> CircuitState {
        self.circuit().state()
    }

    pub(super) async fn run(&self, row: &str) {
        for (at, step) in row.split_whitespace().enumerate() {
            let (step, times) = step.split_once('*').unwrap_or((step, "1"));
            for _ in 0..number(times) {
                let seen = self.step(step).await;
                let expected = step.split('@').next().unwrap_or(step);
                assert_eq!(seen, expected, "at no. {} of `{row}`", at + 1);
            }
        }
    }

    async fn step<'a>(&self, step: &'a str) -> &'a str {
        if let Some(wait) = step.strip_prefix('+') {
            advance(ms(number(wait))).await;
            return step;
        }
        if matches!(step, "closed" | "open" | "half_open") {
            return self.state().as_str();
        }
        let plan = match step.split_once('@') {
            Some((word, after)) => Step::After(number(after), answer(word)),
            None if step == "TOX" => Step::Hang,
            None => Step::Now(answer(step)),
        };
        word(&self.call(plan).await)
    }
}

fn number(digits: &str) -> u64 {
    digits.parse().expect("a row has whole numbers")
}

/// A call that waits in the adapter.
pub(super) struct Pending {
    gate: Arc<Semaphore>,
    pub(super) call: JoinHandle<Answer>,
}

impl Pending {
    /// Lets it end: the word of its answer.
    pub(super) async fn end(self) -> &'static str {
        self.gate.add_permits(1);
        word(&self.call.await.expect("it does not panic"))
    }

    /// Drops it where it is.
    pub(super) async fn drop_it(self) {
        self.call.abort();
        assert!(self.call.await.expect_err("it had not ended").is_cancelled());
        settle().await;
    }
}

/// Runs rows under policies of their own: id, policies, steps, and how often the adapter was entered.
pub(super) async fn rows<const N: usize>(rows: [(&str, CircuitBreaker, &str, u32); N]) {
    for (id, breaker, steps, n) in rows {
        println!("{id}");
        let rig = Rig::new(breaker);
        rig.run(steps).await;
        assert_eq!(rig.adapter.calls(), n, "{id}: n");
    }
}
