//! Whatever Rust allows in the signature of a method is carried over.
#![deny(warnings)]
#![allow(
    clippy::init_numbered_fields,
    clippy::needless_arbitrary_self_type,
    clippy::non_minimal_cfg,
    reason = "forms that a user may write"
)]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use resil::{Class, Classification, ErrorMap, PolicyError, adapter};

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

/// All futures here are ready at once.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("not ready"),
    }
}

fn send<T: Send>(value: T) -> T {
    value
}

mod patterns {
    use super::*;

    #[derive(Clone)]
    pub struct Pt {
        pub x: u8,
        pub y: u8,
    }

    pub trait Sum {
        fn sum(
            &self,
            a: u8,
            bc: (u8, u8),
            pt: Pt,
            unused: u8,
            de: [u8; 2],
        ) -> impl Future<Output = Result<u8, Failed>> + Send;
    }

    pub struct Adder;

    #[adapter(kind = "external", errors = Map, retry, timeout(ms = 100))]
    impl Sum for Adder {
        async fn sum(
            &self,
            mut a: u8,
            (b, c): (u8, u8),
            Pt { x, y: _ }: Pt,
            _: u8,
            [d, ..]: [u8; 2],
        ) -> Result<u8, Failed> {
            a += 1;
            Ok(a + b + c + x + d)
        }
    }

    pub fn test() {
        let sum = ResilientAdder::new(Adder);
        let pt = Pt { x: 4, y: 0 };
        let _ = pt.y;
        assert_eq!(now(send(sum.sum(1, (2, 3), pt, 9, [5, 0]))), Ok(16));
    }
}

mod receivers {
    use super::*;

    pub trait Port {
        fn shared(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
        fn typed(self: &Self) -> impl Future<Output = Result<u8, Failed>> + Send;
        fn unique(&mut self, more: &mut Vec<u8>) -> impl Future<Output = Result<u8, Failed>> + Send;
        fn consumed(self) -> u8;
        fn boxed(self: Box<Self>) -> u8;
        fn made(by: u8) -> u8;
        fn finish(self) -> impl Future<Output = u8> + Send;
    }

    pub struct Counter(u8);

    #[adapter(kind = "external", errors = Map)]
    impl Port for Counter {
        async fn shared(&self) -> Result<u8, Failed> {
            Ok(self.0)
        }

        async fn typed(self: &Self) -> Result<u8, Failed> {
            Ok(self.0)
        }

        async fn unique(&mut self, more: &mut Vec<u8>) -> Result<u8, Failed> {
            self.0 += 1;
            more.push(self.0);
            Ok(self.0)
        }

        fn consumed(mut self) -> u8 {
            self.0 += 1;
            self.0
        }

        fn boxed(self: Box<Self>) -> u8 {
            self.0
        }

        fn made(by: u8) -> u8 {
            by
        }

        #[own(reason = "what is consumed cannot be repeated")]
        async fn finish(self) -> u8 {
            self.0
        }
    }

    pub fn test() {
        let mut counter = ResilientCounter::new(Counter(1));
        let mut seen = Vec::new();
        assert_eq!(now(send(counter.shared())), Ok(1));
        assert_eq!(now(send(counter.typed())), Ok(1));
        assert_eq!(now(send(counter.unique(&mut seen))), Ok(2));
        assert_eq!(seen, [2]);
        assert_eq!(counter.consumed(), 3);
        assert_eq!(Box::new(ResilientCounter::new(Counter(1))).boxed(), 1);
        assert_eq!(<ResilientCounter as Port>::made(7), 7);
        assert_eq!(now(send(ResilientCounter::new(Counter(1)).finish())), 1);
    }
}

mod generics {
    use super::*;

    pub trait Port<T> {
        fn get<U>(&self, value: U) -> impl Future<Output = Result<usize, Failed>> + Send
        where
            U: AsRef<str> + Send + Clone;
        fn by_impl(&self, value: impl AsRef<str> + Send + Clone) -> impl Future<Output = Result<usize, Failed>> + Send;
        fn size<const N: usize, V: Default>(&self) -> impl Future<Output = Result<usize, Failed>> + Send;
        fn list(&self) -> impl Future<Output = Result<impl Iterator<Item = u32>, Failed>> + Send;
    }

