//! A future under another name is no bare method.
#[path = "../support.rs"]
mod support;
use support::*;

use std::future::{Ready, ready};
use std::pin::Pin;

pub type Reply<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub trait Waiting: Future<Output = u8> {}

impl Waiting for Ready<u8> {}

pub trait Replies {
    type Answer;
    fn aliased(&self) -> Reply<'_, u8>;
    fn associated(&self) -> Self::Answer;
    fn bounded(&self) -> impl Waiting;
    fn known(&self) -> Ready<u8>;
    fn generic<F: Future>(&self, future: F) -> F;
    async fn seen(&self) -> Result<u8, Failed>;
}

#[adapter(kind = "external")]
impl Replies for Http {
    type Answer = Ready<u8>;

    fn aliased(&self) -> Reply<'_, u8> {
        Box::pin(async { 1 })
    }

    fn associated(&self) -> Self::Answer {
        ready(1)
    }

    fn bounded(&self) -> impl Waiting {
        ready(1)
    }

    fn known(&self) -> Ready<u8> {
        ready(1)
    }

    fn generic<F: Future>(&self, future: F) -> F {
        future
    }

    async fn seen(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

mod own_of_none {
    use super::*;

    pub struct Http;

    pub struct Price(pub u8);

    pub trait Pricing {
        fn price(&self) -> Price;
        fn later(&self) -> Ready<u8>;
        async fn get(&self) -> Result<u8, Failed>;
    }

    #[adapter(kind = "external")]
    impl Pricing for Http {
        #[own(reason = "it is written down here")]
        fn price(&self) -> Price {
            Price(1)
        }

        #[own(reason = "it is ready")]
        fn later(&self) -> Ready<u8> {
            ready(1)
        }

        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
