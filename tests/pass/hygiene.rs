//! Nothing that stands around an adapter changes what the generated code means.
#![deny(warnings)]
#![allow(clippy::new_ret_no_self, clippy::wrong_self_convention, reason = "forms that a user may write")]
#![forbid(unsafe_code)]

#[no_implicit_prelude]
mod shadows {
    #![allow(dead_code, non_camel_case_types, unused_imports)]

    pub mod std {}
    pub mod core {}
    pub mod alloc {}
    pub mod tokio {}
    pub mod resil {}

    pub struct Arc;
    pub struct Box;
    pub struct Duration;
    pub struct Policies;
    pub type Result<T> = ::core::result::Result<T, Failed>;
    pub enum Option {
        Some,
        None,
        Ok,
        Err,
    }
    pub use self::Option::{Err, None, Ok, Some};
    pub trait Future {}
    pub trait Clone {}
    pub trait Debug {}
    pub trait Deref {
        fn deref(&self) {}
        fn pass(&self) {}
        fn attempt(&self) {}
        fn repeatable(&self) {}
        fn method(&self) {}
        fn clone(&self) {}
        fn field(&self) {}
        fn into(&self) {}
    }
    impl<T: ?::core::marker::Sized> Deref for T {}
    #[allow(unused_macros)]
    macro_rules! env {
        () => {};
    }
    #[allow(unused_macros)]
    macro_rules! concat {
        () => {};
    }

    #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::cmp::PartialEq, ::resil::Classify)]
    pub enum Failed {
        #[class(transient, retry_after = wait)]
        Busy { wait: ::core::option::Option<::core::time::Duration> },
        #[class(refusal)]
        Refused,
        #[class(policy)]
        Policy(::resil::PolicyError),
    }

    impl ::core::convert::From<::resil::PolicyError> for Failed {
        fn from(error: ::resil::PolicyError) -> Self {
            Self::Policy(error)
        }
    }

    pub trait Port {
        fn first(
            &self,
            key: u8,
            result: u8,
            inner: u8,
            attempt: ::std::string::String,
        ) -> impl ::core::future::Future<Output = Result<usize>> + ::core::marker::Send;
        fn second(
            &self,
            call: ::std::string::String,
            last: ::std::string::String,
            states: u8,
            arg1: (u8, u8),
        ) -> impl ::core::future::Future<Output = Result<usize>> + ::core::marker::Send;
        fn third(
            &self,
            span: u8,
            permit: u8,
            guard: ::std::string::String,
            fut: u8,
        ) -> impl ::core::future::Future<Output = Result<usize>> + ::core::marker::Send;
        fn fourth(
            &self,
            map: u8,
            state: ::std::string::String,
            ctx: u8,
            answer: u8,
        ) -> impl ::core::future::Future<Output = Result<usize>> + ::core::marker::Send;
        fn unseen(&self, answer: u8, check: u8) -> u8;
        fn boxed<'a>(
            &'a self,
            instance: &'a str,
        ) -> ::core::pin::Pin<
            ::std::boxed::Box<dyn ::core::future::Future<Output = Result<usize>> + ::core::marker::Send + 'a>,
        >;
        // The same names as in the wrapper and its states.
        fn new(&self) -> u8;
        fn build(&self) -> impl ::core::future::Future<Output = Result<u8>>;
        fn inner(&self) -> impl ::core::future::Future<Output = Result<u8>>;
        fn states(&self) -> impl ::core::future::Future<Output = Result<u8>>;
        fn method(&self) -> impl ::core::future::Future<Output = Result<u8>>;
        fn names(&self) -> impl ::core::future::Future<Output = Result<u8>>;
        fn adapter(&self) -> impl ::core::future::Future<Output = Result<u8>>;
    }

    #[derive(::core::fmt::Debug, ::core::clone::Clone)]
    pub struct Http;

    #[::resil::adapter(
        kind = "external",
        retry(attempts = 3, base_ms = 5, jitter = "none", budget = "off"),
        timeout(ms = 1000),
        circuit_breaker(failure_rate = 0.5, window_ms = 1000, reset = "manual"),
        bulkhead(max_concurrent = 8, max_queued = 4, max_wait_ms = 10, scope = "instance"),
        idempotent
    )]
    impl Port for Http {
        async fn first(&self, key: u8, result: u8, inner: u8, attempt: ::std::string::String) -> Result<usize> {
            ::core::result::Result::Ok((key + result + inner) as usize + attempt.len())
        }

        async fn second(
            &self,
            call: ::std::string::String,
            last: ::std::string::String,
            states: u8,
            (a, b): (u8, u8),
        ) -> Result<usize> {
            ::core::result::Result::Ok(call.len() + last.len() + (states + a + b) as usize)
        }

        async fn third(&self, span: u8, permit: u8, guard: ::std::string::String, fut: u8) -> Result<usize> {
            ::core::result::Result::Ok((span + permit + fut) as usize + guard.len())
        }

        async fn fourth(&self, map: u8, state: ::std::string::String, ctx: u8, answer: u8) -> Result<usize> {
            ::core::result::Result::Ok((map + ctx + answer) as usize + state.len())
        }

        fn unseen(&self, answer: u8, check: u8) -> u8 {
            answer + check
        }

        fn boxed<'a>(
            &'a self,
            instance: &'a str,
        ) -> ::core::pin::Pin<
            ::std::boxed::Box<dyn ::core::future::Future<Output = Result<usize>> + ::core::marker::Send + 'a>,
        > {
            ::std::boxed::Box::pin(async move { ::core::result::Result::Ok(instance.len()) })
        }

        fn new(&self) -> u8 {
            1
        }

        async fn build(&self) -> Result<u8> {
            ::core::result::Result::Ok(2)
        }

        async fn inner(&self) -> Result<u8> {
            ::core::result::Result::Err(Failed::Refused)
        }

        async fn states(&self) -> Result<u8> {
            ::core::result::Result::Ok(4)
        }

        async fn method(&self) -> Result<u8> {
            ::core::result::Result::Ok(5)
        }

        async fn names(&self) -> Result<u8> {
            ::core::result::Result::Ok(6)
        }

        async fn adapter(&self) -> Result<u8> {
            ::core::result::Result::Err(Failed::Busy { wait: ::core::option::Option::None })
        }
    }
}

