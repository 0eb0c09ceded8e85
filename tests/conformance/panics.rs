//! Panics in what the adapter's author wrote.

use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;
use resil::{
    Bulkhead, CircuitBreaker, CircuitState, Classification, ErrorMap, Policies, PolicyError, Timeout,
};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::{at_once, first_failure, places};
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, ms, settle, start, wrap};

/// How a body can panic.
#[derive(Clone, Copy, Debug)]
enum Panics {
    /// Where its future should be made.
    Making,
    /// Before its first await.
    First,
    /// After it.
    Later,
}

async fn panicking(method: Method, how: Panics) -> Answer {
    let body = async move || {
        if !matches!(how, Panics::First) {
            sleep(ms(10)).await;
        }
        panic!("as the test says")
    };
    method
        .call(|| {
            assert!(!matches!(how, Panics::Making), "as the test says");
            body()
        })
        .await
}

// BH-2: a panic reaches the caller unchanged, is a failure, and gives back whatever the call held
#[tokio::test(start_paused = true)]
async fn a_panic_is_the_callers_and_a_failure() {
    for how in [Panics::Making, Panics::First, Panics::Later] {
        let policies = Policies::new()
            .circuit_breaker(first_failure())
            .bulkhead(Bulkhead::new(1))
            .retry(at_once(3));
        let method = Method::read(policies.timeout(Timeout::new(ms(1000))));
        let task = tokio::spawn(panicking(method.clone(), how));
        let panic = task.await.expect_err("it panics").into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"as the test says"), "{how:?}");
        assert_eq!(method.running(), 0, "{how:?}");
        let circuit = method.circuit();
        assert_eq!(
            (circuit.state(), circuit.opened()),
            (CircuitState::Open, 1),
            "{how:?}"
        );

        // The next call finds place and probe.
        sleep(ms(1000)).await;
        assert_eq!(method.call(|| ready(Ok(1))).await, Ok(1), "{how:?}");
        assert_eq!(
            (circuit.state(), method.running()),
            (CircuitState::Closed, 0),
            "{how:?}"
        );
    }
}

// BH-2 with its own numbers
#[tokio::test(start_paused = true)]
async fn the_place_of_a_call_that_panicked_is_free() {
    let (port, adapter) = wrap(Policies::new().bulkhead(Bulkhead::new(1)), |n| match n {
        1 => Step::Panic,
        _ => Step::Now(Ok(n)),
    });
    assert!(start(&port).await.await.expect_err("it panics").is_panic());
    assert_eq!(places(&port), (0, 0));
    assert_eq!(port.call().await, Ok(2));
    assert_eq!((adapter.calls(), places(&port)), (2, (0, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_panic_counts_once() {
    for how in [Panics::Making, Panics::First, Panics::Later] {
        let breaker = CircuitBreaker::new().failure_threshold(2);
        let method = Method::read(
            Policies::new()
                .circuit_breaker(breaker)
                .timeout(Timeout::new(ms(10))),
        );
        assert!(
            tokio::spawn(panicking(method.clone(), how)).await.is_err(),
            "{how:?}"
        );
        assert_eq!(method.circuit().failures(), 1, "{how:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_gives_its_place_to_the_first_waiter() {
    let bulkhead = Bulkhead::new(1).max_queued(1).max_wait(ms(1000));
    let method = Method::read(Policies::new().bulkhead(bulkhead));
    let panics = tokio::spawn(panicking(method.clone(), Panics::Later));
    settle().await;
    assert_eq!(timed(method.call(|| ready(Ok(1)))).await, (Ok(1), ms(10)));
    assert!(panics.await.is_err());
    assert_eq!((method.running(), method.waiting()), (0, 0));
}

// A future that is dropped while somebody else unwinds is a dropped call, not a panic.
#[tokio::test(start_paused = true)]
async fn a_call_dropped_by_somebody_elses_panic_is_a_dropped_call() {
    for (ran_for, state) in [(499, CircuitState::Closed), (500, CircuitState::Open)] {
        let policies = Policies::new()
            .circuit_breaker(first_failure())
            .bulkhead(Bulkhead::new(1))
            .timeout(Timeout::new(ms(1000)));
        let (method, body) = (Method::read(policies), Scripted::new(|_| Step::Hang));
        let mut call = Box::pin(method.call(|| body.call()));
        assert_eq!(call.as_mut().now_or_never(), None);
        tokio::time::advance(ms(ran_for)).await;
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _goes_with_it = call;
            panic!("somebody else's");
        }));
        assert!(unwound.is_err());
        assert_eq!((body.running(), method.running()), (0, 0), "after {ran_for} ms");
        assert_eq!(method.circuit().state(), state, "after {ran_for} ms");
    }
}

/// Cannot say what an error means.
struct Clueless;

impl ErrorMap<Error> for Clueless {
    fn classify(_error: &Error) -> Classification {
        panic!("as the test says")
    }

    fn policy(error: PolicyError) -> Error {
        error.into()
    }
}

// A classifier that panics harms nobody but its call.
#[tokio::test(start_paused = true)]
async fn a_panic_in_the_classification_counts_as_a_failure_and_holds_nothing() {
    let method = Method::read(
        Policies::new()
            .circuit_breaker(first_failure())
            .bulkhead(Bulkhead::new(1))
            .retry(at_once(3)),
    );
    let panics = method.clone();
    let task = tokio::spawn(async move {
        panics
            .call_as::<Clueless, _>(|| ready(Answer::Err(Error::Fault)))
            .await
    });
    let panic = task.await.expect_err("it panics").into_panic();
    assert_eq!(panic.downcast_ref(), Some(&"as the test says"));
    assert_eq!(
        (method.running(), method.circuit().state()),
        (0, CircuitState::Open)
    );
    sleep(ms(1000)).await;
    assert_eq!(
        method.call_as::<Clueless, _>(|| ready(Answer::Ok(1))).await,
        Ok(1)
    );
    assert_eq!(method.circuit().state(), CircuitState::Closed);
}

/// Panics where it is dropped.
struct Grudge;

impl Drop for Grudge {
    fn drop(&mut self) {
        panic!("as the test says");
    }
}

// A body that does not let itself be dropped at its limit holds nothing either.
#[tokio::test(start_paused = true)]
async fn a_panic_in_the_drop_of_a_timed_out_body_counts_as_a_failure_and_holds_nothing() {
    let method = Method::read(
        Policies::new()
            .circuit_breaker(first_failure())
            .bulkhead(Bulkhead::new(1))
            .timeout(Timeout::new(ms(100))),
    );
    let panics = method.clone();
    let task = tokio::spawn(async move {
        let body = async || {
            let _grudge = Grudge;
            sleep(ms(10_000)).await;
            Ok(1)
        };
        panics.call(body).await
    });
    assert!(task.await.expect_err("it panics").is_panic());
    assert_eq!(
        (method.running(), method.circuit().state()),
        (0, CircuitState::Open)
    );
    sleep(ms(1000)).await;
    assert_eq!(method.call(|| ready(Ok(1))).await, Ok(1));
}
