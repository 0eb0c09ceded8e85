//! Generated code is clean under whatever its user denies or forbids.
#![deny(
    warnings,
    let_underscore_drop,
    macro_use_extern_crate,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    redundant_lifetimes,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unnameable_types,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::let_unit_value,
    clippy::missing_const_for_fn,
    clippy::panic,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::use_self,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::implicit_return
)]
#![allow(clippy::implicit_return, clippy::missing_const_for_fn, reason = "of the code here, not of what is generated")]
#![forbid(unsafe_code, dead_code, non_snake_case, deprecated, unused_variables, unused_mut, clippy::shadow_unrelated)]

pub mod ports {
    //! What the application asks for.

    use std::fmt::{Display, Formatter, Result as FmtResult};
    use std::sync::Arc;
    use std::time::Duration;

    /// Why a message was not sent.
    #[derive(Debug, resil::Classify)]
    pub enum SmsError {
        /// Not this number.
        #[class(refusal)]
        NumberRefused,
        /// Later.
        #[class(transient, retry_after = after, code = "busy")]
        Busy {
            /// When.
            after: Duration,
        },
        /// A policy said so.
        #[class(policy)]
        Policy(resil::PolicyError),
    }

    impl From<resil::PolicyError> for SmsError {
        fn from(error: resil::PolicyError) -> Self {
            Self::Policy(error)
        }
    }

    impl Display for SmsError {
        fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
            write!(f, "{self:?}")
        }
    }

    /// What nothing says.
    pub type Nothing = ();

    /// How much may be sent.
    #[derive(Clone, Copy, Debug)]
    pub struct Limits {
        /// Each day.
        pub daily: u32,
    }

    /// What is shared by all who call it.
    pub trait Quota {
        /// What it is for.
        type Unit: Copy;
        /// Takes one.
        fn take(self: Arc<Self>, phone: &str) -> impl Future<Output = Result<u32, SmsError>> + Send;
        /// How much there is.
        fn limits(&self) -> Limits;
        /// Forgets what was taken.
        fn forget(self: Arc<Self>) -> Nothing;
        /// What is counted.
        fn unit(&self) -> Self::Unit;
        /// What was taken, by whom.
        fn taken(&self) -> impl Iterator<Item = &u32>;
        /// The same as it was.
        fn same<T>(&self, value: T) -> T;
    }

    /// Sends messages.
    pub trait SmsSender {
        /// Sends one.
        fn send(&self, phone: &str, text: String) -> impl Future<Output = Result<(), SmsError>> + Send;
        /// Sends one to each.
        fn send_all(&mut self, phones: &[String], text: Option<String>) -> impl Future<Output = Result<u32, SmsError>> + Send;
        /// The price.
        fn price(&self) -> u32;
    }
}

pub mod infrastructure {
    //! What leaves the process.

    use std::sync::Arc;

    use super::ports::{Limits, Nothing, Quota, SmsError, SmsSender};

    /// Counts by HTTP.
    #[derive(Debug, Default)]
    pub struct HttpQuota {
        /// By each.
        pub taken: Vec<u32>,
    }

    #[resil::adapter(kind = "gateway", retry, timeout(ms = 500), circuit_breaker)]
    impl Quota for HttpQuota {
        type Unit = char;

        async fn take(self: Arc<Self>, phone: &str) -> Result<u32, SmsError> {
            if phone.is_empty() { Err(SmsError::NumberRefused) } else { Ok(self.limits().daily) }
        }

        fn limits(&self) -> Limits {
            Limits { daily: 3 }
        }

        fn forget(self: Arc<Self>) -> Nothing {}

        fn unit(&self) -> char {
            '#'
        }

        fn taken(&self) -> impl Iterator<Item = &u32> {
            self.taken.iter()
        }

        fn same<T>(&self, value: T) -> T {
            value
        }
    }

    /// Sends messages by HTTP.
    #[derive(Clone, Debug)]
    pub struct HttpSmsSender {
        /// For each message.
        pub price: u32,
    }

