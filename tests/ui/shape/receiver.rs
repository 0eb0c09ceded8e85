//! A receiver that cannot work on a wrapped method is named, once.
#[path = "../support.rs"]
mod support;
use support::*;

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

pub trait Receivers {
    async fn consumed(self) -> Result<u8, Failed>;
    async fn boxed(self: Box<Self>) -> Result<u8, Failed>;
    async fn lent(self: &Arc<Self>) -> Result<u8, Failed>;
    async fn pinned(self: Pin<&mut Self>) -> Result<u8, Failed>;
    async fn none() -> Result<u8, Failed>;
    fn sync(self: Rc<Self>) -> u8;
    async fn fine(&self) -> Result<u8, Failed>;
}

#[adapter(kind = "external")]
impl Receivers for Http {
    async fn consumed(mut self) -> Result<u8, Failed> {
        self = Http;
        Ok(1)
    }

    async fn boxed(self: Box<Self>) -> Result<u8, Failed> {
        Ok(1)
    }

    async fn lent(self: &Arc<Self>) -> Result<u8, Failed> {
        Ok(1)
    }

    async fn pinned(self: Pin<&mut Self>) -> Result<u8, Failed> {
        Ok(1)
    }

    async fn none() -> Result<u8, Failed> {
        Ok(1)
    }

    fn sync(self: std::rc::Rc<Self>) -> u8 {
        1
    }

    async fn fine(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

mod beside_an_arc {
    use super::*;

    pub struct Http;

    pub trait Both {
        async fn get(self: Arc<Self>) -> Result<u8, Failed>;
        async fn put(&mut self) -> Result<u8, Failed>;
        fn finish(self) -> u8;
        async fn fine(&self) -> Result<u8, Failed>;
    }

    #[adapter(kind = "external")]
    impl Both for Http {
        async fn get(self: Arc<Self>) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn put(&mut self) -> Result<u8, Failed> {
            Ok(1)
        }

        fn finish(self) -> u8 {
            1
        }

        async fn fine(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
