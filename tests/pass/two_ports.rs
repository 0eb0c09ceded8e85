//! Several adapters and several ports in one module.
#![deny(warnings)]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use resil::{Class, Classification, ErrorMap, PolicyError, Protected, adapter};

#[derive(Debug, PartialEq)]
pub struct Failed;

pub struct Map;

impl ErrorMap<Failed> for Map {
    fn classify(_: &Failed) -> Classification {
        Class::Permanent.into()
    }

    fn policy(_: PolicyError) -> Failed {
        Failed
    }
}

fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("not ready"),
    }
}

pub trait Reader {
    fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
}

pub trait Writer {
    fn put(&self, n: u8) -> impl Future<Output = Result<u8, Failed>> + Send;
    fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
}

#[derive(Clone)]
pub struct A;
pub struct B;

#[adapter(kind = "external", errors = Map)]
impl Reader for A {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

#[adapter(kind = "external", errors = Map)]
impl Reader for B {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(2)
    }
}

#[adapter(kind = "external", errors = Map, wrapper = ResilientWriterA, name = "writer")]
impl Writer for A {
    async fn put(&self, n: u8) -> Result<u8, Failed> {
        Ok(n)
    }

    async fn get(&self) -> Result<u8, Failed> {
        Ok(3)
    }
}

/// The same names further in, beside those of the module around it.
mod inner {
    use super::*;

    pub struct A;

    #[adapter(kind = "gateway", errors = Map)]
    impl Reader for A {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(4)
        }
    }
}

/// As in a test, or in an example of the documentation.
fn in_a_function() {
    struct A;

    #[adapter(kind = "external", errors = Map)]
    impl Reader for A {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(5)
        }
    }
    assert_eq!(now(ResilientA::new(A).get()), Ok(5));
}

fn main() {
    let (reader, writer) = (ResilientA::new(A), ResilientWriterA::new(A));
    assert_eq!(now(reader.get()), Ok(1));
    assert_eq!(now(ResilientB::new(B).get()), Ok(2));
    assert_eq!(now(writer.put(7)), Ok(7));
    assert_eq!(now(writer.get()), Ok(3));
    assert_eq!(now(inner::ResilientA::new(inner::A).get()), Ok(4));
    let names = |adapter: &dyn Protected| adapter.circuits().iter().map(|circuit| circuit.adapter()).collect::<Vec<_>>();
    assert_eq!(names(&reader), ["A"]);
    assert_eq!(names(&writer), ["writer", "writer"]);
    in_a_function();
}
