//! An answer in place of a failure (section 5, rows 84, 247, 248, CO-4).

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use resil::{CircuitState, PolicyError, PolicyErrorKind, Protected, adapter, with_deadline};

use crate::clock::timed;
use crate::given::at_once;
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, fault, is_timeout, ms};

// Not here, with the reason:
//   100, 101     lists of errors are classes here: a refusal is the only failure that is never answered for

trait Desk {
    fn plain(&self) -> impl Future<Output = Answer> + Send;
    fn once(&self) -> impl Future<Output = Answer> + Send;
    fn twice(&self) -> impl Future<Output = Answer> + Send;
    fn thrice(&self) -> impl Future<Output = Answer> + Send;
    fn limited(&self) -> impl Future<Output = Answer> + Send;
    fn early(&self) -> impl Future<Output = Answer> + Send;
    fn valued(&self, id: u32) -> impl Future<Output = Answer> + Send;
    fn described(&self, id: u32, name: &str, words: Vec<String>) -> impl Future<Output = Answer> + Send;
    fn guarded(&self) -> impl Future<Output = Answer> + Send;
    fn hurried(&self) -> impl Future<Output = Answer> + Send;
}

/// Whoever answers instead: how often it did, for which errors, and how.
struct Handler {
    count: AtomicU32,
    errors: Mutex<Vec<Error>>,
    then: Scripted,
}

#[derive(Clone)]
struct Remote {
    body: Scripted,
    handler: Arc<Handler>,
}

impl Remote {
    /// The next answer instead is `34`, or what `then` says.
    async fn instead(&self, error: Error) -> Answer {
        self.handler.errors.lock().unwrap().push(error);
        let count = self.handler.count.fetch_add(1, SeqCst) + 1;
        self.handler.then.call().await.map(|value| value + count)
    }

    #[allow(clippy::unused_async, reason = "a fallback is async")]
    async fn with_arguments(&self, id: u32, name: &str, words: Vec<String>, error: Error) -> Answer {
        self.handler.errors.lock().unwrap().push(error);
        let rest: usize = name.len() + words.concat().len();
        Ok(id + u32::try_from(rest).unwrap())
    }

    fn answered(&self) -> u32 {
        self.handler.count.load(SeqCst)
    }

    fn seen(&self) -> Vec<Error> {
        self.handler.errors.lock().unwrap().clone()
    }
}

/// A handler that is no method of the adapter.
#[allow(clippy::unused_async, reason = "a fallback is async")]
async fn standalone(desk: &Remote, error: Error) -> Answer {
    desk.handler.errors.lock().unwrap().push(error);
    Ok(1000)
}

#[adapter(
    kind = "external",
    idempotent,
    no_timeout = "the script decides",
    retry(attempts = 2, base_ms = 0)
)]
impl Desk for Remote {
    async fn plain(&self) -> Answer {
        self.body.call().await
    }

    #[retry(off)]
    #[fallback(with = standalone)]
    async fn once(&self) -> Answer {
        self.body.call().await
    }

    #[fallback(with = Self::instead)]
    async fn twice(&self) -> Answer {
        self.body.call().await
    }

    #[retry(attempts = 3, base_ms = 0)]
    #[fallback(with = Self::instead)]
    async fn thrice(&self) -> Answer {
        self.body.call().await
    }

    #[timeout(ms = 500)]
    #[fallback(with = Self::instead)]
    async fn limited(&self) -> Answer {
        self.body.call().await
    }

    #[fallback(with = Self::instead)]
    fn early(&self) -> impl Future<Output = Answer> + Send {
        std::future::ready(Err(Error::Fault))
    }

    #[fallback(value = id + 1)]
    async fn valued(&self, id: u32) -> Answer {
        let _ = id;
        self.body.call().await
    }

    #[fallback(with = Self::with_arguments)]
    async fn described(&self, id: u32, name: &str, words: Vec<String>) -> Answer {
        let _ = (id, name, words);
        self.body.call().await
    }

    #[retry(off)]
    #[circuit_breaker(failure_threshold = 1)]
    #[fallback(with = Self::instead)]
    async fn guarded(&self) -> Answer {
        self.body.call().await
    }

