//! An adapter whose methods take `self: Arc<Self>` is held in an `Arc` by its wrapper.
#![deny(warnings)]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::{BoxFuture, FutureExt as _};
use resil::{Class, Classification, ErrorMap, PolicyError, Protected, adapter};

#[derive(Debug, PartialEq)]
pub struct Failed;

pub struct Map;

impl ErrorMap<Failed> for Map {
    fn classify(_: &Failed) -> Classification {
        Class::Transient.into()
    }

    fn policy(_: PolicyError) -> Failed {
        Failed
    }
}

/// Not `Clone`.
#[derive(Debug, Default)]
pub struct Http<T> {
    calls: AtomicU32,
    with: T,
}

impl<T> Http<T> {
    fn fail_once(&self) -> Result<u32, Failed> {
        match self.calls.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Failed),
            calls => Ok(calls),
        }
    }
}

mod native {
    use super::*;

    pub trait Port {
        fn get(self: Arc<Self>, key: &str) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn put(&self, text: String) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn detached(self: Arc<Self>, text: String) -> BoxFuture<'static, Result<u32, Failed>>;
        fn share(self: Arc<Self>) -> usize;
        fn finish(self: Arc<Self>) -> impl Future<Output = u32> + Send;
        fn plain(&self) -> u32;
    }

    #[adapter(kind = "external", errors = Map, retry(attempts = 3, base_ms = 0), timeout(ms = 100), idempotent)]
    impl<T: Send + Sync + 'static> Port for Http<T> {
        async fn get(mut self: std::sync::Arc<Self>, key: &str) -> Result<u32, Failed> {
            let _ = &mut self;
            tokio::task::yield_now().await;
            Ok(self.fail_once()? + u32::from(key.is_empty()))
        }

        async fn put(&self, text: String) -> Result<u32, Failed> {
            Ok(self.fail_once()? + u32::from(text.is_empty()))
        }

        fn detached(self: Arc<Self>, text: String) -> BoxFuture<'static, Result<u32, Failed>> {
            async move { Ok(self.fail_once()? + u32::from(text.is_empty())) }.boxed()
        }

        fn share(self: Arc<Self>) -> usize {
            let _ = &self.with;
            Arc::strong_count(&self)
        }

        #[own(reason = "it is no call")]
        async fn finish(self: Arc<Self>) -> u32 {
            self.calls.load(Ordering::Relaxed)
        }

        fn plain(&self) -> u32 {
            7
        }
    }

    pub async fn test() {
        let wrapped = || Arc::new(ResilientHttp::new(Http { calls: AtomicU32::new(0), with: "a" }));
        assert_eq!(wrapped().get("a").await, Ok(1));
        assert_eq!(wrapped().put("a".into()).await, Ok(1));
        assert_eq!(wrapped().share(), 2);
        assert_eq!(wrapped().plain(), 7);

        let port = wrapped();
        let detached = tokio::spawn(Arc::clone(&port).detached("a".into()));
        assert_eq!(detached.await.expect("it does not panic"), Ok(1));
        assert_eq!(Arc::clone(&port).finish().await, 2);
        let key = String::from("abc");
        assert_eq!(tokio::spawn(async move { port.get(&key).await }).await.expect("no panic"), Ok(2));
    }

    pub fn held() {
        let states = ResilientHttp::<u8>::states();
        let one = ResilientHttp::sharing(&states, Http { calls: AtomicU32::new(0), with: 1_u8 });
        let clone = one.clone();
        assert!(Arc::ptr_eq(one.inner(), clone.inner()));
        let adapter: &Arc<Http<u8>> = one.inner();
        assert_eq!(adapter.with, 1);
        assert_eq!(format!("{one:?}"), "ResilientHttp { inner: Http { calls: 0, with: 1 }, .. }");
        drop(one);
        let adapter: Arc<Http<u8>> = clone.into_inner();
        assert_eq!(Arc::into_inner(adapter).map(|http| http.with), Some(1));
    }
}

mod async_trait_below {
    use super::*;

    #[async_trait::async_trait]
    pub trait Port: Send + Sync {
        async fn get(self: Arc<Self>, key: &str) -> Result<u32, Failed>;
    }

    #[adapter(kind = "external", errors = Map, retry(base_ms = 0), timeout(ms = 100), wrapper = Below)]
    #[async_trait::async_trait]
    impl Port for Http<()> {
        async fn get(self: Arc<Self>, key: &str) -> Result<u32, Failed> {
            Ok(self.fail_once()? + u32::from(key.is_empty()))
        }
    }

    pub async fn test() {
        let port: Arc<dyn Port> = Arc::new(Below::new(Http::default()));
        assert_eq!(Arc::clone(&port).get("a").await, Ok(1));
        assert_eq!(tokio::spawn(async move { port.get("").await }).await.expect("no panic"), Ok(3));
    }
}

mod async_trait_above {
    use super::*;

    #[async_trait::async_trait]
    pub trait Port: Send + Sync {
        async fn get(self: Arc<Self>, key: String) -> Result<u32, Failed>;
    }

    #[async_trait::async_trait]
    #[adapter(kind = "external", errors = Map, retry(base_ms = 0), timeout(ms = 100), wrapper = Above)]
    impl Port for Http<()> {
        async fn get(self: Arc<Self>, key: String) -> Result<u32, Failed> {
            Ok(self.fail_once()? + u32::from(key.is_empty()))
        }
    }

    pub async fn test() {
        let port: Arc<dyn Port> = Arc::new(Above::new(Http::default()));
        assert_eq!(port.get("a".into()).await, Ok(1));
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    native::test().await;
    native::held();
    async_trait_below::test().await;
    async_trait_above::test().await;
}
