//! Attempts that race each other, and calls that share one load (rows 254, 255, 259, 267, 268, 276).

use futures::future::join_all;
use resil::{CircuitState, PolicyErrorKind, Protected, adapter};
use tokio::time::sleep;

use crate::clock::timed;
use crate::support::{Answer, Error, Port, Scripted, Step, fault, is_timeout, ms};

// Not here, with the reason:
//   255 (condition)  a value is never too bad to be kept; what must not be kept is an error, or its method is not cached
//   260              a hedge beside a retry does not compile (`tests/ui/rules`)

trait Reads {
    fn raced(&self) -> impl Future<Output = Answer> + Send;
    fn late(&self) -> impl Future<Output = Answer> + Send;
    fn single(&self) -> impl Future<Output = Answer> + Send;
    fn rated(&self) -> impl Future<Output = Answer> + Send;
    fn narrow(&self) -> impl Future<Output = Answer> + Send;
    fn guarded(&self) -> impl Future<Output = Answer> + Send;
}

#[derive(Clone)]
struct Remote(Scripted);

#[adapter(kind = "external", idempotent, timeout(ms = 1000))]
impl Reads for Remote {
    #[hedge(after_ms = 10, max = 2)]
    async fn raced(&self) -> Answer {
        self.0.call().await
    }

    #[hedge(after_ms = 900)]
    async fn late(&self) -> Answer {
        self.0.call().await
    }

    #[hedge(after_ms = 10)]
    async fn single(&self) -> Answer {
        self.0.call().await
    }

    #[hedge(after_ms = 10, max = 2)]
    #[rate_limit(permits = 2, per_ms = 600_000)]
    async fn rated(&self) -> Answer {
        self.0.call().await
    }

    #[hedge(after_ms = 10, max = 2)]
    #[bulkhead(max_concurrent = 2)]
    async fn narrow(&self) -> Answer {
        self.0.call().await
    }

    #[hedge(after_ms = 10)]
    #[circuit_breaker(failure_threshold = 2)]
    async fn guarded(&self) -> Answer {
        self.0.call().await
    }
}

fn remote(script: impl Fn(u32) -> Step + Send + Sync + 'static) -> (ResilientRemote, Scripted) {
    let body = Scripted::new(script);
    (ResilientRemote::new(Remote(body.clone())), body)
}