    #[retry(off)]
    #[deadline(ms = 100)]
    #[fallback(with = Self::instead)]
    async fn hurried(&self) -> Answer {
        self.body.call().await
    }
}

fn desk_whose(
    then: impl Fn(u32) -> Step + Send + Sync + 'static,
    script: impl Fn(u32) -> Step + Send + Sync + 'static,
) -> (ResilientRemote, Remote) {
    let handler = Handler {
        count: AtomicU32::default(),
        errors: Mutex::default(),
        then: Scripted::new(then),
    };
    let remote = Remote {
        body: Scripted::new(script),
        handler: Arc::new(handler),
    };
    (ResilientRemote::new(remote.clone()), remote)
}

/// A handler that answers with 34, 35 and so on.
fn desk(script: impl Fn(u32) -> Step + Send + Sync + 'static) -> (ResilientRemote, Remote) {
    desk_whose(|_| Step::Now(Ok(33)), script)
}

// 91: FallbackTest.testFallbackWithBeanSuccess
#[tokio::test(start_paused = true)]
async fn a_handler_runs_once_per_call_whatever_the_attempts() {
    let (port, remote) = desk(|_| fault());
    assert_eq!(port.twice().await, Ok(34));
    assert_eq!((remote.body.calls(), remote.answered()), (2, 1));
    assert_eq!(port.thrice().await, Ok(35));
    assert_eq!((remote.body.calls(), remote.answered()), (2 + 3, 2));
}

// 92: FallbackTest.testClassLevelFallbackSuccess
#[tokio::test(start_paused = true)]
async fn a_method_with_a_retry_of_its_own_is_answered_for_after_that() {
    let (port, remote) = desk(|n| Step::Now(Err(if n == 3 { Error::NotSent } else { Error::Fault })));
    assert_eq!(port.plain().await, Err(Error::Fault), "no fallback was stated");
    assert_eq!((remote.body.calls(), remote.answered()), (2, 0));
    let (port, remote) = desk(|n| Step::Now(Err(if n == 3 { Error::NotSent } else { Error::Fault })));
    assert_eq!(port.thrice().await, Ok(34));
    assert_eq!(remote.body.calls(), 3);
    assert_eq!(remote.seen(), [Error::NotSent], "the error of the last attempt");
}

// 93: FallbackTest.testFallbacktNoTimeout
#[tokio::test(start_paused = true)]
async fn failures_within_their_time_are_answered_for() {
    let (port, remote) = desk(|_| Step::After(10, Err(Error::Fault)));
    assert_eq!(timed(port.limited()).await, (Ok(34), ms(20)));
    assert_eq!((remote.body.calls(), remote.seen()), (2, vec![Error::Fault]));
}

// 84: after timeouts, which are retried first
#[tokio::test(start_paused = true)]
async fn timeouts_are_answered_for() {
    let (port, remote) = desk(|_| Step::Hang);
    assert_eq!(timed(port.limited()).await, (Ok(34), ms(1000)));
    assert_eq!((remote.body.calls(), remote.body.running()), (2, 0));
    let seen = remote.seen();
    assert_eq!(
        seen.iter().map(Error::kind).collect::<Vec<_>>(),
        [Some(PolicyErrorKind::TimedOut)]
    );
}

// 94: FallbackTest.testFallbackMethodSuccess, 102: FallbackMethodBasicTest
#[tokio::test(start_paused = true)]
async fn a_value_may_answer_and_name_the_arguments() {
    let (port, remote) = desk(|_| fault());
    assert_eq!(port.valued(41).await, Ok(42));
    assert_eq!(remote.body.calls(), 2);
}

// 95: FallbackTest.testFallbackMethodWithArgsSuccess
#[tokio::test(start_paused = true)]
async fn a_handler_gets_every_argument() {
    let (port, remote) = desk(|_| fault());
    let words = vec!["ab".to_owned(), "cde".to_owned()];
    assert_eq!(port.described(100, "name", words).await, Ok(100 + 4 + 5));
    assert_eq!((remote.body.calls(), remote.seen()), (2, vec![Error::Fault]));
}

