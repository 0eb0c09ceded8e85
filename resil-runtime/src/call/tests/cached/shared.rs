//! Concurrent misses of one key, and what becomes of those who wait when the one who leads goes.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::advance;

use super::{Error, Hours, begin, minute, ms, settle};

#[tokio::test(start_paused = true)]
async fn a_thousand_misses_make_one_load() {
    let hours = Arc::new(Hours::new(minute()).answers([(50, Ok(1))]));
    let calls: Vec<_> = (0..1000)
        .map(|_| {
            let hours = Arc::clone(&hours);
            tokio::spawn(async move { hours.find("a").await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.expect("no task panics"), Ok(1));
    }
    assert_eq!((hours.loads(), hours.find_cache.loading()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn misses_of_other_keys_do_not_wait() {
    let hours = Hours::new(minute()).answers([(50, Ok(1)), (10, Ok(2))]);
    let both = async { tokio::join!(hours.find("a"), hours.find("b")) };
    assert_eq!(both.await, (Ok(1), Ok(2)));
    assert_eq!(hours.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_next_caller_leads_where_the_leader_is_aborted() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (1000, Ok(2))]));
    let leader = begin(&hours, "a").await;
    advance(ms(500)).await;
    leader.abort();
    settle().await;
    assert_eq!((hours.find_cache.loading(), hours.dropped()), (0, 1));
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(2), 2));
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_dropped_hands_over_to_one_who_waits() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (1000, Ok(2))]));
    let leader = begin(&hours, "a").await;
    let waiters = [
        begin(&hours, "a").await,
        begin(&hours, "a").await,
        begin(&hours, "a").await,
    ];
    leader.abort();
    for waiter in waiters {
        assert_eq!(waiter.await.expect("it was not aborted"), Ok(2));
    }
    assert_eq!((hours.loads(), hours.dropped()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn the_load_is_dropped_with_the_last_who_waits() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (1000, Ok(2))]));
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(begin(&hours, "a").await);
    }
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    settle().await;
    // The first was dropped, and so was every other one whether or not it had begun to lead.
    assert_eq!(hours.dropped(), hours.loads());
    assert_eq!((hours.find_cache.loading(), hours.find_cache.len()), (0, 0));
    assert_eq!(Arc::strong_count(&hours), 1);
}

#[tokio::test(start_paused = true)]
async fn who_waits_may_leave_without_harm_to_the_others() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1))]));
    let leader = begin(&hours, "a").await;
    let (gone, stays) = (begin(&hours, "a").await, begin(&hours, "a").await);
    gone.abort();
    settle().await;
    let late = begin(&hours, "a").await;
    for call in [leader, stays, late] {
        assert_eq!(call.await.expect("it was not aborted"), Ok(1));
    }
    assert_eq!(hours.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn five_hundred_leaders_lost_in_a_row_are_no_panic() {
    let lost = 500;
    let hours = Arc::new(Hours::new(minute()).answers((0..lost).map(|_| (1000, Ok(1)))));
    let mut leader = begin(&hours, "a").await;
    let mut waiters = VecDeque::new();
    for _ in 0..4 {
        waiters.push_back(begin(&hours, "a").await);
    }
    for _ in 0..lost {
        leader.abort();
        settle().await;
        // The longest of them leads now, and a new one waits in its place.
        leader = waiters.pop_front().expect("four of them wait");
        waiters.push_back(begin(&hours, "a").await);
    }
    waiters.push_front(leader);
    for waiter in waiters {
        assert_eq!(waiter.await.expect("it was not aborted"), Ok(7));
    }
    assert_eq!((hours.loads(), hours.dropped()), (lost + 1, lost));
    assert_eq!(hours.find_cache.loading(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_panics_harms_nobody_else() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (0, Ok(2))]));
    let panicking = Arc::clone(&hours);
    let leader = tokio::spawn(async move {
        let load = || async {
            tokio::time::sleep(ms(100)).await;
            assert!(panicking.loads() > 0, "the adapter has a fault");
            Ok::<u32, Error>(0)
        };
        let key = crate::private::Key::of(("a",));
        let (state, slot) = (&panicking.find, &panicking.find_cache);
        crate::private::cached(state, slot, key, None, None, load).await
    });
    settle().await;
    let waiter = begin(&hours, "a").await;
    assert!(leader.await.expect_err("it panics").is_panic());
    assert_eq!(waiter.await.expect("it does not panic"), Ok(1));
    assert_eq!((hours.loads(), hours.find_cache.loading()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_while_it_loads_is_not_kept() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (500, Ok(2))]));
    let (leader, waiter) = (begin(&hours, "a").await, begin(&hours, "a").await);
    hours.invalidate_find("a");
    // Who comes later does not join, and what it loads is kept, though the older load ends later.
    let later = begin(&hours, "a").await;
    assert_eq!(hours.loads(), 2);
    assert_eq!(later.await.expect("it ends"), Ok(2));
    assert_eq!(leader.await.expect("it ends"), Ok(1));
    assert_eq!(waiter.await.expect("it ends"), Ok(1));
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(2), 2));
}

#[tokio::test(start_paused = true)]
async fn what_is_cleared_while_it_loads_is_not_kept() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (0, Ok(2))]));
    let leader = begin(&hours, "a").await;
    hours.find_cache.clear();
    assert_eq!(leader.await.expect("it ends"), Ok(1));
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(2), 2));
}

#[tokio::test(start_paused = true)]
async fn a_leader_lost_after_its_key_was_forgotten_hands_over_all_the_same() {
    let hours = Arc::new(Hours::new(minute()).answers([(1000, Ok(1)), (1000, Ok(2))]));
    let (leader, waiter) = (begin(&hours, "a").await, begin(&hours, "a").await);
    hours.invalidate_find("a");
    leader.abort();
    assert_eq!(waiter.await.expect("it ends"), Ok(2));
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(2), 2));
}
