//! Fallbacks, races, probes, deadlines and rate limits, in every form that a method may have.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use resil::{Class, Classification, ErrorMap, PolicyError, adapter};

#[derive(Debug, PartialEq)]
pub enum Failed {
    Refused,
    Busy,
    Policy(String),
}

pub struct Map;

impl ErrorMap<Failed> for Map {
    fn classify(error: &Failed) -> Classification {
        match error {
            Failed::Refused => Class::Refusal.into(),
            _ => Class::Transient.into(),
        }
    }

    fn policy(error: PolicyError) -> Failed {
        Failed::Policy(error.to_string())
    }
}

pub type Answer<T> = Result<T, Failed>;

/// Not `Clone`.
#[derive(Debug, PartialEq)]
pub struct Token(u8);

pub trait Quotes: Send + Sync {
    type Quote: Send;

    fn lent(&self, symbol: &str, out: &mut Vec<u8>) -> impl Future<Output = Answer<Self::Quote>> + Send;
    fn owned(&self, symbol: String, pair: (String, u8)) -> impl Future<Output = Answer<Self::Quote>> + Send;
    fn changed(&mut self, symbol: String) -> impl Future<Output = Answer<Self::Quote>> + Send;
    fn by_value(&self, symbol: String, once: Token) -> impl Future<Output = Answer<Self::Quote>> + Send;
    fn constant(&self, once: Token) -> impl Future<Output = Answer<Vec<u8>>> + Send;
    fn boxed<'a>(&'a self, symbol: &'a str) -> Pin<Box<dyn Future<Output = Answer<Self::Quote>> + Send + 'a>>;
    fn raced(&self, symbol: String, n: u8) -> impl Future<Output = Answer<Self::Quote>> + Send;
    fn plain(&self) -> impl Future<Output = Answer<Self::Quote>> + Send;
}

#[derive(Clone, Debug, Default)]
pub struct Http<T> {
    calls: Arc<AtomicU32>,
    asked: Arc<AtomicU32>,
    healed: T,
}

impl<T: Send + Sync> Http<T> {
    const NONE: &'static str = "none";

    async fn stored(&self, symbol: &str, out: &mut Vec<u8>, error: Failed) -> Answer<String> {
        tokio::task::yield_now().await;
        out.push(0);
        Ok(format!("{symbol} after {error:?}"))
    }

    async fn healthy(&self) -> Result<(), &'static str> {
        self.asked.fetch_add(1, Relaxed);
        let _ = &self.healed;
        Err("not yet")
    }

    fn count<U>(&self) -> Answer<U> {
        self.calls.fetch_add(1, Relaxed);
        Err(Failed::Busy)
    }
}

mod elsewhere {
    use super::{Answer, Failed, Http};

    pub(super) async fn of_pair<T, const N: usize>(
        _: &Http<T>,
        symbol: String,
        (name, _): (String, u8),
        _: Failed,
    ) -> Answer<String> {
        Ok(format!("{symbol} {name} {N}"))
    }

    pub(super) async fn changed<T>(http: &mut Http<T>, symbol: String, _: Failed) -> Answer<String> {
        http.calls = Default::default();
        Ok(symbol)
    }

    pub(super) async fn raced<T>(_: &Http<T>, symbol: String, n: u8, _: Failed) -> Answer<String> {
        Ok(format!("{symbol} {n}"))
    }

    pub(super) async fn boxed<T>(_: &Http<T>, symbol: &str, error: Failed) -> Answer<String> {
        if symbol == "fails" { Err(error) } else { Ok(symbol.to_owned()) }
    }
}

#[adapter(
    kind = "external",
    errors = Map,
    timeout(ms = 50),
    deadline(ms = 500),
    rate_limit(permits = 1000, per_ms = 10, burst = 2000),
    bulkhead(max_concurrent = 8, max_queued = 8),
    circuit_breaker(failure_threshold = 1000, probe = Self::healthy)
)]
impl<T: Send + Sync> Quotes for Http<T> {
    type Quote = String;

    #[retry(base_ms = 0)]
    #[fallback(with = Self::stored)]
    async fn lent(&self, symbol: &str, out: &mut Vec<u8>) -> Answer<String> {
        out.push(symbol.len() as u8);
        self.count()
    }

    #[fallback(with = elsewhere::of_pair::<T, { 1 + 2 }>)]
    async fn owned(&self, symbol: String, (name, n): (String, u8)) -> Answer<String> {
        if n == 0 { Err(Failed::Refused) } else { Ok(symbol + &name).and_then(|_| self.count()) }
    }

    #[fallback(with = self::elsewhere::changed)]
    async fn changed(&mut self, symbol: String) -> Answer<String> {
        drop(symbol);
        self.count()
    }

    #[fallback(value = format!("{} {symbol}", Self::NONE))]
    async fn by_value(&self, symbol: String, once: Token) -> Answer<String> {
        drop((symbol, once));
        self.count()
    }

    #[fallback(value = Vec::new())]
    async fn constant(&self, once: Token) -> Answer<Vec<u8>> {
        drop(once);
        self.count()
    }

    #[fallback(with = crate::elsewhere::boxed)]
    fn boxed<'a>(&'a self, symbol: &'a str) -> Pin<Box<dyn Future<Output = Answer<String>> + Send + 'a>> {
        Box::pin(async move {
            assert!(!symbol.is_empty());
            self.count()
        })
    }

    #[idempotent]
    #[hedge(after_ms = 5, max = 2)]
    #[fallback(with = elsewhere::raced)]
    async fn raced(&self, symbol: String, n: u8) -> Answer<String> {
        drop(symbol);
        std::future::pending::<()>().await;
        Ok(n.to_string())
    }

    async fn plain(&self) -> Answer<String> {
        Ok(String::from("plain"))
    }
}

fn is_send<F: Future + Send>(future: F) -> F {
    future
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let mut quotes = ResilientHttp::new(Http::<u8>::default());

    let mut out = Vec::new();
    let answer = is_send(quotes.lent("abc", &mut out)).await;
    assert_eq!(answer, Ok("abc after Busy".into()));
    assert_eq!(out, [3, 3, 3, 0]);

    let owned = |n| is_send(quotes.owned("a".into(), ("b".into(), n)));
    assert_eq!(owned(1).await, Ok("a b 3".into()));
    // A refusal is an answer.
    assert_eq!(owned(0).await, Err(Failed::Refused));

    assert_eq!(is_send(quotes.by_value("x".into(), Token(1))).await, Ok("none x".into()));
    assert_eq!(is_send(quotes.constant(Token(1))).await, Ok(Vec::new()));
    assert_eq!(is_send(quotes.boxed("kept")).await, Ok("kept".into()));
    assert_eq!(is_send(quotes.boxed("fails")).await, Err(Failed::Busy));
    assert_eq!(is_send(quotes.raced("r".into(), 1)).await, Ok("r 1".into()));
    assert_eq!(is_send(quotes.changed("c".into())).await, Ok("c".into()));
    assert_eq!(is_send(quotes.plain()).await, Ok("plain".into()));
}
