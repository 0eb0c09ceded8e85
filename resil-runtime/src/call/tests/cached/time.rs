//! Deadlines: of those who lead, and of those who wait.

use std::sync::Arc;

use tokio::time::{Instant, advance, sleep};

use super::super::kind;
use super::{Answer, Error, Hours, begin, minute, ms};
use crate::policy::cached::Cached;
use crate::policy::deadline::Deadline;
use crate::{Mode, Policies, PolicyErrorKind, with_deadline};

fn late(answer: &Answer) -> bool {
    kind(answer) == Some(PolicyErrorKind::DeadlineExceeded)
}

#[tokio::test(start_paused = true)]
async fn nobody_sees_the_deadline_of_another() {
    let hours = Hours::new(minute()).answers([(1000, Ok(1)), (1000, Ok(2))]);
    let start = Instant::now();
    let (leader, second, third) = tokio::join!(
        with_deadline(ms(100), hours.find("a")),
        hours.find("a"),
        with_deadline(ms(1200), hours.find("a")),
    );
    assert!(late(&leader));
    assert_eq!((second, third), (Ok(2), Ok(2)));
    assert_eq!((hours.loads(), start.elapsed()), (2, ms(1100)));
}

#[tokio::test(start_paused = true)]
async fn each_waits_within_its_own_deadline() {
    let hours = Hours::new(minute()).answers([(1000, Ok(1))]);
    let start = Instant::now();
    let waiter = async {
        let answer = with_deadline(ms(100), hours.find("a")).await;
        (answer, start.elapsed())
    };
    let (leader, (waiter, took)) = tokio::join!(hours.find("a"), waiter);
    assert_eq!(leader, Ok(1));
    let Err(Error::Policy(error)) = &waiter else {
        panic!("a policy's error")
    };
    assert_eq!(
        (error.kind(), error.not_sent()),
        (PolicyErrorKind::DeadlineExceeded, true)
    );
    assert_eq!((error.method(), took, hours.loads()), ("find", ms(100), 1));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_method_counts_the_wait() {
    let policies = Policies::new().cached(minute()).deadline(Deadline::new(ms(300)));
    let hours = Arc::new(Hours::with(&policies).answers([(1000, Ok(1)), (250, Ok(2)), (250, Ok(3))]));
    let start = Instant::now();
    let leader = begin(&hours, "a").await;
    advance(ms(200)).await;
    // It waits for 100 of its 300, and has 200 left for a load of its own, which are not enough.
    let second = begin(&hours, "a").await;
    advance(ms(50)).await;
    // This one waits for two leaders, and has 50 left.
    let third = begin(&hours, "a").await;
    assert!(late(&leader.await.expect("it ends")));
    assert_eq!(start.elapsed(), ms(300));
    assert!(late(&second.await.expect("it ends")));
    assert_eq!(start.elapsed(), ms(500));
    assert!(late(&third.await.expect("it ends")));
    assert_eq!(start.elapsed(), ms(550));
    assert_eq!((hours.loads(), hours.find_cache.loading()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_comes_in_time_is_shared_under_a_deadline_too() {
    let policies = Policies::new().cached(minute()).deadline(Deadline::new(ms(300)));
    let hours = Hours::with(&policies).answers([(299, Err(Error::Down))]);
    assert_eq!(
        tokio::join!(hours.find("a"), hours.find("a")),
        (Err(Error::Down), Err(Error::Down))
    );
    assert_eq!(hours.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_only_observes_ends_no_wait() {
    let deadline = Deadline::new(ms(100)).mode(Mode::Observe);
    let hours = Hours::with(&Policies::new().cached(minute()).deadline(deadline)).answers([(500, Ok(1))]);
    assert_eq!(tokio::join!(hours.find("a"), hours.find("a")), (Ok(1), Ok(1)));
}

#[tokio::test(start_paused = true)]
async fn who_has_no_time_to_wait_for_a_refresh_gets_the_stale_value() {
    let hours = Hours::new(Cached::new(ms(1000)).stale_if_error(ms(5000)));
    let hours = hours.answers([(0, Ok(1)), (1000, Ok(2)), (1000, Ok(3))]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1000)).await;
    let (waiter, leader) = tokio::join!(
        async {
            sleep(ms(1)).await;
            with_deadline(ms(100), hours.find("a")).await
        },
        hours.find("a"),
    );
    assert_eq!((waiter, leader), (Ok(1), Ok(2)));
    advance(ms(1000)).await;
    // So does a leader whose time is over.
    assert_eq!(with_deadline(ms(100), hours.find("a")).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn what_has_landed_when_the_time_is_over_is_not_thrown_away() {
    let hours = Hours::new(minute()).answers([(100, Ok(1))]);
    let waiter = with_deadline(ms(100), hours.find("a"));
    assert_eq!(tokio::join!(biased; hours.find("a"), waiter), (Ok(1), Ok(1)));
}

#[tokio::test(start_paused = true)]
async fn past_its_deadline_a_hit_still_answers_and_a_load_does_not_begin() {
    let hours = Hours::new(minute());
    assert_eq!(hours.find("a").await, Ok(7));
    let (hit, miss) = with_deadline(ms(10), async {
        sleep(ms(20)).await;
        (hours.find("a").await, hours.find("b").await)
    })
    .await;
    assert_eq!(hit, Ok(7));
    assert!(late(&miss));
    assert_eq!(hours.loads(), 1);
}
