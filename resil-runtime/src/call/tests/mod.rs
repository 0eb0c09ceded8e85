//! The engine as generated code drives it, on the paused clock.

mod cached;
mod deadline;
mod examine;
mod fallback;
mod hedge;
mod inside;
mod rate;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Call;
use crate::instance::{Instance, MethodState};
use crate::{
    AdapterSpec, Class, Classification, Classify, Kind, MethodSpec, Own, Policies, PolicyError,
    PolicyErrorKind,
};

static ADAPTER: AdapterSpec = AdapterSpec::new("billing", "Port", "Adapter", Kind::External);
static METHOD: MethodSpec = MethodSpec::new(&ADAPTER, "call").idempotent();

#[derive(Clone, Debug, PartialEq)]
enum Error {
    Down,
    Refused,
    Policy(PolicyError),
}

impl Classify for Error {
    fn classify(&self) -> Classification {
        match self {
            Self::Down => Class::Transient.code("down"),
            Self::Refused => Class::Refusal.code("refused"),
            Self::Policy(error) => error.classify(),
        }
    }
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

type Answer = Result<u32, Error>;

fn kind(answer: &Answer) -> Option<PolicyErrorKind> {
    match answer {
        Err(Error::Policy(error)) => Some(error.kind()),
        _ => None,
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn method(policies: &Policies) -> MethodState {
    Instance::bound(&ADAPTER, *policies)
        .expect("the policies of a test")
        .method(&METHOD)
}

/// Answers by a script: after so long, this. What is dropped before is counted.
#[derive(Default)]
struct Script {
    steps: RefCell<VecDeque<(u64, Answer)>>,
    begun: Cell<u32>,
    dropped: Cell<u32>,
}

struct Running<'s>(Option<&'s Script>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(script) = self.0 {
            script.dropped.set(script.dropped.get() + 1);
        }
    }
}

impl Script {
    fn new(steps: impl IntoIterator<Item = (u64, Answer)>) -> Self {
        Self {
            steps: RefCell::new(steps.into_iter().collect()),
            ..Self::default()
        }
    }

    fn begin(&self) -> impl Future<Output = Answer> + use<'_> {
        self.begun.set(self.begun.get() + 1);
        let (after, answer) = self.steps.borrow_mut().pop_front().unwrap_or((0, Ok(0)));
        async move {
            let mut running = Running(Some(self));
            if after > 0 {
                sleep(ms(after)).await;
            }
            running.0 = None;
            answer
        }
    }

    async fn call(&self, method: &MethodState) -> Answer {
        let mut call = Call::new(method);
        loop {
            if let Some(answer) = call.attempt::<Own, _, _>(|_last| self.begin()).await {
                return answer;
            }
        }
    }
}

async fn timed<F: Future>(future: F) -> (F::Output, Duration) {
    let start = Instant::now();
    let output = future.await;
    (output, start.elapsed())
}