    #[derive(Clone, Debug)]
    pub struct Http<'a, 'b, T> {
        pub first: &'a str,
        pub second: &'b T,
    }

    #[adapter(kind = "external", errors = Map, retry(attempts = 2), timeout(ms = 5), circuit_breaker, bulkhead(max_concurrent = 4), idempotent)]
    impl<'a, 'b: 'a, T> Port<T> for Http<'a, 'b, T>
    where
        T: AsRef<str> + Send + Sync,
    {
        async fn get<U>(&self, value: U) -> Result<usize, Failed>
        where
            U: AsRef<str> + Send + Clone,
        {
            Ok(value.as_ref().len() + self.first.len() + self.second.as_ref().len())
        }

        async fn by_impl(&self, value: impl AsRef<str> + Send + Clone) -> Result<usize, Failed> {
            Ok(value.as_ref().len())
        }

        async fn size<const N: usize, V: Default>(&self) -> Result<usize, Failed> {
            let _ = V::default();
            Ok(N)
        }

        async fn list(&self) -> Result<impl Iterator<Item = u32>, Failed> {
            Ok(1..=3)
        }
    }

    pub fn test() {
        let (first, second) = (String::from("ab"), String::from("c"));
        let http = ResilientHttp::new(Http { first: &first, second: &second });
        let http = http.clone();
        assert_eq!(format!("{http:?}"), "ResilientHttp { inner: Http { first: \"ab\", second: \"c\" }, .. }");
        assert_eq!(now(send(http.get("abc"))), Ok(6));
        assert_eq!(now(send(http.by_impl("ab"))), Ok(2));
        assert_eq!(now(send(http.size::<7, u8>())), Ok(7));
        assert_eq!(now(http.list()).map(Iterator::sum::<u32>), Ok(6));
    }
}

mod two_impls_of_a_generic_port {
    use super::*;

    pub trait Store<const N: usize, K> {
        fn get(&self, key: &K) -> impl Future<Output = Result<[K; N], Failed>> + Send;
    }

    pub struct Http<K>(K);

    #[adapter(kind = "gateway", errors = Map, wrapper = Four)]
    impl<K: Clone + Send + Sync> Store<4, K> for Http<K> {
        async fn get(&self, key: &K) -> Result<[K; 4], Failed> {
            let _ = &self.0;
            Ok(std::array::from_fn(|_| key.clone()))
        }
    }

    #[adapter(kind = "gateway", errors = Map, wrapper = Eight)]
    impl<K: Clone + Send + Sync> Store<8, K> for Http<K> {
        async fn get(&self, key: &K) -> Result<[K; 8], Failed> {
            Ok(std::array::from_fn(|_| key.clone()))
        }
    }

    pub fn test() {
        assert_eq!(now(Four::new(Http(1)).get(&2)), Ok([2; 4]));
        assert_eq!(now(Eight::new(Http(1)).get(&2)), Ok([2; 8]));
    }
}

mod parameters_of_the_port_only {
    use super::*;

    pub trait Port<'a, T> {
        fn get(&self, key: &'a T) -> impl Future<Output = Result<&'a T, Failed>>;
    }

    pub struct Plain;

    #[adapter(kind = "external", errors = Map)]
    impl<'a, T: Sync> Port<'a, T> for Plain {
        async fn get(&self, key: &'a T) -> Result<&'a T, Failed> {
            Ok(key)
        }
    }

    pub struct Bound<F>(F);

    pub trait Made {
        type Out;
    }
    impl Made for u8 {
        type Out = u16;
    }

    #[adapter(kind = "external", errors = Map)]
    impl<'a, T: Sync, F> Port<'a, T> for Bound<F>
    where
        F: Made<Out = T>,
    {
        async fn get(&self, key: &'a T) -> Result<&'a T, Failed> {
            let _ = &self.0;
            Ok(key)
        }
    }

    pub fn test() {
        let plain = ResilientPlain::new(Plain);
        assert_eq!(now(plain.get(&1)), Ok(&1));
        assert_eq!(now(plain.get(&"a")), Ok(&"a"));
        assert_eq!(now(ResilientBound::new(Bound(1_u8)).get(&1_u16)), Ok(&1));
    }
}

mod lifetimes_left_out {
    use super::*;

    pub trait Port<T> {
        type Out;
        fn get(&self) -> impl Future<Output = Result<usize, Failed>> + Send;
    }

