//! What a call must not cost: heap allocations, and readings of the clock.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use allocation_counter::measure;
use resil::{Classify, PolicyError, Protected, adapter};

#[derive(Debug, Classify)]
enum Error {
    #[class(transient)]
    Down,
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

trait Port {
    fn call(&self, x: u64) -> impl Future<Output = Result<u64, Error>> + Send;
}

struct Ready;

#[adapter(
    kind = "external",
    retry(attempts = 3),
    circuit_breaker,
    bulkhead(max_concurrent = 8),
    timeout(ms = 30_000)
)]
impl Port for Ready {
    async fn call(&self, x: u64) -> Result<u64, Error> {
        if x == 0 { Err(Error::Down) } else { Ok(x) }
    }
}

struct Yields;

#[adapter(
    kind = "external",
    retry(attempts = 3),
    circuit_breaker(failure_rate = 0.5, window = 10),
    bulkhead(max_concurrent = 8),
    timeout(ms = 30_000)
)]
impl Port for Yields {
    async fn call(&self, x: u64) -> Result<u64, Error> {
        tokio::task::yield_now().await;
        Ok(x)
    }
}

fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_ready_call_allocates_nothing_and_needs_no_runtime() {
    let port = ResilientReady::new(Ready);
    // Outside a runtime: a timer would panic here.
    let call = || assert!(matches!(poll_once(port.call(7)), Poll::Ready(Ok(7))));
    call();
    let cost = measure(|| (0..100).for_each(|_| call()));
    assert_eq!(cost.count_total, 0);
}

#[test]
fn a_call_that_waits_once_allocates_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let port = ResilientYields::new(Yields);
    runtime.block_on(async {
        let mut cost = None;
        for _ in 0..3 {
            let mut call = pin!(port.call(7));
            let mut context = Context::from_waker(Waker::noop());
            cost = Some(measure(|| {
                assert!(call.as_mut().poll(&mut context).is_pending());
                assert!(matches!(call.as_mut().poll(&mut context), Poll::Ready(Ok(7))));
            }));
        }
        assert_eq!(cost.map(|cost| cost.count_total), Some(0));
    });
}

#[test]
fn a_refusal_by_an_open_circuit_allocates_nothing() {
    let port = ResilientReady::new(Ready);
    port.circuit("call").expect("a wrapped method").force_open();
    let refused = || {
        assert!(matches!(
            poll_once(port.call(7)),
            Poll::Ready(Err(Error::Policy(_)))
        ));
    };
    refused();
    assert_eq!(measure(|| (0..100).for_each(|_| refused())).count_total, 0);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_failures_allocates_nothing() {
    let port = ResilientReady::new(Ready);
    for _ in 0..3 {
        assert!(port.call(0).await.is_err());
    }
    tokio::time::advance(Duration::from_secs(1)).await;
    let refused = || match poll_once(port.call(7)) {
        Poll::Ready(Err(Error::Policy(error))) => {
            assert_eq!(error.code().map_or("", |code| code.as_str()), "down");
        }
        other => panic!("not refused: {other:?}"),
    };
    refused();
    assert_eq!(measure(|| (0..100).for_each(|_| refused())).count_total, 0);
}

trait Lookup {
    fn find(&self, shop: &str, day: u64) -> impl Future<Output = Result<u64, Error>> + Send;
}

#[adapter(kind = "gateway", wrapper = CachedReady, retry(attempts = 3), timeout(ms = 30_000), cached(ttl_ms = 60_000))]
impl Lookup for Ready {
    async fn find(&self, shop: &str, day: u64) -> Result<u64, Error> {
        self.call(day + shop.len() as u64).await
    }
}

#[test]
fn a_hit_of_the_cache_allocates_nothing() {
    let port = CachedReady::new(Ready);
    let call = || assert!(matches!(poll_once(port.find("Berlin", 7)), Poll::Ready(Ok(13))));
    call();
    assert_eq!(measure(|| (0..100).for_each(|_| call())).count_total, 0);
}

#[test]
fn the_future_of_one_call_is_small() {
    let port = ResilientReady::new(Ready);
    assert!(
        size_of_val(&port.call(1)) <= 264,
        "{} bytes",
        size_of_val(&port.call(1))
    );
}
