//! Retries and places of the bulkhead: each attempt asks anew.

use resil::{Bulkhead, Policies, Retry};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::{a_second_later, at_once, gated, places, queue};
use crate::support::{Answer, Error, Port, Step, is_full, ms, settle, start, wrap};

/// Only the first call fails.
fn first_fails(n: u32) -> Answer {
    if n == 1 { Err(Error::Fault) } else { Ok(n) }
}

// 63: BulkheadAsynchRetryTest.testBulkheadExceptionThrown{Class,Method}Async; a full bulkhead is not repeated
#[tokio::test(start_paused = true)]
async fn a_full_bulkhead_is_not_retried() {
    let policies = Policies::new()
        .retry(at_once(11).budget_off())
        .bulkhead(queue(5, 5));
    let (port, adapter) = wrap(policies, |_| Step::Hang);
    for _ in 0..10 {
        start(&port).await;
    }
    let (answer, time) = timed(port.call()).await;
    assert!(is_full(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (5, ms(0)));
}

// 64: BulkheadAsynchRetryTest.testRetriesReenterBulkhead
#[tokio::test(start_paused = true)]
async fn a_retry_asks_for_a_place_anew() {
    let policies = Policies::new().retry(a_second_later()).bulkhead(queue(1, 1));
    let (port, adapter, gate) = gated(policies, first_fails);
    let a = start(&port).await;
    let b = start(&port).await;
    gate.add_permits(1);
    settle().await;
    assert_eq!(
        (adapter.calls(), places(&port)),
        (2, (1, 0)),
        "b runs while a waits for its retry"
    );
    let c = start(&port).await;
    let (a, time) = timed(a).await;
    assert!(is_full(&a.expect("it does not panic")));
    assert_eq!(time, ms(1000));
    gate.add_permits(2);
    assert_eq!(b.await.expect("it does not panic"), Ok(2));
    assert_eq!(c.await.expect("it does not panic"), Ok(3));
}

// 65: BulkheadAsynchRetryTest.testRetriesJoinBackOfQueue
#[tokio::test(start_paused = true)]
async fn a_retry_goes_to_the_back_of_the_queue() {
    let policies = Policies::new().retry(at_once(2)).bulkhead(queue(1, 5));
    let (port, adapter, gate) = gated(policies, |n| {
        if n == 1 || n == 4 {
            Err(Error::Fault)
        } else {
            Ok(n)
        }
    });
    let a = start(&port).await;
    let b = start(&port).await;
    let c = start(&port).await;
    gate.add_permits(1);
    settle().await;
    assert_eq!((adapter.calls(), places(&port)), (2, (1, 2)));
    gate.add_permits(3);
    assert_eq!(b.await.expect("it does not panic"), Ok(2));
    assert_eq!(c.await.expect("it does not panic"), Ok(3));
    assert_eq!(a.await.expect("it does not panic"), Err(Error::Fault));
    assert_eq!(adapter.calls(), 4);
}

// 66: BulkheadAsynchRetryTest.testNoRetriesWithoutRetryOn
#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_without_a_wait() {
    let retry = a_second_later();
    let (port, adapter) = wrap(Policies::new().retry(retry).bulkhead(queue(1, 1)), |_| Step::Hang);
    start(&port).await;
    start(&port).await;
    let (answer, time) = timed(port.call()).await;
    assert!(is_full(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (1, ms(0)));
}

// 67: BulkheadSynchRetryTest.testRetryTestException{Class,Method}
#[tokio::test(start_paused = true)]
async fn a_retry_finds_its_place_taken() {
    let policies = Policies::new().retry(a_second_later()).bulkhead(Bulkhead::new(1));
    let (port, adapter, gate) = gated(policies, first_fails);
    let a = start(&port).await;
    gate.add_permits(1);
    settle().await;
    sleep(ms(100)).await;
    let b = start(&port).await;
    let (a, time) = timed(a).await;
    assert!(is_full(&a.expect("it does not panic")));
    assert_eq!((adapter.calls(), time), (2, ms(900)));
    gate.add_permits(1);
    assert_eq!(b.await.expect("it does not panic"), Ok(2));
}

// 68: BulkheadSynchRetryTest.testNoRetriesWithoutRetryOn, 69: BulkheadSynchRetryTest.testNoRetriesWithAbortOn,
// 70: BulkheadSynchRetryTest.testRetryBulkheadException{Method,Class}, whose second call waits for the first by its retries:
// here it is refused as well
#[tokio::test(start_paused = true)]
async fn no_retry_waits_for_a_place() {
    for (row, attempts, base) in [("68", 2, 1000), ("69", 2, 1000), ("70", 100_000, 100)] {
        let retry = Retry::attempts(attempts).base(ms(base)).budget_off();
        let policies = Policies::new().retry(retry).bulkhead(Bulkhead::new(1));
        let (port, adapter, gate) = gated(policies, Ok);
        let a = start(&port).await;
        let (answer, time) = timed(port.call()).await;
        assert!(is_full(&answer), "row {row}: {answer:?}");
        assert_eq!(time, ms(0), "row {row}");
        gate.add_permits(1);
        assert_eq!(a.await.expect("it does not panic"), Ok(1), "row {row}");
        assert_eq!(adapter.calls(), 1, "row {row}");
    }
}
