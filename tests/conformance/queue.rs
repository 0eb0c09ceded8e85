//! Who waits for a place of the bulkhead, and who gives up waiting (BH-1 to BH-4, and the rows on queues).

use std::sync::Arc;

use futures::FutureExt;
use resil::{Bulkhead, Policies, PolicyErrorKind};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::clock::timed;
use crate::given::{circuit, gated, places, queue};
use crate::support::{Port, ResilientScripted, Scripted, Step, is_full, is_open, ms, settle, start, wrap};

/// A port under this bulkhead whose calls all wait for a permit of the gate.
fn behind(bulkhead: Bulkhead) -> (ResilientScripted, Scripted, Arc<Semaphore>) {
    gated(Policies::new().bulkhead(bulkhead), Ok)
}

// BH-1: who gave up waiting leaves the queue, and never owns a place
#[tokio::test(start_paused = true)]
async fn waiters_that_gave_up_take_no_places() {
    let (port, adapter, gate) = behind(Bulkhead::new(8).max_queued(8).max_wait(ms(100)));
    for round in 0..3 {
        let mut running = Vec::new();
        for _ in 0..8 {
            running.push(start(&port).await);
        }
        let mut waiting = Vec::new();
        for _ in 0..8 {
            waiting.push(start(&port).await);
        }
        assert_eq!(places(&port), (8, 8), "round {round}");
        for waiter in waiting {
            let (answer, _) = timed(waiter).await;
            assert!(is_full(&answer.expect("it does not panic")), "round {round}");
        }
        assert_eq!(places(&port), (8, 0), "round {round}");

        for _ in 0..8 {
            let waiter = start(&port).await;
            waiter.abort();
        }
        settle().await;
        assert_eq!(places(&port), (8, 0), "round {round}");

        gate.add_permits(8);
        for call in running {
            assert!(call.await.expect("it does not panic").is_ok(), "round {round}");
        }
        assert_eq!(places(&port), (0, 0), "round {round}");
    }
    assert_eq!(adapter.calls(), 24);
}

// BH-4: only who holds a place gives one back, so the limit never rises
#[tokio::test(start_paused = true)]
async fn neither_refused_nor_dropped_waiters_add_places() {
    let (port, adapter, gate) = behind(queue(2, 50));
    for _ in 0..2 {
        start(&port).await;
    }
    let mut waiting = Vec::new();
    for _ in 0..50 {
        waiting.push(start(&port).await);
    }
    for _ in 0..50 {
        assert!(is_full(&port.call().await));
    }
    for waiter in &waiting {
        waiter.abort();
    }
    settle().await;
    assert_eq!(places(&port), (2, 0));
    gate.add_permits(2);
    settle().await;
    for _ in 0..3 {
        start(&port).await;
    }
    assert_eq!((adapter.running(), places(&port)), (2, (2, 1)));

    let (port, adapter, gate) = behind(Bulkhead::new(2));
    for _ in 0..2 {
        start(&port).await;
    }
    for _ in 0..50 {
        assert!(is_full(&port.call().await));
    }
    gate.add_permits(2);
    settle().await;
    for _ in 0..2 {
        start(&port).await;
    }
    assert!(is_full(&port.call().await));
    assert_eq!((adapter.running(), places(&port)), (2, (2, 0)));
}

// BH-3, and 201: SemaphoreBulkheadTest.testZeroMaxConcurrentCalls; a size of zero or beyond the limits is an error where the
// policies are stated, and the largest legal one works
#[tokio::test(start_paused = true)]
async fn sizes_outside_the_limits_are_refused() {
    let rows = [
        Bulkhead::new(0),
        Bulkhead::new(1_000_001),
        Bulkhead::new(u32::MAX),
        queue(1, 1_000_001),
        queue(1, u32::MAX),
        Bulkhead::new(1).max_queued(1),
    ];
    for bulkhead in rows {
        assert!(
            Policies::new().bulkhead(bulkhead).check().is_err(),
            "{bulkhead:?}"
        );
    }
    let (port, adapter, _gate) = behind(queue(1, 1_000_000));
    start(&port).await;
    start(&port).await;
    assert_eq!((adapter.calls(), places(&port)), (1, (1, 1)));
    assert!(
        Policies::new()
            .bulkhead(queue(1_000_000, 1_000_000))
            .check()
            .is_ok()
    );
}

