//! The attributes on methods, under the names that they can have; and beside what other crates call the same.
#![deny(warnings)]

use std::time::Duration;

#[allow(unused_imports, reason = "what a prelude would bring")]
use resil::*;
use tokio::time::timeout;

#[derive(Debug, resil::Classify)]
pub enum Failed {
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Failed {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

pub trait Port {
    fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
    fn put(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
}

pub struct Http;

#[resil::adapter(kind = "external", retry, timeout(ms = 2000))]
impl Port for Http {
    #[resil::idempotent]
    #[::resil::timeout(ms = 5)]
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[retry(off)]
    async fn put(&self) -> Result<u8, Failed> {
        std::future::pending().await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let http = ResilientHttp::new(Http);
    assert!(matches!(http.get().await, Ok(1)));
    // It was read: the wrapper waits as long as the impl says.
    assert!(timeout(Duration::from_millis(1), http.put()).await.is_err());
    let bulkhead = |hedge: u8| hedge;
    assert_eq!(bulkhead(1), 1);
}