    #[resil::adapter(
        kind = "external",
        retry(attempts = 30_000, base_ms = 300_000, max_ms = 3_600_000),
        timeout(ms = 2000),
        circuit_breaker(failure_rate = 0.5, slow_ms = 1000, slow_rate = 1, min_calls = 3),
        bulkhead(max_concurrent = 1_000, max_queued = 10, max_wait_ms = 0)
    )]
    impl SmsSender for HttpSmsSender {
        #[idempotent]
        #[timeout(ms = 60_000)]
        #[circuit_breaker(off)]
        async fn send(&self, phone: &str, text: String) -> Result<(), SmsError> {
            std::future::ready(()).await;
            if phone.is_empty() || text.is_empty() { Err(SmsError::NumberRefused) } else { Ok(()) }
        }

        #[non_idempotent]
        #[timeout(off, reason = "bounded by its callers")]
        async fn send_all(&mut self, phones: &[String], text: Option<String>) -> Result<u32, SmsError> {
            for phone in phones {
                self.send(phone, text.clone().unwrap_or_default()).await?;
            }
            Ok(self.price)
        }

        fn price(&self) -> u32 {
            self.price
        }
    }

    mod hidden {
        use super::super::ports::{SmsError, SmsSender};

        #[derive(Debug)]
        pub(super) struct Private<'a, T> {
            pub(super) inner: &'a T,
        }

        #[resil::adapter(kind = "gateway", vis = pub(super))]
        impl<T> SmsSender for Private<'_, T>
        where
            T: SmsSender + Sync,
        {
            async fn send(&self, phone: &str, text: String) -> Result<(), SmsError> {
                self.inner.send(phone, text).await
            }

            #[own(reason = "it cannot fail")]
            async fn send_all(&mut self, _: &[String], _: Option<String>) -> Result<u32, SmsError> {
                Ok(0)
            }

            fn price(&self) -> u32 {
                self.inner.price()
            }
        }
    }

    mod unused {
        use super::super::ports::{SmsError, SmsSender};

        #[derive(Debug)]
        pub(super) struct AllOwn;

        #[resil::adapter(kind = "repository", own(reason = "only to see that nothing is left over"))]
        impl SmsSender for AllOwn {
            async fn send(&self, _: &str, _: String) -> Result<(), SmsError> {
                Ok(())
            }

            async fn send_all(&mut self, _: &[String], _: Option<String>) -> Result<u32, SmsError> {
                Ok(0)
            }

            fn price(&self) -> u32 {
                0
            }
        }
    }

    /// Sends one.
    ///
    /// # Errors
    ///
    /// Never.
    pub async fn through_private<T: SmsSender + Sync>(inner: &T) -> Result<u32, SmsError> {
        let mut private = hidden::ResilientPrivate::new(hidden::Private { inner });
        private.send("1", String::from("2")).await?;
        let _none = unused::AllOwn.price();
        private.send_all(&[], None).await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    use ports::{Quota as _, SmsSender as _};
    use std::sync::Arc;

    let mut sms = infrastructure::ResilientHttpSmsSender::new(infrastructure::HttpSmsSender { price: 7 });
    assert!(sms.send("1", String::from("2")).await.is_ok());
    assert!(sms.send("", String::new()).await.is_err());
    assert!(matches!(sms.send_all(&[], None).await, Ok(7)));
    assert!(matches!(infrastructure::through_private(&sms.clone()).await, Ok(0)));

    let quota = Arc::new(infrastructure::ResilientHttpQuota::new(infrastructure::HttpQuota { taken: vec![1, 2] }));
    assert!(matches!(Arc::clone(&quota).take("1").await, Ok(3)));
    Arc::clone(&quota).forget();
    assert_eq!((quota.limits().daily, quota.unit(), quota.taken().sum::<u32>(), quota.same(4)), (3, '#', 3, 4));
}