    pub struct Http<'a>(&'a str);

    #[adapter(kind = "external", errors = Map)]
    impl Port<&str> for Http<'_> {
        type Out = u8;
        async fn get(&self) -> Result<usize, Failed> {
            Ok(self.0.len())
        }
    }

    #[adapter(kind = "external", errors = Map, wrapper = Referred)]
    impl Port<u8> for &Http<'_> {
        type Out = u8;
        async fn get(&self) -> Result<usize, Failed> {
            Ok(self.0.len())
        }
    }

    pub fn test() {
        let text = String::from("abc");
        assert_eq!(now(ResilientHttp::new(Http(&text)).get()), Ok(3));
        let http = Http(&text);
        assert_eq!(now(Referred::new(&http).get()), Ok(3));
    }
}

mod associated_items {
    use super::*;

    pub trait Port {
        const KIND: &'static str;
        const N: usize;
        type Item;
        type Lent<'a>: AsRef<str>
        where
            Self: 'a;
        fn get(&self, items: [Self::Item; 2]) -> impl Future<Output = Result<Self::Item, Failed>> + Send;
        fn lend(&self) -> Self::Lent<'_>;
        fn twice(&self) -> impl Future<Output = Result<(), Failed>> + Send
        where
            Self: Sync,
        {
            async {
                self.lend();
                Ok(())
            }
        }
    }

    pub struct Http<T>(T);

    impl<T> Http<T> {
        const X: usize = 2;

        fn helper() -> &'static str {
            std::any::type_name::<Self>()
        }
    }

    #[adapter(kind = "external", errors = Map, name = "the-http", context = "tests")]
    impl<T: Clone + Send + Sync> Port for Http<T>
    where
        Self: Send,
    {
        const KIND: &'static str = "http";
        const N: usize = Self::X;
        type Item = T;
        type Lent<'a>
            = &'a str
        where
            Self: 'a;

        async fn get(&self, items: [T; 2]) -> Result<Self::Item, Failed> {
            let _ = (Self { 0: self.0.clone() }, <Self as Port>::KIND, format!("{}", Self::X));
            assert!(Self::helper().contains("::Http<"));
            let [first, _] = items;
            Ok(first)
        }

        fn lend(&self) -> Self::Lent<'_> {
            "lent"
        }
    }

    pub fn test() {
        let http = ResilientHttp::new(Http(1));
        assert_eq!(now(send(http.get([1, 2]))), Ok(1));
        assert_eq!(now(send(http.twice())), Ok(()));
        assert_eq!(http.lend(), "lent");
        assert_eq!(<ResilientHttp<u8> as Port>::KIND, "http");
        assert_eq!(<ResilientHttp<u8> as Port>::N, 2);
    }
}

mod conditions {
    use super::*;