mod again {
    pub use ::resil as policies;
}

#[no_implicit_prelude]
mod renamed {
    use super::again;

    #[derive(::core::fmt::Debug, ::core::cmp::PartialEq, again::policies::Classify)]
    #[class(crate = again::policies)]
    pub enum Failed {
        #[class(policy)]
        Policy(again::policies::PolicyError),
    }
    impl ::core::convert::From<again::policies::PolicyError> for Failed {
        fn from(error: again::policies::PolicyError) -> Self {
            Self::Policy(error)
        }
    }

    pub trait Port {
        fn get(&self) -> impl ::core::future::Future<Output = ::core::result::Result<u8, Failed>>;
    }
    pub struct Http;

    #[again::policies::adapter(kind = "gateway", crate = again::policies, retry, timeout(ms = 5))]
    impl Port for Http {
        async fn get(&self) -> ::core::result::Result<u8, Failed> {
            ::core::result::Result::Ok(1)
        }
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    use renamed::Port as _;
    use shadows::Port as _;

    let http = shadows::ResilientHttp::new(shadows::Http);
    assert_eq!(http.first(1, 2, 3, "four".into()).await, Result::Ok(10));
    assert_eq!(http.second("a".into(), "b".into(), 3, (2, 3)).await, Result::Ok(10));
    assert_eq!(http.third(1, 2, "abc".into(), 4).await, Result::Ok(10));
    assert_eq!(http.fourth(1, "ab".into(), 3, 4).await, Result::Ok(10));
    assert_eq!(http.unseen(1, 2), 3);
    assert_eq!(http.boxed("abc").await, Result::Ok(3));
    assert_eq!(http.new(), 1);
    assert_eq!(http.build().await, Result::Ok(2));
    assert_eq!(http.inner().await, Result::Err(shadows::Failed::Refused));
    assert_eq!(http.states().await, Result::Ok(4));
    assert_eq!(http.method().await, Result::Ok(5));
    assert_eq!(http.names().await, Result::Ok(6));
    assert_eq!(http.adapter().await, Result::Err(shadows::Failed::Busy { wait: Option::None }));
    let again = http.clone();
    assert_eq!(format!("{again:?}"), "ResilientHttp { inner: Http, .. }");
    assert!(::resil::Protected::circuit(&http, "first").is_some());

    assert_eq!(renamed::ResilientHttp::new(renamed::Http).get().await, Result::Ok(1));
}
