//! However a method says that it is async, it is wrapped.
#![deny(warnings)]
#![allow(clippy::manual_async_fn, reason = "forms that a user may write")]

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::{BoxFuture, FutureExt as _, LocalBoxFuture};
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

#[derive(Default)]
pub struct Http {
    calls: AtomicU32,
}

impl Http {
    fn fail_once(&self) -> Result<u32, Failed> {
        match self.calls.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Failed),
            calls => Ok(calls),
        }
    }
}

fn send<T: Send>(value: T) -> T {
    value
}

mod returned {
    use super::*;

    pub trait Port {
        fn by_impl<'a>(&'a self, text: &'a str) -> impl Future<Output = Result<u32, Failed>> + Send + 'a;
        fn by_hand(&self, text: String) -> Pin<Box<dyn Future<Output = Result<u32, Failed>> + Send + '_>>;
        fn boxed<'a>(&'a self, text: &'a str, owned: String) -> BoxFuture<'a, Result<u32, Failed>>;
        fn local<'a>(&'a self, owned: Rc<str>) -> LocalBoxFuture<'a, Result<u32, Failed>>;
        fn untouched(&self) -> BoxFuture<'_, ()>;
    }

    #[adapter(kind = "external", errors = Map, retry(attempts = 3, base_ms = 0), timeout(ms = 100), idempotent)]
    impl Port for Http {
        fn by_impl<'a>(&'a self, text: &'a str) -> impl Future<Output = Result<u32, Failed>> + Send + 'a {
            async move { Ok(self.fail_once()? + u32::from(text.is_empty())) }
        }

        fn by_hand(&self, _: String) -> Pin<Box<dyn Future<Output = Result<u32, Failed>> + Send + '_>> {
            self.calls.fetch_add(10, Ordering::Relaxed);
            Box::pin(async { Err(Failed) })
        }

        fn boxed<'a>(&'a self, text: &'a str, owned: String) -> BoxFuture<'a, Result<u32, Failed>> {
            async move { Ok(self.fail_once()? + u32::from(text == owned)) }.boxed()
        }

        fn local<'a>(&'a self, owned: Rc<str>) -> LocalBoxFuture<'a, Result<u32, Failed>> {
            async move { Ok(self.fail_once()? + u32::from(owned.is_empty())) }.boxed_local()
        }

        #[own(reason = "it answers nothing")]
        fn untouched(&self) -> BoxFuture<'_, ()> {
            std::future::ready(()).boxed()
        }
    }

    pub async fn test() {
        let wrapped = || ResilientHttp::new(Http::default());
        assert_eq!(send(wrapped().by_impl("a")).await, Ok(1));
        let by_hand = wrapped();
        assert_eq!(send(by_hand.by_hand("a".into())).await, Err(Failed));
        assert_eq!(by_hand.inner().calls.load(Ordering::Relaxed), 30);
        assert_eq!(send(wrapped().boxed("a", "b".into())).await, Ok(1));
        assert_eq!(wrapped().local("a".into()).await, Ok(1));
        send(wrapped().untouched()).await;
        assert!(wrapped().circuit("untouched").is_none());
    }
}

mod lazy {
    use super::*;

    pub trait Port {
        fn get(&self) -> impl Future<Output = Result<u32, Failed>> + Send;
    }

    #[adapter(kind = "external", errors = Map, wrapper = Lazy)]
    impl Port for Http {
        fn get(&self) -> impl Future<Output = Result<u32, Failed>> + Send {
            self.calls.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok(0))
        }
    }

    pub async fn test() {
        let http = Lazy::new(Http::default());
        drop(http.get());
        assert_eq!(http.inner().calls.load(Ordering::Relaxed), 0);
        assert_eq!(http.get().await, Ok(0));
        assert_eq!(http.inner().calls.load(Ordering::Relaxed), 1);
    }
}

mod async_trait_below {
    use super::*;

    #[async_trait::async_trait]
    pub trait Port {
        async fn get(&self, text: &str, owned: String) -> Result<u32, Failed>;
        async fn count(&mut self, _: u8) -> Result<u32, Failed>;
    }

    #[adapter(kind = "external", errors = Map, retry(base_ms = 0), timeout(ms = 100), wrapper = Below)]
    #[async_trait::async_trait]
    impl Port for Http {
        #[idempotent]
        async fn get(&self, text: &str, owned: String) -> Result<u32, Failed> {
            Ok(self.fail_once()? + u32::from(text == owned))
        }

