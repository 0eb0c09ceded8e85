//! What stands between the rows: drops that panic, siblings in one task, layers that cut each other.

use std::future::{pending, poll_fn, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use resil_runtime::{
    AdapterSpec, Bulkhead, Call, Circuit, CircuitBreaker, CircuitState, Class, Classification, Classify,
    Instance, Jitter, Kind, MethodSpec, MethodState, Mode, Overrides, Own, Policies, PolicyError,
    PolicyErrorKind, Retry, Scope, States, Timeout,
};
use tokio::sync::oneshot;

fn noop_cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
static SEND: MethodSpec = MethodSpec::new(&SMS, "send").idempotent();

#[derive(Debug)]
struct One(MethodState);
impl States for One {
    fn method(&self, name: &str) -> Option<&MethodState> {
        (name == "send").then_some(&self.0)
    }
    fn names(&self) -> &'static [&'static str] {
        &["send"]
    }
}

fn state(policies: Policies) -> Arc<One> {
    Arc::new(One(Instance::bound(&SMS, policies).unwrap().method(&SEND)))
}
fn circuit(s: &Arc<One>) -> Circuit {
    Circuit::of(s.clone(), "send").unwrap()
}

#[derive(Debug, Clone, PartialEq)]
enum E {
    Down,
    Policy(PolicyError),
}
impl Classify for E {
    fn classify(&self) -> Classification {
        match self {
            E::Down => Class::Transient.code("down"),
            E::Policy(p) => p.classify(),
        }
    }
}
impl From<PolicyError> for E {
    fn from(p: PolicyError) -> Self {
        E::Policy(p)
    }
}

async fn run<Fut: Future<Output = Result<u32, E>>>(
    s: &MethodState,
    mut f: impl FnMut() -> Fut,
) -> Result<u32, E> {
    let mut call = Call::new(s);
    loop {
        if let Some(r) = call.attempt::<Own, _, _>(|_| f()).await {
            return r;
        }
    }
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

// "An answer that is ready when the limit has passed is never thrown away."
#[tokio::test(start_paused = true)]
async fn a_ready_answer_is_kept_where_others_used_the_tasks_budget_up() {
    let s = state(Policies::new().timeout(Timeout::new(ms(1000))));
    let (tx, rx) = oneshot::channel();
    let mut rx = Some(rx);
    let mut call = pin!(run(&s.0, || {
        let rx = rx.take().unwrap();
        async move { rx.await.map_err(|_| E::Down) }
    }));
    assert!(poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_pending())).await);
    tx.send(7).unwrap();
    tokio::time::advance(ms(2000)).await;
    // A sibling in the same task (join!, FuturesUnordered) is polled first, once, and has much to do.
    let mut busy = true;
    let answer = poll_fn(|cx| {
        while busy {
            if pin!(tokio::task::consume_budget()).poll(cx).is_pending() {
                busy = false;
            }
        }
        call.as_mut().poll(cx)
    })
    .await;
    assert_eq!(answer, Ok(7));
}

// "A panic is a failure."
#[tokio::test]
async fn a_panic_in_the_drop_of_an_answered_future_is_a_failure() {
    struct Bomb;
    impl Future for Bomb {
        type Output = Result<u32, E>;
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            Poll::Ready(Ok(1))
        }
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    let s = state(Policies::new().circuit_breaker(CircuitBreaker::new().failure_threshold(1)));
    let s2 = s.clone();
    assert!(
        tokio::spawn(async move { run(&s2.0, || Bomb).await })
            .await
            .is_err()
    );
    assert_eq!(circuit(&s).state(), CircuitState::Open);
}

// The same at the limit: the timeout opened it, so its code and its reset time hold.
#[tokio::test(start_paused = true)]
async fn a_panic_in_the_drop_at_the_limit_is_told_as_a_panic() {
    struct Bomb;
    impl Future for Bomb {
        type Output = Result<u32, E>;
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            Poll::Pending
        }
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }
    let s = state(
        Policies::new()
            .timeout(Timeout::new(ms(100)))
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
    );
    let s2 = s.clone();
    assert!(
        tokio::spawn(async move { run(&s2.0, || Bomb).await })
            .await
            .is_err()
    );
    assert_eq!(circuit(&s).state(), CircuitState::Open);
    assert_eq!(circuit(&s).code().unwrap().as_str(), "panicked");
}

