//! How many attempts run at once, how many wait, and in which order.

use resil::{Bulkhead, Policies};
use tokio::time::{advance, sleep};

use crate::clock::timed;
use crate::given::{gated, places, queue};
use crate::method::{Method, READ, WRITE, bound};
use crate::support::{Answer, Error, Port, Step, fault, is_full, ms, settle, start, wrap};

// Not here, with the reason:
//   57 (its default)   a bulkhead has no default size: what waits without a word is nobody
//   62                 configuration files are a later issue

/// Fills `running` places and `waiting` places of the queue, sees the next call refused, frees one place, and sees it given
/// to exactly one of those who wait, and the queue's place to exactly one new call.
async fn overflow(row: &str, bulkhead: Bulkhead, running: u32, waiting: u32) {
    let (port, adapter, gate) = gated(Policies::new().bulkhead(bulkhead), Ok);
    let mut calls = Vec::new();
    for _ in 0..running + waiting {
        calls.push(start(&port).await);
    }
    assert_eq!(
        (adapter.running(), places(&port)),
        (running, (running, waiting)),
        "row {row}"
    );
    assert_eq!(timed(port.call()).await.1, ms(0), "row {row}");
    assert!(is_full(&port.call().await), "row {row}");

    gate.add_permits(1);
    settle().await;
    let first = calls.remove(0).await.expect("it does not panic");
    assert_eq!(first, Ok(1), "row {row}");
    let served = u32::from(waiting > 0);
    assert_eq!(
        places(&port),
        (running - 1 + served, waiting - served),
        "row {row}"
    );
    calls.push(start(&port).await);
    assert_eq!(
        (adapter.running(), places(&port)),
        (running, (running, waiting)),
        "row {row}"
    );
    assert!(is_full(&port.call().await), "row {row}");

    gate.add_permits(1000);
    for call in calls {
        assert!(call.await.expect("it does not panic").is_ok(), "row {row}");
    }
    assert_eq!(
        (places(&port), adapter.most_at_once()),
        ((0, 0), running),
        "row {row}"
    );
    assert_eq!(adapter.calls(), running + waiting + 1, "row {row}");
}

#[tokio::test(start_paused = true)]
async fn who_finds_neither_a_place_nor_room_to_wait_is_refused_at_once() {
    // 55: BulkheadAsynchTest.testBulkhead{Class,Method}Asynchronous10
    overflow("55", queue(10, 10), 10, 10).await;
    // 56: BulkheadAsynchTest.testBulkhead{Class,Method}Asynchronous3
    overflow("56", queue(3, 10), 3, 10).await;
    // 57: BulkheadAsynchTest.testBulkhead{Class,Method}AsynchronousDefault; the default queue is none
    overflow("57", Bulkhead::new(10), 10, 0).await;
    // 59: BulkheadSynchTest.testBulkhead{Class,Method}Semaphore3
    overflow("59", Bulkhead::new(3), 3, 0).await;
    // 60: BulkheadSynchTest.testBulkhead{Class,Method}Semaphore10
    overflow("60", Bulkhead::new(10).max_queued(0), 10, 0).await;
    // 61: BulkheadSynchTest.testSemaphoreWaitingTaskQueueIgnored; here every method can wait, unless it may not wait at all
    overflow("61, a queue", queue(3, 5), 3, 5).await;
    overflow(
        "61, no wait",
        Bulkhead::new(3).max_queued(5).max_wait(ms(0)),
        3,
        0,
    )
    .await;
}

// 58: BulkheadAsynchTest.testBulkheadCompletionStage
#[tokio::test(start_paused = true)]
async fn a_place_is_held_until_the_future_has_completed() {
    let (port, adapter, gate) = gated(Policies::new().bulkhead(queue(2, 2)), Ok);
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(start(&port).await);
        sleep(ms(200)).await;
    }
    assert!(is_full(&port.call().await));
    assert_eq!((adapter.calls(), adapter.running()), (2, 2));
    gate.add_permits(4);
    for (number, call) in (1..).zip(calls) {
        assert_eq!(call.await.expect("it does not panic"), Ok(number));
    }
    assert_eq!(adapter.most_at_once(), 2);
}

