//! RT-6: one layer retries. Where the last nested call of an attempt had a retry and failed all the same, that attempt is not
//! repeated, whatever its error was turned into.

use resil::{CircuitBreaker, Policies, Timeout};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::at_once;
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, fault, is_open, is_timeout, ms};

/// A layer with three attempts.
fn three() -> Method {
    Method::read(Policies::new().retry(at_once(3)))
}

/// A layer without a retry.
fn single() -> Method {
    Method::read(Policies::new().timeout(Timeout::new(ms(60_000))))
}

fn failing() -> Scripted {
    Scripted::new(|_| fault())
}

/// An error of the layer's own, in place of the one from further in.
fn mapped(answer: Answer) -> Answer {
    answer.map_err(|_| Error::Busy { wait: ms(1) })
}

#[tokio::test(start_paused = true)]
async fn two_layers_of_three_make_three_calls() {
    let (outer, inner, body) = (three(), three(), failing());
    assert_eq!(outer.call(|| inner.call(|| body.call())).await, Err(Error::Fault));
    assert_eq!(body.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn two_layers_of_three_make_three_calls_where_the_outer_one_maps_the_error() {
    let (outer, inner, body) = (three(), three(), failing());
    let answer = outer
        .call(async || mapped(inner.call(|| body.call()).await))
        .await;
    assert_eq!(answer, Err(Error::Busy { wait: ms(1) }));
    assert_eq!(body.calls(), 3);
}

/// A failing body under three layers, of which the outer and the inner one have three attempts: with errors passed on as they
/// are, and with errors that each layer turns into its own.
async fn makes_three_calls(middle: Method) {
    let (outer, inner, body) = (three(), three(), failing());
    let _ = outer.call(|| middle.call(|| inner.call(|| body.call()))).await;
    assert_eq!(body.calls(), 3);

    let body = failing();
    let through_inner = async || mapped(inner.call(|| body.call()).await);
    let _ = outer
        .call(async || mapped(middle.call(&through_inner).await))
        .await;
    assert_eq!(body.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn three_layers_of_three_make_three_calls() {
    makes_three_calls(three()).await;
}

#[tokio::test(start_paused = true)]
async fn three_layers_whose_calls_wait_make_three_calls() {
    let (outer, middle, inner) = (three(), three(), three());
    let body = Scripted::new(|_| Step::After(10, Err(Error::Fault)));
    let call = outer.call(async || {
        sleep(ms(1)).await;
        let answer = mapped(middle.call(|| inner.call(|| body.call())).await);
        sleep(ms(1)).await;
        answer
    });
    assert_eq!(timed(call).await.1, ms(32));
    assert_eq!(body.calls(), 3);
}

// The retries were spent below it, so a layer between that has none of its own hides nothing.
#[tokio::test(start_paused = true)]
async fn a_layer_without_a_retry_between_two_with_one_hides_nothing() {
    makes_three_calls(single()).await;
}

#[tokio::test(start_paused = true)]
async fn timeouts_further_in_are_spent_as_well() {
    let (outer, body) = (three(), Scripted::new(|_| Step::Hang));
    let inner = Method::read(Policies::new().retry(at_once(3)).timeout(Timeout::new(ms(50))));
    let (answer, time) = timed(outer.call(|| inner.call(|| body.call()))).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((body.calls(), time), (3, ms(150)));
}

// "Had a retry and failed all the same": also where that retry had no reason to repeat.
#[tokio::test(start_paused = true)]
async fn a_permanent_failure_further_in_is_not_repeated_under_another_name() {
    let (outer, inner) = (three(), three());
    let body = Scripted::new(|_| Step::Now(Err(Error::Permanent)));
    let _ = outer
        .call(async || mapped(inner.call(|| body.call()).await))
        .await;
    assert_eq!(body.calls(), 1);
}

// A refusal is an answer, on which no retry was spent.
#[tokio::test(start_paused = true)]
async fn a_refusal_further_in_that_is_a_failure_further_out_is_repeated_there() {
    let (outer, inner) = (three(), three());
    let body = Scripted::new(|_| Step::Now(Err(Error::Refusal)));
    let _ = outer
        .call(async || mapped(inner.call(|| body.call()).await))
        .await;
    assert_eq!(body.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_open_circuit_further_in_is_not_repeated_under_another_name() {
    let (outer, body) = (three(), failing());
    let inner = Method::read(
        Policies::new()
            .retry(at_once(3))
            .circuit_breaker(CircuitBreaker::new()),
    );
    inner.circuit().force_open();
    let mut entered = 0;
    let call = outer.call(|| {
        entered += 1;
        inner.call(|| body.call())
    });
    assert!(is_open(&call.await));
    assert_eq!((entered, body.calls()), (1, 0));

    let entries = failing();
    let call = outer.call(async || {
        let _ = entries.call().await;
        mapped(inner.call(|| body.call()).await)
    });
    assert_eq!(call.await, Err(Error::Busy { wait: ms(1) }));
    assert_eq!((entries.calls(), body.calls()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_nested_call_without_a_retry_is_repeated_by_the_layer_that_has_one() {
    let (outer, inner, body) = (three(), single(), failing());
    let _ = outer.call(|| inner.call(|| body.call())).await;
    assert_eq!(body.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_last_nested_call_decides() {
    let (outer, inner, later) = (three(), three(), single());
    // A call without a retry came later, and failed: 3 attempts, of which each spends 3 further in.
    let (first, second) = (failing(), failing());
    let call = outer.call(async || {
        let _ = inner.call(|| first.call()).await;
        later.call(|| second.call()).await
    });
    assert_eq!(call.await, Err(Error::Fault));
    assert_eq!((first.calls(), second.calls()), (9, 3));

    // One with a retry came later, and succeeded; the adapter itself fails after that.
    let (first, second) = (failing(), Scripted::new(|n| Step::Now(Ok(n))));
    let call = outer.call(async || {
        let _ = inner.call(|| first.call()).await;
        let _ = inner.call(|| second.call()).await;
        Err(Error::Fault)
    });
    assert_eq!(call.await, Err(Error::Fault));
    assert_eq!((first.calls(), second.calls()), (9, 3));
}

#[tokio::test(start_paused = true)]
async fn a_nested_call_that_was_repeated_with_success_spends_nothing() {
    let (outer, inner) = (three(), three());
    let body = Scripted::new(|n| if n % 2 == 1 { fault() } else { Step::Now(Ok(n)) });
    let call = outer.call(async || {
        assert!(inner.call(|| body.call()).await.is_ok());
        Err(Error::Fault)
    });
    assert_eq!(call.await, Err(Error::Fault));
    assert_eq!(body.calls(), 6);
}

// A spawned task is not nested.
#[tokio::test(start_paused = true)]
async fn what_runs_in_a_spawned_task_is_another_call() {
    let (outer, inner, body) = (three(), three(), failing());
    let call = outer.call(|| {
        let (inner, body) = (inner.clone(), body.clone());
        async move {
            let task = tokio::spawn(async move { inner.call(|| body.call()).await });
            task.await.expect("it does not panic")
        }
    });
    assert_eq!(call.await, Err(Error::Fault));
    assert_eq!(body.calls(), 9);
}

#[tokio::test(start_paused = true)]
async fn calls_beside_each_other_on_one_thread_do_not_mix() {
    let slow = || Scripted::new(|_| Step::After(10, Err(Error::Fault)));
    let (outer, inner, nested) = (three(), three(), slow());
    let (plain, beside) = (three(), slow());
    let _ = tokio::join!(
        outer.call(|| inner.call(|| nested.call())),
        plain.call(|| beside.call()),
    );
    assert_eq!((nested.calls(), beside.calls()), (3, 3));

    // Nor does one that came before on this thread.
    let body = failing();
    let _ = plain.call(|| body.call()).await;
    assert_eq!(body.calls(), 3);
}

// Nested calls beside each other within one attempt: both fail with their retries spent, so the attempt is not repeated.
#[tokio::test(start_paused = true)]
async fn nested_calls_beside_each_other_spend_their_retries_once() {
    let (outer, inner) = (three(), three());
    let (left, right) = (failing(), Scripted::new(|_| Step::After(10, Err(Error::Fault))));
    let call = outer.call(async || {
        let (left, right) = tokio::join!(inner.call(|| left.call()), inner.call(|| right.call()));
        left.and(right)
    });
    assert_eq!(call.await, Err(Error::Fault));
    assert_eq!((left.calls(), right.calls()), (3, 3));
}