// 259: Hedge: delay exceeded / not exceeded
#[tokio::test(start_paused = true)]
async fn a_hedge_starts_each_time_that_its_delay_has_passed() {
    let (port, body) = remote(|n| Step::After(100, Ok(n)));
    assert_eq!(timed(port.raced()).await, (Ok(1), ms(100)));
    assert_eq!((body.calls(), body.most_at_once(), body.running()), (3, 3, 0));

    let (port, body) = remote(|n| Step::Now(Ok(n)));
    assert_eq!(timed(port.late()).await, (Ok(1), ms(0)));
    sleep(ms(5000)).await;
    assert_eq!(body.calls(), 1);

    // The first to answer wins, whichever that is.
    let (port, body) = remote(|n| if n == 2 { Step::After(5, Ok(n)) } else { Step::Hang });
    assert_eq!(timed(port.raced()).await, (Ok(2), ms(15)));
    assert_eq!((body.calls(), body.running()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_answers_and_the_last_failure_where_all_fail() {
    let (port, body) = remote(|n| match n {
        1 => Step::Hang,
        2 => Step::After(5, Err(Error::Refusal)),
        n => Step::After(100, Ok(n)),
    });
    assert_eq!(timed(port.raced()).await, (Err(Error::Refusal), ms(15)));
    assert_eq!((body.calls(), body.running()), (2, 0));

    let (port, body) = remote(|n| match n {
        1 => Step::After(50, Err(Error::Permanent)),
        2 => Step::After(15, Err(Error::Fault)),
        _ => Step::After(70, Err(Error::NotSent)),
    });
    assert_eq!(timed(port.raced()).await, (Err(Error::NotSent), ms(90)));
    assert_eq!(body.calls(), 3);
}

// 276: gRPC A6 throttling, hedges. With the budget spent the first attempt is sent, and its failure is the answer.
#[tokio::test(start_paused = true)]
async fn hedges_draw_on_the_budget() {
    let (port, body) = remote(|_| Step::After(20, Err(Error::Fault)));
    // 20 % of 100 calls are less than the minimum, which is 10 in a second for ten seconds.
    for _ in 0..100 {
        assert_eq!(timed(port.single()).await, (Err(Error::Fault), ms(30)));
    }
    assert_eq!(body.calls(), 200);
    for _ in 0..100 {
        assert_eq!(timed(port.single()).await, (Err(Error::Fault), ms(20)));
    }
    assert_eq!(body.calls(), 300);
    sleep(ms(11_000)).await;
    assert_eq!(timed(port.single()).await, (Err(Error::Fault), ms(30)));
    assert_eq!(body.calls(), 302);
}

// Each method has its own budget: one that is spent holds no other back.
#[tokio::test(start_paused = true)]
async fn a_spent_budget_is_the_methods_own() {
    let (port, body) = remote(|_| Step::After(20, Err(Error::Fault)));
    for _ in 0..200 {
        assert_eq!(port.single().await, Err(Error::Fault));
    }
    assert_eq!(body.calls(), 300);
    assert_eq!(port.guarded().await, Err(Error::Fault));
    assert_eq!(body.calls(), 302);
}

// A dependency that is slow for everybody gets a fifth more, not twice as much.
#[tokio::test(start_paused = true)]
async fn slowness_under_load_is_not_multiplied_by_hedges() {
    let (port, body) = remote(|n| Step::After(50, Ok(n)));
    let mut calls = Vec::new();
    for _ in 0..6000 {
        let port = port.clone();
        calls.push(tokio::spawn(async move { port.raced().await }));
        sleep(ms(10)).await;
    }
    for call in calls {
        assert!(call.await.expect("it does not panic").is_ok());
    }
    let attempts = body.calls();
    assert!(attempts <= 7200 + 10, "{attempts} attempts");
    assert!(attempts >= 6000 + 1000, "{attempts} attempts");
}

// A rate limit and a bulkhead count attempts: a hedge that they refuse leaves the race, and the others go on.
#[tokio::test(start_paused = true)]
async fn a_hedge_that_is_refused_leaves_the_race() {
    let (port, body) = remote(|n| Step::After(100, Ok(n)));
    assert_eq!(timed(port.rated()).await, (Ok(1), ms(100)));
    assert_eq!(body.calls(), 2);
    let kind = port.rated().await.as_ref().err().and_then(Error::kind);
    assert_eq!((kind, body.calls()), (Some(PolicyErrorKind::RateLimited), 2));

    let (port, body) = remote(|n| Step::After(100, Ok(n)));
    assert_eq!(timed(port.narrow()).await, (Ok(1), ms(100)));
    assert_eq!(timed(port.narrow()).await, (Ok(3), ms(100)));
    assert_eq!((body.calls(), body.most_at_once()), (4, 2));
}

// Each attempt that failed is an outcome of the circuit; one that lost is none.
#[tokio::test(start_paused = true)]
async fn attempts_that_race_are_outcomes_of_the_circuit() {
    let (port, _) = remote(|n| Step::After(20, if n % 2 == 1 { Err(Error::Fault) } else { Ok(n) }));
    let circuit = port.circuit("guarded").expect("a wrapped method");
    assert_eq!(port.guarded().await, Ok(2));
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));

    let (port, body) = remote(|_| Step::After(20, Err(Error::Fault)));
    let circuit = port.circuit("guarded").expect("a wrapped method");
    assert_eq!(port.guarded().await, Err(Error::Fault));
    assert_eq!((circuit.state(), body.calls()), (CircuitState::Open, 2));
}

trait Loads {
    fn shared(&self, key: u32) -> impl Future<Output = Answer> + Send;
    fn fixed(&self, key: u32) -> impl Future<Output = Answer> + Send;
    fn never(&self, key: u32) -> impl Future<Output = Answer> + Send;
    fn limited(&self, key: u32) -> impl Future<Output = Answer> + Send;
}

struct Store(Scripted);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a key is made of references")]
fn same(_: &u32) -> u8 {
    0
}

#[adapter(kind = "external", no_timeout = "the script decides", cached(ttl_ms = 200))]
impl Loads for Store {
    async fn shared(&self, _key: u32) -> Answer {
        self.0.call().await
    }

    #[cached(ttl_ms = 200, key = same)]
    async fn fixed(&self, _key: u32) -> Answer {
        self.0.call().await
    }

    #[cached(off)]
    async fn never(&self, _key: u32) -> Answer {
        self.0.call().await
    }

    #[timeout(ms = 100)]
    async fn limited(&self, _key: u32) -> Answer {
        self.0.call().await
    }
}

fn store(script: impl Fn(u32) -> Step + Send + Sync + 'static) -> (ResilientStore, Scripted) {
    let body = Scripted::new(script);
    (ResilientStore::new(Store(body.clone())), body)
}

// 254: Cache: key sources
#[tokio::test(start_paused = true)]
async fn a_key_is_fixed_or_from_the_arguments_or_there_is_none() {
    let (port, body) = store(|n| Step::Now(Ok(n)));
    assert_eq!((port.fixed(1).await, port.fixed(2).await), (Ok(1), Ok(1)));
    assert_eq!(body.calls(), 1);
    assert_eq!((port.shared(1).await, port.shared(2).await), (Ok(2), Ok(3)));
    assert_eq!((port.shared(1).await, port.shared(2).await), (Ok(2), Ok(3)));
    assert_eq!(body.calls(), 3);
    assert_eq!((port.never(1).await, port.never(1).await), (Ok(4), Ok(5)));
    assert_eq!(port.cache("fixed").expect("it is cached").len(), 1);
    assert_eq!(port.cache("shared").expect("it is cached").len(), 2);
    assert!(port.cache("never").is_none());
}

// 255: Cache: condition and errors; only the part on errors
#[tokio::test(start_paused = true)]
async fn errors_of_all_classes_are_asked_for_again() {
    for error in [Error::Fault, Error::Refusal, Error::Permanent] {
        let answer = error.clone();
        let (port, body) = store(move |_| Step::Now(Err(answer.clone())));
        assert_eq!(port.shared(1).await, Err(error.clone()));
        assert_eq!(port.shared(1).await, Err(error));
        assert_eq!(body.calls(), 2);
        assert!(port.cache("shared").expect("it is cached").is_empty());
    }
}

// 267: opossum: coalesce only, TTL 200
#[tokio::test(start_paused = true)]
async fn calls_at_once_share_a_load_and_later_ones_do_not() {
    let (port, body) = store(|n| Step::After(50, Ok(n)));
    let answers = join_all((0..3).map(|_| port.shared(1))).await;
    assert_eq!((answers, body.calls()), (vec![Ok(1); 3], 1));
    sleep(ms(250)).await;
    assert_eq!(port.shared(1).await, Ok(2));
    assert_eq!(body.calls(), 2);
}

// 268: opossum: coalesceResetOn error/success/timeout
#[tokio::test(start_paused = true)]
async fn a_load_that_has_ended_is_shared_with_nobody() {
    let (port, body) = store(|n| Step::After(50, if n == 1 { Err(Error::Fault) } else { Ok(n) }));
    assert_eq!(port.shared(1).await, Err(Error::Fault));
    assert_eq!(timed(port.shared(1)).await, (Ok(2), ms(50)));
    sleep(ms(200)).await;
    assert_eq!(timed(port.shared(1)).await, (Ok(3), ms(50)));
    assert_eq!(body.calls(), 3);

    let (port, body) = store(|n| if n == 1 { Step::Hang } else { Step::Now(Ok(n)) });
    let (first, beside) = tokio::join!(port.limited(1), port.limited(1));
    assert!(is_timeout(&first) && is_timeout(&beside), "{first:?}, {beside:?}");
    assert_eq!((body.calls(), body.running()), (1, 0));
    assert_eq!(port.limited(1).await, Ok(2));

    let (port, body) = store(|_| fault());
    let answers = join_all((0..3).map(|_| port.shared(1))).await;
    assert!(answers.iter().all(Result::is_err));
    assert_eq!(body.calls(), 3, "none was under way when the next one came");
}
