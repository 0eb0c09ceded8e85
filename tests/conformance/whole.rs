//! All policies together in their order, and layers within layers, whatever stands between them (CO-1, RT-6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use futures::future::join_all;
use resil::{
    CircuitState, Classify, Deadline, Jitter, Policies, PolicyError, PolicyErrorKind, Protected, Retry,
    adapter,
};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::at_once;
use crate::method::Method;
use crate::support::{Answer, Error, Port, ResilientScripted, Scripted, Step, fault, ms, wrap};

trait Pages {
    fn written(&self, id: u32) -> impl Future<Output = Answer> + Send;
    fn reversed(&self, id: u32) -> impl Future<Output = Answer> + Send;
    fn answered(&self, id: u32) -> impl Future<Output = Answer> + Send;
    fn hurried(&self, id: u32) -> impl Future<Output = Answer> + Send;
    fn stale(&self, id: u32) -> impl Future<Output = Answer> + Send;
}

#[derive(Clone)]
struct Site {
    body: Scripted,
    answers: Arc<AtomicU32>,
}

impl Site {
    #[allow(clippy::unused_async, reason = "a fallback is async")]
    async fn instead(&self, id: u32, _: Error) -> Answer {
        self.answers.fetch_add(1, SeqCst);
        Ok(1000 + id)
    }

    fn answers(&self) -> u32 {
        self.answers.load(SeqCst)
    }
}

#[adapter(kind = "external", no_timeout = "the script decides")]
impl Pages for Site {
    #[fallback(with = Self::instead)]
    #[cached(ttl_ms = 1000, stale_if_error_ms = 4000)]
    #[deadline(ms = 250)]
    #[retry(attempts = 3, base_ms = 10, jitter = "none")]
    #[circuit_breaker(failure_threshold = 4, reset_after_ms = 1000)]
    #[rate_limit(permits = 100)]
    #[bulkhead(max_concurrent = 2)]
    #[timeout(ms = 100)]
    async fn written(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }

    #[timeout(ms = 100)]
    #[bulkhead(max_concurrent = 2)]
    #[rate_limit(permits = 100)]
    #[circuit_breaker(failure_threshold = 4, reset_after_ms = 1000)]
    #[retry(attempts = 3, base_ms = 10, jitter = "none")]
    #[deadline(ms = 250)]
    #[cached(ttl_ms = 1000, stale_if_error_ms = 4000)]
    #[fallback(with = Self::instead)]
    async fn reversed(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }

    #[cached(ttl_ms = 1000)]
    #[fallback(with = Self::instead)]
    async fn answered(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }

    #[deadline(ms = 100)]
    #[cached(ttl_ms = 1000, stale_if_error_ms = 4000)]
    async fn hurried(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }

    #[fallback(with = Self::instead)]
    #[cached(ttl_ms = 1000, stale_if_error_ms = 4000)]
    async fn stale(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }
}

fn site(script: impl Fn(u32) -> Step + Send + Sync + 'static) -> (ResilientSite, Site) {
    let site = Site {
        body: Scripted::new(script),
        answers: Arc::default(),
    };
    (ResilientSite::new(site.clone()), site)
}

/// What a dependency does that hangs, comes back, fails, and says no.
fn a_bad_day(n: u32) -> Step {
    match n {
        1..=5 => Step::Hang,
        6 => Step::After(10, Ok(n)),
        7..=9 => fault(),
        10 => Step::Now(Err(Error::Refusal)),
        n => Step::Now(Ok(n)),
    }
}

// CO-1: all at once, in both orders of writing
#[tokio::test(start_paused = true)]
async fn all_policies_together_whatever_the_order_written() {
    for reversed in [false, true] {
        let (port, site) = site(a_bad_day);
        let read = async |id| {
            if reversed {
                port.reversed(id).await
            } else {
                port.written(id).await
            }
        };
        let name = if reversed { "reversed" } else { "written" };
        let circuit = port.circuit(name).expect("a wrapped method");
        let seen = || (site.body.calls(), site.answers());

        // Two attempts end at their limit; the third has had 20 ms when the deadline ends the call, which is no evidence.
        assert_eq!(timed(read(1)).await, (Ok(1001), ms(250)));
        assert_eq!((seen(), circuit.failures()), ((3, 1), 2));
        // The fallback was not kept. Two more failures open the circuit, which refuses the third attempt.
        assert_eq!(timed(read(1)).await, (Ok(1001), ms(100 + 10 + 100 + 20)));
        assert_eq!((seen(), circuit.state()), ((5, 2), CircuitState::Open));
        assert_eq!(timed(read(1)).await, (Ok(1001), ms(0)));
        assert_eq!(seen(), (5, 3));

        sleep(ms(1000)).await;
        assert_eq!(timed(read(1)).await, (Ok(6), ms(10)));
        assert_eq!(circuit.state(), CircuitState::Closed);
        assert_eq!(timed(read(1)).await, (Ok(6), ms(0)));
        assert_eq!(seen(), (6, 3));

        // The old value comes before the fallback, and after the retries.
        sleep(ms(1500)).await;
        assert_eq!(timed(read(1)).await, (Ok(6), ms(10 + 20)));
        assert_eq!((seen(), circuit.failures()), ((9, 3), 3));

        // A refusal is the answer.
        assert_eq!(read(2).await, Err(Error::Refusal));
        assert_eq!((seen(), circuit.failures()), ((10, 3), 0));
        assert_eq!(read(2).await, Ok(11));
        assert_eq!(circuit.state(), CircuitState::Closed);
    }
}