// force_open: "Refuses every call until release"; a waiter is asked again.
async fn waiter_after_force_open(observing: bool) -> Result<u32, E> {
    let mut breaker = CircuitBreaker::new().failure_threshold(1);
    if observing {
        breaker = breaker.mode(Mode::Observe);
    }
    let s = state(
        Policies::new()
            .circuit_breaker(breaker)
            .bulkhead(Bulkhead::new(1).max_queued(1).max_wait(ms(60_000))),
    );
    if observing {
        let _ = run(&s.0, || ready(Err(E::Down))).await;
        assert_eq!(circuit(&s).state(), CircuitState::Open);
    }
    let (tx, rx) = oneshot::channel();
    let mut rx = Some(rx);
    let mut first = pin!(run(&s.0, || {
        let rx = rx.take().unwrap();
        async move { rx.await.map_err(|_| E::Down) }
    }));
    assert!(first.as_mut().poll(&mut noop_cx()).is_pending());
    let mut second = pin!(run(&s.0, || ready(Ok(2))));
    assert!(second.as_mut().poll(&mut noop_cx()).is_pending());
    assert_eq!(s.0.waiting(), 1);
    circuit(&s).force_open();
    tx.send(1).unwrap();
    assert_eq!(first.await, Ok(1));
    second.await
}
#[tokio::test(start_paused = true)]
async fn a_waiter_of_an_enforcing_circuit_that_was_forced_open_is_refused() {
    assert!(matches!(waiter_after_force_open(false).await, Err(E::Policy(_))));
}
#[tokio::test(start_paused = true)]
async fn a_waiter_of_an_observing_circuit_that_was_forced_open_is_refused() {
    let got = waiter_after_force_open(true).await;
    assert!(matches!(got, Err(E::Policy(_))), "{got:?}");
}

// One layer retries, where the outer timeout cuts the inner one's retries.
#[tokio::test(start_paused = true)]
async fn a_nested_call_that_was_cut_while_it_repeated_is_not_repeated_from_further_out() {
    let three = |limit| {
        state(
            Policies::new()
                .retry(Retry::attempts(3).base(ms(1)).jitter(Jitter::None))
                .timeout(Timeout::new(ms(limit))),
        )
    };
    let (outer, middle, inner) = (three(50_000), three(5_500), three(2_000));
    let leaf = AtomicU32::new(0);
    let _ = run(&outer.0, || {
        run(&middle.0, || {
            run(&inner.0, || {
                leaf.fetch_add(1, SeqCst);
                pending()
            })
        })
    })
    .await;
    assert_eq!(leaf.load(SeqCst), 3);
}

// PolicyError's class
#[test]
fn a_policy_error_but_a_timeout_is_neither_retried_nor_evidence() {
    let e = PolicyError::new(PolicyErrorKind::LoadFailed)
        .with_class(Class::Transient)
        .with_code("unreachable");
    let c = e.classify();
    assert!(!c.is_evidence());
    assert_ne!(c.class(), Class::Transient, "not retried");
}
#[tokio::test]
async fn a_load_failed_refusal_is_no_evidence() {
    let s = state(Policies::new().circuit_breaker(CircuitBreaker::new().failure_threshold(2)));
    let lf = || E::Policy(PolicyError::new(PolicyErrorKind::LoadFailed).with_class(Class::Refusal));
    let _ = run(&s.0, || ready(Err(E::Down))).await;
    let _ = run(&s.0, || ready(Err(lf()))).await;
    let _ = run(&s.0, || ready(Err(E::Down))).await;
    assert_eq!(circuit(&s).state(), CircuitState::Open);
}

// a waker that panics
#[tokio::test(start_paused = true)]
async fn a_waiters_waker_that_panics_takes_no_answer_from_another_caller() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("waker");
        }
    }
    let s = state(Policies::new().bulkhead(Bulkhead::new(1).max_queued(1).max_wait(ms(60_000))));
    let (tx, rx) = oneshot::channel();
    let mut rx = Some(rx);
    let mut first = pin!(run(&s.0, || {
        let rx = rx.take().unwrap();
        async move { rx.await.map_err(|_| E::Down) }
    }));
    assert!(first.as_mut().poll(&mut noop_cx()).is_pending());
    let mut second = Box::pin(run(&s.0, || ready(Ok(2))));
    let bad = Waker::from(Arc::new(Bad));
    assert!(second.as_mut().poll(&mut Context::from_waker(&bad)).is_pending());
    tx.send(1).unwrap();
    assert_eq!(first.await, Ok(1));
}

// instance-scope: a method cannot override it
#[tokio::test]
async fn an_instance_circuit_given_at_the_binding_reaches_every_method() {
    static OTHER: MethodSpec = MethodSpec::new(&SMS, "other")
        .overrides(Overrides::new().circuit_breaker(CircuitBreaker::new().failure_threshold(1)));
    let i = Instance::bound(
        &SMS,
        Policies::new().circuit_breaker(CircuitBreaker::new().failure_threshold(1).scope(Scope::Instance)),
    )
    .unwrap();
    let (a, b) = (i.method(&SEND), i.method(&OTHER));
    let _ = run(&a, || ready(Err(E::Down))).await;
    assert!(run(&b, || ready(Ok(1))).await.is_err());
}
