//! What stands around attempts, in every form of a method.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use resil::{Classify, PolicyError, Protected, adapter};

#[derive(Clone, Debug, PartialEq, Classify)]
pub enum Failed {
    #[class(transient)]
    Down,
    #[class(refusal)]
    Refused,
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Failed {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

type Answer<T> = Result<T, Failed>;

trait Port {
    fn with(&self, id: u32, name: String, out: &mut Vec<u32>) -> impl Future<Output = Answer<String>> + Send;
    fn value(&self, id: u32) -> impl Future<Output = Answer<Vec<u32>>> + Send;
    fn race(&self, name: String, id: &u32) -> impl Future<Output = Answer<String>> + Send;
    fn asked(&self, #[cfg(any())] gone: u8, #[cfg(all())] id: u32) -> impl Future<Output = Answer<u32>> + Send;
    fn changes(&mut self, id: u32) -> impl Future<Output = Answer<u32>> + Send;
}

#[derive(Default)]
struct Http<T> {
    calls: AtomicU32,
    tag: T,
}

impl<T: Send + Sync> Http<T> {
    async fn other(&self, id: u32, name: String, out: &mut Vec<u32>, error: Failed) -> Answer<String> {
        assert_eq!(error, Failed::Down);
        out.push(id);
        Ok(format!("instead of {name}"))
    }

    async fn healthy(&self) -> Result<(), std::fmt::Error> {
        self.calls.fetch_add(100, SeqCst);
        Ok(())
    }

    async fn zero(&self, id: u32, _error: Failed) -> Answer<u32> {
        Ok(id)
    }
}

#[adapter(kind = "external", timeout(ms = 1000), deadline(ms = 5000), rate_limit(permits = 1000))]
impl<T: Send + Sync> Port for Http<T> {
    #[fallback(with = Self::other)]
    async fn with(&self, id: u32, name: String, out: &mut Vec<u32>) -> Answer<String> {
        let _ = (id, name, out);
        Err(Failed::Down)
    }

    #[fallback(value = vec![1, 2])]
    fn value(&self, id: u32) -> impl Future<Output = Answer<Vec<u32>>> + Send {
        std::future::ready(if id == 0 { Err(Failed::Down) } else { Err(Failed::Refused) })
    }

    #[idempotent]
    #[hedge(after_ms = 10, max = 2)]
    async fn race(&self, name: String, id: &u32) -> Answer<String> {
        let call = self.calls.fetch_add(1, SeqCst);
        if call == 0 {
            std::future::pending::<()>().await;
        }
        Ok(format!("{name}{id}{call}"))
    }

    #[circuit_breaker(failure_threshold = 1, reset_after_ms = 100, probe = Self::healthy)]
    async fn asked(&self, #[cfg(any())] gone: u8, #[cfg(all())] id: u32) -> Answer<u32> {
        if id == 0 { Err(Failed::Down) } else { Ok(self.calls.load(SeqCst)) }
    }

    #[fallback(with = Http::<T>::zero)]
    async fn changes(&mut self, id: u32) -> Answer<u32> {
        self.calls = AtomicU32::new(id);
        Err(Failed::Down)
    }
}

async fn run() {
    let http = ResilientHttp::new(Http::<u8>::default());
    let mut out = Vec::new();
    assert_eq!(http.with(7, "a".into(), &mut out).await, Ok("instead of a".into()));
    assert_eq!(out, [7]);
    assert_eq!(http.value(0).await, Ok(vec![1, 2]));
    assert_eq!(http.value(1).await, Err(Failed::Refused));
    assert_eq!(http.race("x".into(), &5).await, Ok("x51".into()));
    assert_eq!(http.asked(0).await, Err(Failed::Down));
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert_eq!(http.asked(1).await, Ok(102));
    let mut http = http;
    assert_eq!(http.changes(9).await, Ok(9));
    let _ = http.inner::<Http<u8>>().tag;
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