// CO-1: the fallback stands outside the cache: what it answers is not kept, and what is kept needs no fallback
#[tokio::test(start_paused = true)]
async fn a_fallback_is_never_kept() {
    let (port, site) = site(|n| if n == 3 { Step::Now(Ok(n)) } else { fault() });
    assert_eq!(
        (port.answered(1).await, port.answered(1).await),
        (Ok(1001), Ok(1001))
    );
    assert_eq!((site.body.calls(), site.answers()), (2, 2));
    assert!(port.cache("answered").expect("it is cached").is_empty());
    assert_eq!((port.answered(1).await, port.answered(1).await), (Ok(3), Ok(3)));
    assert_eq!((site.body.calls(), site.answers()), (3, 2));
    sleep(ms(1000)).await;
    assert_eq!(port.answered(1).await, Ok(1001));
}

#[tokio::test(start_paused = true)]
async fn all_who_share_a_load_that_fails_have_their_own_fallback() {
    let (port, site) = site(|_| Step::After(50, Err(Error::Fault)));
    let answers = join_all((0..3).map(|_| port.answered(7))).await;
    assert_eq!(answers, vec![Ok(1007); 3]);
    assert_eq!((site.body.calls(), site.answers()), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn an_old_value_comes_before_a_fallback() {
    let (port, site) = site(|n| if n == 1 { Step::Now(Ok(n)) } else { fault() });
    assert_eq!(port.stale(1).await, Ok(1));
    sleep(ms(2000)).await;
    assert_eq!((port.stale(1).await, site.answers()), (Ok(1), 0));
    sleep(ms(3000)).await;
    assert_eq!((port.stale(1).await, site.answers()), (Ok(1001), 1));
    assert_eq!(site.body.calls(), 3);
}

// CO-1: the cache stands outside the deadline, whose passing is a load that failed
#[tokio::test(start_paused = true)]
async fn an_old_value_is_served_where_the_deadline_passed() {
    let (port, site) = site(|n| if n == 2 { Step::Now(Ok(n)) } else { Step::Hang });
    let (answer, time) = timed(port.hurried(1)).await;
    let kind = answer.as_ref().err().and_then(Error::kind);
    assert_eq!((kind, time), (Some(PolicyErrorKind::DeadlineExceeded), ms(100)));
    assert_eq!(port.hurried(1).await, Ok(2));
    sleep(ms(1500)).await;
    assert_eq!(timed(port.hurried(1)).await, (Ok(2), ms(100)));
    assert_eq!((site.body.calls(), site.body.running()), (3, 0));
}

// CO-1: the deadline stands outside the retry: one for all attempts and the waits between them
#[tokio::test(start_paused = true)]
async fn a_deadline_is_for_all_attempts_together() {
    let retry = Retry::attempts(5).base(ms(20)).factor(1.0).jitter(Jitter::None);
    let written = Policies::new().deadline(Deadline::new(ms(130))).retry(retry);
    let reversed = Policies::new().retry(retry).deadline(Deadline::new(ms(130)));
    assert_eq!(written, reversed);
    let (port, adapter) = wrap(written, |_| Step::After(40, Err(Error::Fault)));
    let (answer, time) = timed(port.call()).await;
    let kind = answer.as_ref().err().and_then(Error::kind);
    // They start at 0, 60 and 120.
    assert_eq!((kind, time), (Some(PolicyErrorKind::DeadlineExceeded), ms(130)));
    assert_eq!((adapter.calls(), adapter.running()), (3, 0));
}

/// An error that says nothing of the one it came from.
#[derive(Clone, Debug, PartialEq, Classify)]
enum Lost {
    #[class(transient)]
    Gone,
    #[class(transient, not_sent)]
    GoneToo,
    #[class(policy)]
    Policy(PolicyError),
}

impl From<PolicyError> for Lost {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

type Found = Result<u32, Lost>;

/// The layer between two that have three attempts each.
trait Between {
    fn retried(&self) -> impl Future<Output = Found> + Send;
    fn kept(&self) -> impl Future<Output = Found> + Send;
    fn kept_and_retried(&self) -> impl Future<Output = Found> + Send;
    fn kept_without_a_clone(&self) -> impl Future<Output = Result<u32, Unique>> + Send;
    fn answered(&self) -> impl Future<Output = Found> + Send;
    fn answered_and_retried(&self) -> impl Future<Output = Found> + Send;
    fn hurried(&self) -> impl Future<Output = Found> + Send;
    fn hurried_and_retried(&self) -> impl Future<Output = Found> + Send;
    fn raced(&self) -> impl Future<Output = Found> + Send;
    fn all(&self) -> impl Future<Output = Found> + Send;
}

/// The same without a `Clone`.
#[derive(Debug, Classify)]
enum Unique {
    #[class(transient)]
    Gone,
    #[class(policy)]
    Policy(#[allow(dead_code, reason = "for `Debug`")] PolicyError),
}

impl From<PolicyError> for Unique {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

struct Middle(ResilientScripted);

impl Middle {
    async fn ask(&self) -> Found {
        self.0.call().await.map_err(|_| Lost::Gone)
    }

    #[allow(clippy::unused_async, reason = "a fallback is async")]
    async fn neither(&self, error: Lost) -> Found {
        assert_eq!(error, Lost::Gone);
        Err(Lost::GoneToo)
    }
}

#[adapter(kind = "gateway", idempotent, no_timeout = "the script decides")]
impl Between for Middle {
    #[retry(attempts = 3, base_ms = 0)]
    async fn retried(&self) -> Found {
        self.ask().await
    }

    #[cached(ttl_ms = 1000, stale_if_error_ms = 1000)]
    async fn kept(&self) -> Found {
        self.ask().await
    }

    #[cached(ttl_ms = 1000)]
    #[retry(attempts = 3, base_ms = 0)]
    async fn kept_and_retried(&self) -> Found {
        self.ask().await
    }

    #[cached(ttl_ms = 1000)]
    async fn kept_without_a_clone(&self) -> Result<u32, Unique> {
        self.ask().await.map_err(|_| Unique::Gone)
    }

    #[fallback(with = Self::neither)]
    async fn answered(&self) -> Found {
        self.ask().await
    }

    #[fallback(with = Self::neither)]
    #[retry(attempts = 3, base_ms = 0)]
    async fn answered_and_retried(&self) -> Found {
        self.ask().await
    }

    #[deadline(ms = 5000)]
    async fn hurried(&self) -> Found {
        self.ask().await
    }

    #[deadline(ms = 5000)]
    #[retry(attempts = 3, base_ms = 0)]
    async fn hurried_and_retried(&self) -> Found {
        self.ask().await
    }

    #[hedge(after_ms = 500)]
    async fn raced(&self) -> Found {
        self.ask().await
    }

    #[fallback(with = Self::neither)]
    #[cached(ttl_ms = 1000)]
    #[deadline(ms = 5000)]
    #[retry(attempts = 3, base_ms = 0)]
    #[circuit_breaker(failure_threshold = 100)]
    #[rate_limit(permits = 100)]
    #[bulkhead(max_concurrent = 10)]
    #[timeout(ms = 1000)]
    async fn all(&self) -> Found {
        self.ask().await
    }
}

/// A layer with three attempts.
fn three() -> Policies {
    Policies::new().retry(at_once(3))
}

/// A middle layer over one with three attempts, which fail at once or after a while.
fn middle(after: Option<u64>) -> (ResilientMiddle, Scripted) {
    let (inner, body) = wrap(three(), move |_| match after {
        Some(time) => Step::After(time, Err(Error::Fault)),
        None => fault(),
    });
    (ResilientMiddle::new(Middle(inner)), body)
}

/// The outer layer's own error for whatever it was.
fn mapped<E>(found: Result<u32, E>) -> Answer {
    found.map_err(|_| Error::Busy { wait: ms(1) })
}

/// Three attempts of the outer layer over this method of the middle one make three calls in all.
macro_rules! makes_three_calls {
    ($($method:ident)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $method() {
            for after in [None, Some(10)] {
                let (outer, (middle, body)) = (Method::read(three()), middle(after));
                let answer = outer.call(async || mapped(middle.$method().await)).await;
                assert_eq!(answer, Err(Error::Busy { wait: ms(1) }));
                assert_eq!(body.calls(), 3, "{after:?}");
            }
        }
    )*};
}

// RT-6: three nested layers of three attempts make 3 calls, whatever the error types and whatever stands in between
mod three_layers_of_three_make_three_calls {
    use super::*;

    makes_three_calls! {
        retried kept kept_and_retried kept_without_a_clone answered answered_and_retried
        hurried hurried_and_retried raced all
    }
}

/// Three who miss at once, each with three attempts over this method of the middle layer, make three calls together.
macro_rules! makes_three_calls_for_all {
    ($($method:ident)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $method() {
            let (outer, (middle, body)) = (Method::read(three()), middle(Some(10)));
            let calls = (0..3).map(|_| outer.call(async || mapped(middle.$method().await)));
            let answers = join_all(calls).await;
            assert_eq!(answers, vec![Err(Error::Busy { wait: ms(1) }); 3]);
            assert_eq!(body.calls(), 3);
        }
    )*};
}

// RT-6: the retries of a load were spent for all who waited for it
mod callers_who_share_a_load_make_three_calls_together {
    use super::*;

    makes_three_calls_for_all! { kept kept_and_retried kept_without_a_clone all }
}