// 96: FallbackTest.testStandaloneHandlerFallback
#[tokio::test(start_paused = true)]
async fn a_function_beside_the_adapter_may_answer() {
    let (port, remote) = desk(|_| fault());
    assert_eq!(port.once().await, Ok(1000));
    assert_eq!((remote.body.calls(), remote.seen()), (1, vec![Error::Fault]));
}

// 97: AsyncFallbackTest.testAsyncCSFallbackSuccess; also where a retry came to it
#[tokio::test(start_paused = true)]
async fn a_value_needs_no_other_answer() {
    let (port, remote) = desk(|n| if n == 2 { fault() } else { Step::Now(Ok(n)) });
    assert_eq!(port.twice().await, Ok(1));
    assert_eq!(port.twice().await, Ok(3));
    assert_eq!((remote.body.calls(), remote.answered()), (3, 0));
}

// 98: AsyncFallbackTest.testAsyncCSFallbackMethodThrows, 99: testAsyncCSFallbackFutureCompletesExceptionally
#[tokio::test(start_paused = true)]
async fn failures_at_once_and_after_a_wait_are_answered_for_alike() {
    let (port, remote) = desk(|_| Step::After(50, Err(Error::Fault)));
    assert_eq!(timed(port.early()).await, (Ok(34), ms(0)));
    assert_eq!(timed(port.twice()).await, (Ok(35), ms(100)));
    assert_eq!(remote.seen(), [Error::Fault, Error::Fault]);
}

// 100, 101: FallbackExceptionHierarchyTest.service{B,C}*, CO-4: every failure but a refusal
#[tokio::test(start_paused = true)]
async fn every_failure_but_a_refusal_is_answered_for() {
    let mut failures = vec![Error::Fault, Error::Permanent, Error::NotSent];
    failures.push(Error::Busy { wait: ms(60_000) });
    for kind in [
        PolicyErrorKind::TimedOut,
        PolicyErrorKind::DeadlineExceeded,
        PolicyErrorKind::CircuitOpen,
        PolicyErrorKind::BulkheadFull,
        PolicyErrorKind::RateLimited,
        PolicyErrorKind::LoadFailed,
    ] {
        failures.push(Error::Policy(PolicyError::new(kind)));
    }
    for error in failures {
        let answer = error.clone();
        let (port, remote) = desk(move |_| Step::Now(Err(answer.clone())));
        assert_eq!(port.twice().await, Ok(34), "{error:?}");
        assert_eq!(remote.seen(), [error]);
    }
    let (port, remote) = desk(|_| Step::Now(Err(Error::Refusal)));
    assert_eq!(port.twice().await, Err(Error::Refusal));
    assert_eq!(port.valued(1).await, Err(Error::Refusal));
    assert_eq!(port.once().await, Err(Error::Refusal));
    assert_eq!((remote.body.calls(), remote.answered()), (3, 0));
    assert_eq!(remote.seen(), []);
}

// A refusal that comes after failures is the dependency's answer as well.
#[tokio::test(start_paused = true)]
async fn a_refusal_after_a_failure_is_not_answered_for() {
    let (port, remote) = desk(|n| {
        if n == 1 {
            fault()
        } else {
            Step::Now(Err(Error::Refusal))
        }
    });
    assert_eq!(port.thrice().await, Err(Error::Refusal));
    assert_eq!((remote.body.calls(), remote.answered()), (2, 0));
}

// CO-4: the handler's own failure reaches the caller; nothing is repeated for it
#[tokio::test(start_paused = true)]
async fn the_handlers_own_failure_reaches_the_caller() {
    for own in [Error::Permanent, Error::Refusal, Error::NotSent] {
        let then = own.clone();
        let (port, remote) = desk_whose(move |_| Step::Now(Err(then.clone())), |_| fault());
        assert_eq!(port.thrice().await, Err(own));
        assert_eq!((remote.body.calls(), remote.answered()), (3, 1));
        assert_eq!(remote.seen(), [Error::Fault]);
    }
}