/// A hundred calls of 50 ms, one every so many milliseconds: how many were answered, and the most at once.
async fn pressure(bulkhead: Bulkhead, every: u64) -> (usize, u32) {
    let (port, adapter) = wrap(Policies::new().bulkhead(bulkhead), |n| Step::After(50, Ok(n)));
    let mut calls = Vec::new();
    for _ in 0..100 {
        calls.push(start(&port).await);
        advance(ms(every)).await;
    }
    let mut answered = 0;
    for call in calls {
        let answer = call.await.expect("it does not panic");
        assert!(answer.is_ok() || is_full(&answer), "{answer:?}");
        answered += usize::from(answer.is_ok());
    }
    assert_eq!(places(&port), (0, 0));
    (answered, adapter.most_at_once())
}

#[tokio::test(start_paused = true)]
async fn under_pressure_no_more_than_the_stated_number_run() {
    // 71: BulkheadPressureTest.testBulkheadPressureSync, 72: …Async; two or three overlap, so none is refused
    for (row, bulkhead) in [("71", Bulkhead::new(5)), ("72", queue(5, 5))] {
        let (answered, most) = pressure(bulkhead, 25).await;
        assert_eq!(answered, 100, "row {row}");
        assert!(most <= 3, "row {row}: {most} at once");
    }
    // With ten that overlap about half go through.
    for (row, bulkhead) in [("71", Bulkhead::new(5)), ("72", queue(5, 5))] {
        let (answered, most) = pressure(bulkhead, 4).await;
        assert!((30..70).contains(&answered), "row {row}: {answered} of 100");
        assert_eq!(most, 5, "row {row}");
    }
}

// 73: BulkheadLifecycleTest.noSharingBetweenMethodsOfOneClass; here nothing is shared between instances either
#[tokio::test(start_paused = true)]
async fn instances_and_methods_have_a_bulkhead_each() {
    let mut methods = Vec::new();
    for _ in 0..2 {
        let instance = bound(Policies::new().bulkhead(Bulkhead::new(4)));
        methods.push(Method::of(&instance, &READ));
        methods.push(Method::of(&instance, &WRITE));
    }
    for method in &methods {
        for _ in 0..4 {
            let method = method.clone();
            tokio::spawn(async move { method.call(std::future::pending::<Answer>).await });
        }
    }
    settle().await;
    for method in &methods {
        assert_eq!(method.running(), 4);
        assert!(is_full(&method.call(async || Ok(1)).await));
    }
}

// 199: SemaphoreBulkheadTest.shouldHandleBasicBulkheadOperations…
#[tokio::test(start_paused = true)]
async fn places_are_counted_up_and_down() {
    let (port, _, gate) = gated(Policies::new().bulkhead(Bulkhead::new(2)), Ok);
    start(&port).await;
    assert_eq!(places(&port), (1, 0));
    start(&port).await;
    assert_eq!(places(&port), (2, 0));
    assert!(is_full(&port.call().await));
    gate.add_permits(1);
    settle().await;
    assert_eq!(places(&port), (1, 0));
    gate.add_permits(1);
    settle().await;
    assert_eq!(places(&port), (0, 0));
    start(&port).await;
    assert_eq!(places(&port), (1, 0));
}

// A failure gives its place back as a success does.
#[tokio::test(start_paused = true)]
async fn each_outcome_gives_its_place_back() {
    let (port, adapter) = wrap(Policies::new().bulkhead(Bulkhead::new(1)), |n| match n {
        1 => fault(),
        2 => Step::Now(Err(Error::Refusal)),
        3 => Step::Now(Err(Error::Permanent)),
        4 => Step::After(10, Err(Error::Fault)),
        _ => Step::Now(Ok(n)),
    });
    for _ in 0..4 {
        assert!(port.call().await.is_err());
        assert_eq!(places(&port), (0, 0));
    }
    assert_eq!(port.call().await, Ok(5));
    assert_eq!(adapter.calls(), 5);
}