// 200: SemaphoreBulkheadTest.shouldHandleTimeoutBehavior…
#[tokio::test(start_paused = true)]
async fn a_waiter_is_refused_once_its_wait_is_over() {
    let (port, adapter, _gate) = behind(Bulkhead::new(1).max_queued(1).max_wait(ms(50)));
    start(&port).await;
    let (answer, time) = timed(port.call()).await;
    assert!(is_full(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (1, ms(50)));
}

// 253: Bulkhead: wait, full, short wait
#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_a_place_or_with_its_limit() {
    let (port, adapter, gate) = behind(Bulkhead::new(2).max_queued(1).max_wait(ms(1000)));
    for _ in 0..2 {
        start(&port).await;
    }
    let waiter = start(&port).await;
    sleep(ms(200)).await;
    gate.add_permits(1);
    settle().await;
    assert_eq!((adapter.calls(), adapter.running()), (3, 2));
    gate.add_permits(2);
    assert_eq!(timed(waiter).await.0.expect("it does not panic"), Ok(3));

    let (port, adapter, _gate) = behind(Bulkhead::new(2).max_queued(1).max_wait(ms(20)));
    for _ in 0..2 {
        start(&port).await;
    }
    let (answer, time) = timed(port.call()).await;
    assert!(is_full(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (2, ms(20)));

    // A place that is free is not waited for.
    let shortest = Bulkhead::new(1)
        .max_queued(1)
        .max_wait(std::time::Duration::from_nanos(1));
    let (port, _, gate) = behind(shortest);
    gate.add_permits(1);
    assert_eq!(port.call().await, Ok(1));
}

// The wait that is bounded is the one for a place, not what comes after it.
#[tokio::test(start_paused = true)]
async fn the_limit_of_the_wait_does_not_reach_into_the_attempt() {
    let policies = Policies::new().bulkhead(Bulkhead::new(1).max_queued(1).max_wait(ms(50)));
    let (port, _) = wrap(policies, |n| Step::After(if n == 1 { 30 } else { 500 }, Ok(n)));
    start(&port).await;
    assert_eq!(timed(port.call()).await, (Ok(2), ms(530)));
}

// 266: cockatiel BulkheadPolicy: next queued item runs when the previous was aborted
#[tokio::test(start_paused = true)]
async fn the_next_waiter_is_served_where_the_one_before_it_was_dropped() {
    let (port, adapter, gate) = behind(queue(1, 5));
    start(&port).await;
    let b = start(&port).await;
    let c = start(&port).await;
    b.abort();
    settle().await;
    gate.add_permits(2);
    assert_eq!(c.await.expect("it does not panic"), Ok(2));
    assert_eq!((adapter.calls(), places(&port)), (2, (0, 0)));
}

// 88: AsyncCancellationTest.testCancelledButRemainsInBulkhead; a dropped call holds nothing
#[tokio::test(start_paused = true)]
async fn a_dropped_call_gives_its_place_to_the_first_waiter() {
    let (port, adapter, gate) = behind(queue(1, 1));
    let a = start(&port).await;
    let b = start(&port).await;
    a.abort();
    settle().await;
    assert_eq!(
        (adapter.calls(), adapter.running(), places(&port)),
        (2, 1, (1, 0))
    );
    gate.add_permits(1);
    assert_eq!(b.await.expect("it does not panic"), Ok(2));
}

// 89: AsyncCancellationTest.testCancelledWhileQueued
#[tokio::test(start_paused = true)]
async fn a_dropped_waiter_never_starts_and_its_room_can_be_used() {
    let (port, adapter, gate) = behind(queue(1, 1));
    let a = start(&port).await;
    let b = start(&port).await;
    b.abort();
    settle().await;
    assert_eq!(places(&port), (1, 0));
    let c = start(&port).await;
    assert_eq!(places(&port), (1, 1));
    gate.add_permits(2);
    assert_eq!(a.await.expect("it does not panic"), Ok(1));
    assert_eq!(c.await.expect("it does not panic"), Ok(2));
    assert_eq!(adapter.calls(), 2);
}

// A place that was given to a waiter which is dropped before it runs goes to the next one.
#[tokio::test(start_paused = true)]
async fn a_place_that_its_owner_never_saw_goes_on() {
    let (port, adapter, gate) = behind(queue(1, 5));
    let a = start(&port).await;
    let b = start(&port).await;
    let c = start(&port).await;
    // `a` leaves its place to `b`, which is dropped in the same breath.
    a.abort();
    b.abort();
    settle().await;
    assert_eq!((adapter.running(), places(&port)), (1, (1, 0)));
    gate.add_permits(1);
    assert_eq!(c.await.expect("it does not panic"), Ok(2));
    assert_eq!(places(&port), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn waiters_are_served_in_the_order_in_which_they_came() {
    let (port, _, gate) = behind(queue(1, 100));
    let mut calls = Vec::new();
    for _ in 0..50 {
        calls.push(start(&port).await);
    }
    gate.add_permits(50);
    for (number, call) in (1..).zip(calls) {
        assert_eq!(call.await.expect("it does not panic"), Ok(number));
    }
}

// A waiter is polled by whoever else it is joined with; that must not cost it its turn.
#[tokio::test(start_paused = true)]
async fn a_waiter_that_is_polled_in_vain_keeps_its_turn() {
    let (port, adapter, gate) = behind(queue(1, 2));
    start(&port).await;
    let waits = port.call();
    tokio::pin!(waits);
    for _ in 0..10 {
        assert!(timeout(ms(1), &mut waits).await.is_err());
    }
    let later = start(&port).await;
    gate.add_permits(3);
    assert_eq!(waits.await, Ok(2));
    assert_eq!(later.await.expect("it does not panic"), Ok(3));
    assert_eq!(adapter.calls(), 3);
}

// Who polled a waiter last is who is woken.
#[tokio::test(start_paused = true)]
async fn a_waiter_may_go_from_one_task_to_another() {
    let (port, adapter, gate) = behind(queue(1, 1));
    start(&port).await;
    let waiter = port.clone();
    let mut waits = Box::pin(async move { waiter.call().await });
    assert_eq!(waits.as_mut().now_or_never(), None);
    assert_eq!(places(&port), (1, 1));
    let waits = tokio::spawn(waits);
    settle().await;
    gate.add_permits(2);
    assert_eq!(timed(waits).await.0.expect("it does not panic"), Ok(2));
    assert_eq!(adapter.calls(), 2);
}

// One whose circuit opened while it waited is refused as such.
#[tokio::test(start_paused = true)]
async fn a_waiter_whose_circuit_opened_is_refused_by_the_circuit() {
    let (port, adapter, gate) = behind(queue(1, 2));
    start(&port).await;
    let b = start(&port).await;
    circuit(&port).force_open();
    gate.add_permits(2);
    let answer = b.await.expect("it does not panic");
    assert!(is_open(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), places(&port)), (1, (0, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_waiter_whose_circuit_opened_is_refused_by_the_circuit_also_when_its_wait_is_over() {
    let (port, adapter, _gate) = behind(Bulkhead::new(1).max_queued(1).max_wait(ms(50)));
    start(&port).await;
    let b = start(&port).await;
    circuit(&port).force_open();
    let answer = b.await.expect("it does not panic");
    assert_eq!(
        answer.expect_err("it had no place").kind(),
        Some(PolicyErrorKind::CircuitOpen)
    );
    assert_eq!((adapter.calls(), places(&port)), (1, (1, 0)));
}
