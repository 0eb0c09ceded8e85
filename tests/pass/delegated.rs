//! What is no future is passed on untouched, whatever it is.
#![deny(warnings)]

use std::fmt::Display;
use std::future::{Ready, ready};

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

pub type Nothing = ();

/// Only looks like a future.
pub trait Later {
    fn output(&self) -> u8;
}

impl Later for u8 {
    fn output(&self) -> u8 {
        *self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Custom(u8);

pub trait Port<T> {
    type Owned;
    type Lent<'a>
    where
        Self: 'a;
    const N: usize;

    fn nothing(&self);
    fn unit(&self) -> Nothing;
    fn never(&self) -> !;
    fn custom(&self) -> Custom;
    fn lent(&self) -> &Custom;
    fn slice(&mut self) -> &mut [u8];
    fn text<'a>(&self, text: &'a str) -> &'a str;
    fn object(&self) -> Box<dyn Display + '_>;
    fn behind(&self) -> &dyn Display;
    fn opaque(&self) -> impl Later + '_;
    fn items(&self) -> impl Iterator<Item = &u8> + '_;
    fn owned(&self) -> Self::Owned;
    fn lent_out(&self) -> Self::Lent<'_>;
    fn generic(&self, value: T) -> T;
    fn any<U>(&self, value: U) -> U;
    fn array<const M: usize>(&self) -> [u8; M];
    fn function(&self) -> fn(u8) -> u8;
    fn fallible(&self) -> Result<Custom, Failed>;
    fn made() -> Custom;
    fn background(&self) -> Ready<u8>;
    fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
}

pub struct Http(Vec<u8>, Custom);

#[adapter(kind = "external", errors = Map)]
impl<T> Port<T> for Http {
    type Owned = Custom;
    type Lent<'a> = &'a Custom;
    const N: usize = 2;

    fn nothing(&self) {}

    fn unit(&self) -> Nothing {}

    fn never(&self) -> ! {
        panic!("never")
    }

    fn custom(&self) -> Custom {
        self.1.clone()
    }

    fn lent(&self) -> &Custom {
        &self.1
    }

    fn slice(&mut self) -> &mut [u8] {
        &mut self.0
    }

    fn text<'a>(&self, text: &'a str) -> &'a str {
        text
    }

    fn object(&self) -> Box<dyn Display + '_> {
        Box::new(self.0.len())
    }

    fn behind(&self) -> &dyn Display {
        &"behind"
    }

    fn opaque(&self) -> impl Later + '_ {
        7
    }

    fn items(&self) -> impl Iterator<Item = &u8> + '_ {
        self.0.iter()
    }

    fn owned(&self) -> Self::Owned {
        self.1.clone()
    }

    fn lent_out(&self) -> Self::Lent<'_> {
        &self.1
    }

    fn generic(&self, value: T) -> T {
        value
    }

    fn any<U>(&self, value: U) -> U {
        value
    }

    fn array<const M: usize>(&self) -> [u8; M] {
        [1; M]
    }

    fn function(&self) -> fn(u8) -> u8 {
        |n| n + 1
    }

    fn fallible(&self) -> Result<Custom, Failed> {
        Err(Failed)
    }

    fn made() -> Custom {
        Custom(9)
    }

    #[own(reason = "it is ready, and asks nobody")]
    fn background(&self) -> Ready<u8> {
        ready(5)
    }

    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

/// Nothing is wrapped, so nothing is refused.
mod all_own {
    use super::*;

    pub trait Port {
        fn later(&self) -> Ready<u8>;
        fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
    }

    #[adapter(kind = "external", own(reason = "it is in this process"), wrapper = AllOwn)]
    impl Port for Http {
        fn later(&self) -> Ready<u8> {
            ready(1)
        }

        async fn get(&self) -> Result<u8, Failed> {
            Ok(2)
        }
    }

    pub async fn test() {
        let own = AllOwn::new(Http(Vec::new(), Custom(1)));
        assert_eq!(own.later().await, 1);
        assert_eq!(own.get().await, Ok(2));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut http = ResilientHttp::new(Http(vec![1, 2], Custom(3)));
    let port: &mut dyn FnMut(&mut ResilientHttp) = &mut |http| {
        Port::<u8>::nothing(http);
        Port::<u8>::unit(http);
        Port::<u8>::slice(http)[0] = 4;
    };
    port(&mut http);
    let never = std::panic::AssertUnwindSafe(|| Port::<u8>::never(&http));
    std::panic::set_hook(Box::new(|_| {}));
    assert!(std::panic::catch_unwind(never).is_err());
    let _ = std::panic::take_hook();
    assert_eq!(Port::<u8>::custom(&http), Custom(3));
    assert_eq!(Port::<u8>::lent(&http), &Custom(3));
    assert_eq!(Port::<u8>::text(&http, "a"), "a");
    assert_eq!(Port::<u8>::object(&http).to_string(), "2");
    assert_eq!(Port::<u8>::behind(&http).to_string(), "behind");
    assert_eq!(Port::<u8>::opaque(&http).output(), 7);
    assert_eq!(Port::<u8>::items(&http).sum::<u8>(), 6);
    assert_eq!(Port::<u8>::owned(&http), Custom(3));
    assert_eq!(Port::<u8>::lent_out(&http), &Custom(3));
    assert_eq!(http.generic("b"), "b");
    assert_eq!(Port::<u8>::any(&http, ready("c")).await, "c");
    assert_eq!(Port::<u8>::array::<2>(&http), [1, 1]);
    assert_eq!(Port::<u8>::function(&http)(1), 2);
    assert_eq!(Port::<u8>::fallible(&http), Err(Failed));
    assert_eq!(<ResilientHttp as Port<u8>>::made(), Custom(9));
    assert_eq!(Port::<u8>::background(&http).await, 5);
    assert_eq!(Port::<u8>::get(&http).await, Ok(1));
    assert!(http.circuit("background").is_none());
    all_own::test().await;
}
