//! What the wrapper could not pass on is named.
#[path = "../support.rs"]
mod support;
use support::*;

use std::pin::Pin;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Signatures {
    fn dup(&self) -> Self;
    async fn same(&self, other: &Self) -> Result<u8, Failed>;
    fn detached(&self) -> Pin<Box<dyn Future<Output = Result<u8, Failed>> + Send>>;
    fn eager(&self, key: &str) -> BoxFuture<'_, Result<u8, Failed>>;
}

#[adapter(kind = "external")]
impl Signatures for Http {
    fn dup(&self) -> Self {
        Http
    }

    async fn same(&self, _: &Self) -> Result<u8, Failed> {
        Ok(1)
    }

    fn detached(&self) -> Pin<Box<dyn Future<Output = Result<u8, Failed>> + Send>> {
        Box::pin(async { Ok(1) })
    }

    fn eager(&self, key: &str) -> BoxFuture<'_, Result<u8, Failed>> {
        let length = key.len();
        Box::pin(async move { Ok(u8::try_from(length).unwrap_or(0)) })
    }
}

fn main() {}