    pub trait Port {
        fn f(&self, #[cfg(any())] a: &u8, #[cfg(all())] b: u8) -> impl Future<Output = Result<u8, Failed>> + Send;
        #[cfg(any())]
        fn never(&self) -> impl Future<Output = Missing> + Send;
        #[cfg(all())]
        fn always(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
        fn either(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
    }

    pub struct Http;

    #[adapter(kind = "external", errors = Map)]
    #[cfg(all())]
    impl Port for Http {
        async fn f(&self, #[cfg(any())] a: &u8, #[cfg(all())] b: u8) -> Result<u8, Failed> {
            Ok(b)
        }

        #[cfg(any())]
        async fn never(&self) -> Missing {}

        #[cfg(all())]
        async fn always(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[cfg(all())]
        async fn either(&self) -> Result<u8, Failed> {
            Ok(2)
        }

        #[cfg(not(all()))]
        async fn either(&self) -> Result<u8, Failed> {
            Ok(3)
        }
    }

    #[adapter(kind = "external", errors = Map)]
    #[cfg(any())]
    impl Port for NotThere {
        async fn f(&self, b: u8) -> Result<u8, Failed> {
            Ok(b)
        }
    }

    pub fn test() {
        use resil::Protected;
        let http = ResilientHttp::new(Http);
        assert_eq!(now(send(http.f(7))), Ok(7));
        assert_eq!(now(send(http.always())), Ok(1));
        assert_eq!(now(send(http.either())), Ok(2));
        assert!(http.circuit("always").is_some());
        assert!(http.circuit("never").is_none());
        assert_eq!(http.circuits().len(), 3);
    }
}

mod raw_identifiers {
    use super::*;

    #[allow(non_camel_case_types)]
    pub struct r#struct;

    pub trait r#Trait {
        fn r#type(&self, r#in: u8) -> impl Future<Output = Result<u8, Failed>> + Send;
        #[allow(non_snake_case)]
        fn camelCase(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
    }

    #[adapter(kind = "external", errors = Map)]
    impl r#Trait for r#struct {
        async fn r#type(&self, r#in: u8) -> Result<u8, Failed> {
            Ok(r#in)
        }

        async fn camelCase(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }

    pub fn test() {
        use resil::Protected;
        let http = Resilientstruct::new(r#struct);
        assert_eq!(now(send(http.r#type(5))), Ok(5));
        assert_eq!(now(send(http.camelCase())), Ok(1));
        assert!(http.circuit("type").is_some());
    }
}

mod fragments {
    use super::*;

    pub trait Port {
        fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
    }
    pub struct Http;

    macro_rules! implement {
        ($port:path, $t:ty, $e:expr, $kind:literal, $attempts:expr, $map:ty, $($policy:meta),*) => {
            #[adapter(kind = $kind, errors = $map, retry(attempts = $attempts), $($policy),*)]
            impl $port for $t {
                async fn get(&self) -> Result<u8, Failed> {
                    let _ = self;
                    Ok(2 * $e)
                }
            }
        };
    }
    implement!(self::Port, Http, 3 + 4, "external", 2, Map, timeout(ms = 5), bulkhead(max_concurrent = 1));

    pub struct Grpc;

    macro_rules! answer {
        ($t:ty, $method:ident, $answer:ty, $body:block) => {
            #[adapter(kind = "external", errors = Map, timeout(ms = 5))]
            impl Port for $t {
                async fn $method(&self) -> Result<$answer, Failed> $body
            }
        };
    }
    answer!(Grpc, get, u8, { Ok(3) });

    pub fn test() {
        assert_eq!(now(send(ResilientGrpc::new(Grpc).get())), Ok(3));
        assert_eq!(now(send(ResilientHttp::new(Http).get())), Ok(14));
    }
}

mod aliases {
    use super::*;

    type Answer<T> = std::result::Result<T, Failed>;

    pub trait Port {
        fn get(&self, text: String) -> impl Future<Output = Answer<String>> + Send;
    }
    pub struct Http;

    #[adapter(kind = "external", errors = Self)]
    impl Port for Http {
        async fn get(&self, text: String) -> Answer<String> {
            Ok(text)
        }
    }

    impl ErrorMap<Failed> for Http {
        fn classify(_: &Failed) -> Classification {
            Class::Refusal.into()
        }

        fn policy(_: PolicyError) -> Failed {
            Failed
        }
    }

    pub fn test() {
        assert_eq!(now(send(ResilientHttp::new(Http).get("a".into()))), Ok(String::from("a")));
    }
}

/// A private adapter behind a public wrapper: nothing of the wrapper may lead to the adapter's name.
mod private_adapters {
    use super::*;

    pub trait Port {
        type Key;
        const NAME: &'static str;
        fn get(&self, key: Self::Key) -> impl Future<Output = Result<Self::Key, Failed>> + Send;
    }

    #[derive(Clone, Debug)]
    struct Hidden;

    #[adapter(kind = "external", errors = Map)]
    impl Port for Hidden {
        type Key = u32;
        const NAME: &'static str = "hidden";
        async fn get(&self, key: u32) -> Result<u32, Failed> {
            Ok(key)
        }
    }

    pub fn port() -> impl Port<Key = u32> + resil::Protected + Clone {
        ResilientHidden::new(Hidden)
    }

    pub fn test() {
        assert_eq!(now(port().get(3)), Ok(3));
        let wrapped = ResilientHidden::new(Hidden);
        let Hidden = resil::Protected::inner(&wrapped);
        let Hidden = resil::Protected::into_inner(wrapped);
    }
}

fn main() {
    private_adapters::test();
    patterns::test();
    receivers::test();
    generics::test();
    two_impls_of_a_generic_port::test();
    parameters_of_the_port_only::test();
    lifetimes_left_out::test();
    associated_items::test();
    conditions::test();
    raw_identifiers::test();
    fragments::test();
    aliases::test();
}