// The handler has as long as an attempt, and what is left of a deadline around the call.
#[tokio::test(start_paused = true)]
async fn the_handlers_time_is_bounded() {
    let (port, remote) = desk_whose(|_| Step::Hang, |_| fault());
    let (answer, time) = timed(port.limited()).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((time, remote.answered()), (ms(500), 1));

    let (answer, time) = timed(with_deadline(ms(200), port.limited())).await;
    let kind = answer.as_ref().err().and_then(Error::kind);
    assert_eq!((kind, time), (Some(PolicyErrorKind::DeadlineExceeded), ms(200)));
    assert_eq!(remote.handler.then.running(), 0, "it is dropped");
}

// Outside of the method's own deadline, which bounds what the fallback answers for.
#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_is_answered_for() {
    let (port, remote) = desk_whose(|_| Step::After(70, Ok(33)), |_| Step::Hang);
    assert_eq!(timed(port.hurried()).await, (Ok(34), ms(170)));
    let seen = remote.seen();
    assert_eq!(
        seen.iter().map(Error::kind).collect::<Vec<_>>(),
        [Some(PolicyErrorKind::DeadlineExceeded)]
    );
    assert_eq!((remote.body.calls(), remote.body.running()), (1, 0));
}

// 247: Composition: fallback over open breaker
#[tokio::test(start_paused = true)]
async fn an_open_circuit_is_answered_for() {
    let (port, remote) = desk(|_| fault());
    assert_eq!(port.guarded().await, Ok(34));
    let circuit = port.circuit("guarded").expect("a wrapped method");
    assert_eq!(circuit.state(), CircuitState::Open);
    assert_eq!(port.guarded().await, Ok(35));
    assert_eq!((remote.body.calls(), circuit.refused()), (1, 1));
    let seen = remote.seen();
    assert_eq!(
        seen.iter().map(Error::kind).collect::<Vec<_>>(),
        [None, Some(PolicyErrorKind::CircuitOpen)]
    );
}

// What the handler makes of it is no evidence: the circuit has seen the attempts only.
#[tokio::test(start_paused = true)]
async fn a_handlers_failure_is_no_evidence_and_its_value_none_either() {
    let (port, remote) = desk_whose(|_| fault(), |n| Step::Now(Ok(n)));
    let circuit = port.circuit("guarded").expect("a wrapped method");
    circuit.force_open();
    assert_eq!(port.guarded().await, Err(Error::Fault));
    circuit.release();
    circuit.reset();
    assert_eq!(circuit.failures(), 0);
    assert_eq!(port.guarded().await, Ok(1));
    assert_eq!((remote.body.calls(), circuit.state()), (1, CircuitState::Closed));
}

// 248: Composition: retry over fallback. That nesting is two wrappers.
#[tokio::test(start_paused = true)]
async fn a_retry_further_out_never_sees_what_was_answered_for() {
    let outer = Method::read(resil::Policies::new().retry(at_once(3)));
    let (port, remote) = desk(|_| fault());
    assert_eq!(outer.call(|| port.once()).await, Ok(1000));
    assert_eq!(remote.body.calls(), 1);

    // It sees the handler's failure, where nothing was repeated further in.
    let (port, remote) = desk_whose(|_| fault(), |_| fault());
    assert_eq!(outer.call(|| port.guarded()).await, Err(Error::Fault));
    assert_eq!((remote.body.calls(), remote.answered()), (1, 3));
}

trait Shop<T> {
    fn find(&self, what: T) -> impl Future<Output = Answer> + Send;
}

trait Usual {
    async fn usual(&self, what: String, _: Error) -> Answer {
        Ok(u32::try_from(what.len()).unwrap())
    }
}

impl Usual for Scripted {}

// The parameter is bound to a type, and the handler is a default body of a trait.
#[adapter(
    kind = "external",
    wrapper = ResilientShop,
    vis = pub(self),
    no_timeout = "the script decides",
    fallback(with = Self::usual)
)]
impl Shop<String> for Scripted {
    async fn find(&self, what: String) -> Answer {
        let _ = what;
        self.call().await
    }
}

// 103: FallbackMethodDefaultMethodTest, 104: FallbackMethodGenericTest
#[tokio::test(start_paused = true)]
async fn a_traits_default_body_answers_for_a_generic_port() {
    let body = Scripted::new(|_| fault());
    let shop = ResilientShop::new(body.clone());
    assert_eq!(shop.find("seven!!".to_owned()).await, Ok(7));
    assert_eq!(body.calls(), 1);
}
