//! The future of a wrapped method is `Send` wherever that of the plain one is.
#![deny(warnings)]

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use resil::{Class, Classification, ErrorMap, PolicyError, adapter};

#[derive(Debug, PartialEq)]
pub struct Failed;

/// Not `Send`, which is nobody's concern: there is no value of it.
pub struct Map<T>(PhantomData<*const T>);

impl<T> ErrorMap<Failed> for Map<T> {
    fn classify(_: &Failed) -> Classification {
        Class::Transient.into()
    }

    fn policy(_: PolicyError) -> Failed {
        Failed
    }
}

pub trait Port: Send + Sync {
    type Item: Send + Debug + 'static;

    fn lent(&self, key: &str, out: &mut Vec<u8>) -> impl Future<Output = Result<usize, Failed>> + Send;
    fn owned(&self, items: Vec<Self::Item>, name: Arc<str>) -> impl Future<Output = Result<usize, Failed>> + Send;
    fn changed(&mut self, by: &[&str]) -> impl Future<Output = Result<usize, Failed>> + Send;
    fn any<U: AsRef<str> + Send + Sync>(&self, values: &[U]) -> impl Future<Output = Result<usize, Failed>> + Send;
}

#[derive(Clone)]
pub struct Http<T> {
    prefix: T,
}

#[adapter(
    kind = "external",
    errors = Map<T>,
    retry(base_ms = 0),
    timeout(ms = 50),
    circuit_breaker,
    bulkhead(max_concurrent = 2, max_queued = 2, max_wait_ms = 10),
    idempotent
)]
impl<T: AsRef<str> + Send + Sync> Port for Http<T> {
    type Item = (u8, String);

    async fn lent(&self, key: &str, out: &mut Vec<u8>) -> Result<usize, Failed> {
        tokio::task::yield_now().await;
        out.extend(key.bytes());
        Ok(self.prefix.as_ref().len() + out.len())
    }

    async fn owned(&self, items: Vec<(u8, String)>, name: Arc<str>) -> Result<usize, Failed> {
        tokio::task::yield_now().await;
        Ok(items.len() + name.len())
    }

    async fn changed(&mut self, by: &[&str]) -> Result<usize, Failed> {
        tokio::task::yield_now().await;
        Ok(by.len())
    }

    async fn any<U: AsRef<str> + Send + Sync>(&self, values: &[U]) -> Result<usize, Failed> {
        tokio::task::yield_now().await;
        Ok(values.iter().map(|value| value.as_ref().len()).sum())
    }
}

/// An adapter of one port over another, whatever implements it.
pub struct Layer<S>(S);

pub trait Outer: Send + Sync {
    fn both(&self, key: &str) -> impl Future<Output = Result<usize, Failed>> + Send;
}

#[adapter(kind = "gateway", errors = Map<S>, retry(base_ms = 0), timeout(ms = 50), circuit_breaker)]
impl<S: Port> Outer for Layer<S> {
    async fn both(&self, key: &str) -> Result<usize, Failed> {
        let once = self.0.any(&[key]).await?;
        Ok(once + self.0.any(&[key, key]).await?)
    }
}

/// Each policy alone.
macro_rules! alone {
    ($($name:ident: { $($policy:tt)* }),*) => {$(
        mod $name {
            use super::*;

            pub struct Alone;

            pub trait One {
                fn get(&self, key: &str, owned: String) -> impl Future<Output = Result<usize, Failed>> + Send;
            }

            #[adapter(kind = "external", errors = Map<u8>, $($policy)*)]
            impl One for Alone {
                async fn get(&self, key: &str, owned: String) -> Result<usize, Failed> {
                    tokio::task::yield_now().await;
                    Ok(key.len() + owned.len())
                }
            }

            pub async fn test() {
                let (one, key) = (ResilientAlone::new(Alone), String::from("ab"));
                let spawned = tokio::spawn(async move { one.get(&key, "c".into()).await });
                assert_eq!(spawned.await.expect("it does not panic"), Ok(3));
            }
        }
    )*};
}

alone! {
    retry_alone: { retry(base_ms = 0), no_timeout = "alone" },
    timeout_alone: { timeout(ms = 50) },
    circuit_breaker_alone: { circuit_breaker, no_timeout = "alone" },
    bulkhead_alone: { bulkhead(max_concurrent = 1, max_queued = 1, max_wait_ms = 5), no_timeout = "alone" },
    default_of_the_kind: {},
    none: { own(reason = "alone") }
}

/// A use case that knows the port only.
async fn use_case<P: Port>(port: &mut P, items: Vec<P::Item>) -> Result<usize, Failed> {
    let (key, name) = (String::from("abc"), Arc::from("de"));
    let mut out = Vec::new();
    let mut sum = port.lent(&key, &mut out).await?;
    sum += port.owned(items, name).await?;
    sum += port.changed(&[&key, "f"]).await?;
    Ok(sum + port.any(&[&key]).await?)
}

/// In a task of its own, for every port.
async fn spawned<P: Port + 'static>(mut port: P, items: Vec<P::Item>) -> Result<usize, Failed> {
    tokio::spawn(async move { use_case(&mut port, items).await }).await.expect("it does not panic")
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let items = vec![(1, String::from("one"))];
    assert_eq!(spawned(Http { prefix: "p" }, items.clone()).await, Ok(4 + 3 + 2 + 3));
    assert_eq!(spawned(ResilientHttp::new(Http { prefix: "p" }), items.clone()).await, Ok(4 + 3 + 2 + 3));
    assert_eq!(spawned(ResilientHttp::new(Http { prefix: String::from("p") }), items).await, Ok(4 + 3 + 2 + 3));

    retry_alone::test().await;
    timeout_alone::test().await;
    circuit_breaker_alone::test().await;
    bulkhead_alone::test().await;
    default_of_the_kind::test().await;
    none::test().await;

    let layer = ResilientLayer::new(Layer(ResilientHttp::new(Http { prefix: "p" })));
    let key = String::from("abc");
    assert_eq!(tokio::spawn(async move { layer.both(&key).await }).await.expect("no panic"), Ok(9));

    let prefix = String::from("pre");
    let borrowed = ResilientHttp::new(Http { prefix: &prefix });
    assert_eq!(borrowed.clone().any(&["a", "bc"]).await, Ok(3));
}
