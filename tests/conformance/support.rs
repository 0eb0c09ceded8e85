//! An adapter that answers by a script, and what the rows need to drive it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use resil::{Classify, Policies, PolicyError, PolicyErrorKind, adapter};
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// What a scripted call can end with. The rows call `Fault` E, `Refusal` U.
#[derive(Clone, Debug, PartialEq, Classify)]
pub(crate) enum Error {
    #[class(transient)]
    Fault,
    #[class(refusal)]
    Refusal,
    #[class(permanent)]
    Permanent,
    #[class(transient, not_sent)]
    NotSent,
    #[class(transient, retry_after = wait)]
    Busy { wait: Duration },
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

impl Error {
    /// Which policy made it, where one did.
    pub(crate) fn kind(&self) -> Option<PolicyErrorKind> {
        match self {
            Self::Policy(error) => Some(error.kind()),
            _ => None,
        }
    }
}

pub(crate) type Answer = Result<u32, Error>;

/// CBO of the rows.
pub(crate) fn is_open(answer: &Answer) -> bool {
    matches!(answer, Err(error) if error.kind() == Some(PolicyErrorKind::CircuitOpen))
}

/// BHF of the rows.
pub(crate) fn is_full(answer: &Answer) -> bool {
    matches!(answer, Err(error) if error.kind() == Some(PolicyErrorKind::BulkheadFull))
}

/// TOX of the rows.
pub(crate) fn is_timeout(answer: &Answer) -> bool {
    matches!(answer, Err(error) if error.kind() == Some(PolicyErrorKind::TimedOut))
}

/// What one call does.
pub(crate) enum Step {
    /// Answers at once.
    Now(Answer),
    /// Answers after so many milliseconds.
    After(u64, Answer),
    /// Answers once the gate gives a permit.
    Gate(Arc<Semaphore>, Answer),
    Hang,
    Panic,
}

/// E at once.
pub(crate) fn fault() -> Step {
    Step::Now(Err(Error::Fault))
}

pub(crate) trait Port: Send + Sync {
    fn call(&self) -> impl Future<Output = Answer> + Send;
}

/// Asks the script what its n-th call does, from 1.
#[derive(Clone)]
pub(crate) struct Scripted {
    script: Arc<dyn Fn(u32) -> Step + Send + Sync>,
    calls: Arc<AtomicU32>,
    running: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

/// Counts a call as running until it is dropped.
struct Running(Arc<AtomicU32>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(u32) -> Step + Send + Sync + 'static) -> Self {
        Self {
            script: Arc::new(script),
            calls: Arc::default(),
            running: Arc::default(),
            most: Arc::default(),
        }
    }

    /// How often the adapter itself was called: n of the rows.
    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(SeqCst)
    }

    /// How many calls run in the adapter now.
    pub(crate) fn running(&self) -> u32 {
        self.running.load(SeqCst)
    }

    /// How many calls ran in the adapter at once, at most.
    pub(crate) fn most_at_once(&self) -> u32 {
        self.most.load(SeqCst)
    }
}

#[adapter(kind = "external", idempotent, vis = pub(crate))]
impl Port for Scripted {
    async fn call(&self) -> Answer {
        let n = self.calls.fetch_add(1, SeqCst) + 1;
        let now = self.running.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(now, SeqCst);
        let _running = Running(Arc::clone(&self.running));
        match (self.script)(n) {
            Step::Now(answer) => answer,
            Step::After(ms, answer) => {
                sleep(Duration::from_millis(ms)).await;
                answer
            }
            Step::Gate(gate, answer) => {
                gate.acquire().await.expect("the gate is never closed").forget();
                answer
            }
            Step::Hang => std::future::pending().await,
            Step::Panic => panic!("as the script says"),
        }
    }
}

/// A wrapped scripted adapter under these policies, and the adapter itself for its counts.
pub(crate) fn wrap(
    policies: Policies,
    script: impl Fn(u32) -> Step + Send + Sync + 'static,
) -> (ResilientScripted, Scripted) {
    let adapter = Scripted::new(script);
    let wrapped =
        ResilientScripted::with_policies(adapter.clone(), policies).expect("the row's numbers are legal");
    (wrapped, adapter)
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Starts a call in a task of its own and lets it run as far as it gets.
pub(crate) async fn start(port: &ResilientScripted) -> tokio::task::JoinHandle<Answer> {
    let port = port.clone();
    let call = tokio::spawn(async move { port.call().await });
    settle().await;
    call
}

/// Lets every task run until all wait.
pub(crate) async fn settle() {
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
}