        #[retry(off)]
        async fn count(&mut self, _: u8) -> Result<u32, Failed> {
            self.fail_once()
        }
    }

    pub async fn test() {
        let mut below = Below::new(Http::default());
        assert_eq!(send(below.get("a", "b".into())).await, Ok(1));
        assert_eq!(send(below.count(1)).await, Ok(2));
        let port: Box<dyn Port> = Box::new(below);
        assert_eq!(port.get("a", "a".into()).await, Ok(4));
        assert_eq!(Below::new(Http::default()).count(1).await, Err(Failed));
    }
}

mod async_trait_above {
    use super::*;

    #[async_trait::async_trait]
    pub trait Port {
        async fn get(&self, text: &str, owned: String) -> Result<u32, Failed>;
        async fn count(&mut self, _: u8) -> Result<u32, Failed>;
    }

    #[async_trait::async_trait]
    #[adapter(kind = "external", errors = Map, retry(base_ms = 0), timeout(ms = 100), wrapper = Above)]
    impl Port for Http {
        #[idempotent]
        async fn get(&self, text: &str, owned: String) -> Result<u32, Failed> {
            Ok(self.fail_once()? + u32::from(text == owned))
        }

        #[retry(off)]
        async fn count(&mut self, _: u8) -> Result<u32, Failed> {
            self.fail_once()
        }
    }

    pub async fn test() {
        let mut above = Above::new(Http::default());
        assert_eq!(send(above.get("a", "b".into())).await, Ok(1));
        assert_eq!(send(above.count(1)).await, Ok(2));
        assert_eq!(Above::new(Http::default()).count(1).await, Err(Failed));
    }
}

mod async_trait_not_send {
    use super::*;

    #[async_trait::async_trait(?Send)]
    pub trait Port {
        async fn get(&self, shared: Rc<str>) -> Result<u32, Failed>;
    }

    #[adapter(kind = "external", errors = Map, wrapper = NotSend)]
    #[async_trait::async_trait(?Send)]
    impl Port for Http {
        async fn get(&self, shared: Rc<str>) -> Result<u32, Failed> {
            std::future::ready(()).await;
            Ok(shared.len().try_into().unwrap_or(0))
        }
    }

    pub async fn test() {
        assert_eq!(NotSend::new(Http::default()).get("ab".into()).await, Ok(2));
    }
}

mod owned_arguments {
    use super::*;

    pub struct Token;

    pub trait Port {
        fn clonable(&self, text: String) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn not(&self, token: Token) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn off(&self, token: Token, text: String) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn lent(&self, text: &mut String) -> impl Future<Output = Result<u32, Failed>> + Send;
        fn any<B>(&self, lent: &mut B, given: Option<B>) -> impl Future<Output = Result<u32, Failed>> + Send
        where
            B: Send;
    }

    #[adapter(kind = "external", errors = Map, wrapper = Owned)]
    impl Port for Http {
        #[idempotent]
        async fn clonable(&self, text: String) -> Result<u32, Failed> {
            let _ = text;
            self.fail_once()
        }

        #[idempotent]
        async fn not(&self, token: Token) -> Result<u32, Failed> {
            let Token = token;
            self.fail_once()
        }

        #[retry(off)]
        async fn off(&self, token: Token, text: String) -> Result<u32, Failed> {
            let (Token, _) = (token, text);
            self.fail_once()
        }

        #[idempotent]
        async fn lent(&self, text: &mut String) -> Result<u32, Failed> {
            text.push('x');
            self.fail_once()
        }

        async fn any<B>(&self, lent: &mut B, given: Option<B>) -> Result<u32, Failed>
        where
            B: Send,
        {
            if let Some(given) = given {
                *lent = given;
            }
            Ok(0)
        }
    }

    pub async fn test() {
        let wrapped = || Owned::new(Http::default());
        assert_eq!(send(wrapped().clonable("a".into())).await, Ok(1));
        assert_eq!(send(wrapped().not(Token)).await, Err(Failed));
        assert_eq!(send(wrapped().off(Token, "a".into())).await, Err(Failed));
        let mut text = String::new();
        assert_eq!(send(wrapped().lent(&mut text)).await, Ok(1));
        assert_eq!(text, "xx");
        assert_eq!(send(wrapped().any(&mut text, Some("y".into()))).await, Ok(0));
        assert_eq!(text, "y");
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    returned::test().await;
    lazy::test().await;
    async_trait_below::test().await;
    async_trait_above::test().await;
    async_trait_not_send::test().await;
    owned_arguments::test().await;
}
