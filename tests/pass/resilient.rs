//! Functions with policies and without a port.
#![deny(warnings)]

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use resil::{Attempt, Classify, CircuitState, PolicyError, State, resilient};

#[derive(Clone, Debug, PartialEq, Classify)]
pub enum Failed {
    #[class(transient)]
    Down,
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Failed {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

type Answer<T> = Result<T, Failed>;

static CALLS: AtomicU32 = AtomicU32::new(0);
const METHOD: u32 = 1;

/// Fails twice.
#[resilient(kind = "external", retry(attempts = 3, base_ms = 0), timeout(ms = 100))]
pub async fn fetch<T: AsRef<str> + Clone>(path: &str, mut name: String, (a, _): (u8, u8), tag: T) -> Answer<String> {
    name.push('!');
    if CALLS.fetch_add(METHOD, SeqCst) < 2 {
        fail()?;
    }
    if a == 0 {
        return Ok(String::new());
    }
    Ok(format!("{path}{name}{}", tag.as_ref()))
}

fn fail() -> Answer<()> {
    Err(Failed::Down)
}

#[resilient(kind = "gateway", timeout(ms = 100), cached(ttl_ms = 1000), fallback(value = 7))]
async fn cached(n: u32) -> Answer<u32> {
    CALLS.fetch_add(1, SeqCst);
    if n == 0 { Err(Failed::Down) } else { Ok(n) }
}

macro_rules! function {
    ($vis:vis $name:ident, $answer:ty, $body:block) => {
        #[resilient(kind = "external", timeout(ms = 100))]
        $vis async fn $name() -> Answer<$answer> $body
    };
}

function! { pub(crate) from_a_macro, u32, { Ok(METHOD + 1) } }

struct Rates {
    calls: AtomicU32,
    state: State,
    other: State,
}

impl Rates {
    #[resilient(kind = "external", timeout(ms = 50), circuit_breaker(failure_threshold = 1))]
    async fn rate(&self, pair: &str) -> Answer<usize> {
        self.calls.fetch_add(1, SeqCst);
        if pair.is_empty() { Err(Failed::Down) } else { Ok(pair.len()) }
    }

    #[resilient(kind = "external", state = other, timeout(ms = 50), retry(base_ms = 0), fallback(with = Self::instead))]
    #[non_idempotent]
    async fn pay(&self, amount: Vec<u8>) -> Answer<Vec<u8>> {
        assert!(Attempt::current().is_some());
        self.calls.fetch_add(1, SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(amount)
    }

    async fn instead(&self, amount: Vec<u8>, error: Failed) -> Answer<Vec<u8>> {
        if amount.is_empty() { Err(error) } else { Ok(vec![0]) }
    }
}

async fn run() {
    assert_eq!(fetch("p", "n".into(), (1, 2), "t").await, Ok("pn!t".into()));
    assert_eq!(CALLS.swap(0, SeqCst), 3);
    assert_eq!((cached(3).await, cached(3).await, cached(0).await), (Ok(3), Ok(3), Ok(7)));
    assert_eq!(CALLS.load(SeqCst), 2);
    assert_eq!(from_a_macro().await, Ok(2));

    let new = || Rates { calls: AtomicU32::new(0), state: State::new(), other: State::new() };
    let (one, two) = (new(), new());
    assert_eq!(one.rate("").await, Err(Failed::Down));
    assert!(matches!(one.rate("abc").await, Err(Failed::Policy(_))));
    assert_eq!(two.rate("abc").await, Ok(3));
    assert_eq!(one.state.circuit("rate").map(|circuit| circuit.state()), Some(CircuitState::Open));
    assert_eq!(two.pay(vec![1]).await, Ok(vec![0]));
    assert!(matches!(two.pay(vec![]).await, Err(Failed::Policy(_))));
    assert_eq!((one.calls.load(SeqCst), two.calls.load(SeqCst)), (1, 3));
    assert!(two.other.circuit("pay").is_some() && two.state.circuit("pay").is_none());
}

fn assert_send<T: Send>(value: T) -> T {
    value
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(assert_send(run()));
}
