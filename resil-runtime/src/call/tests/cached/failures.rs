//! Loads that fail: what the others get, and what is served instead.

use std::sync::Arc;

use tokio::time::advance;

use super::super::kind;
use super::{Answer, Error, Hours, begin, minute, ms};
use crate::policy::cached::Cached;
use crate::policy::retry::{Jitter, Retry};
use crate::{Class, Policies, PolicyErrorKind};

async fn three(hours: &Arc<Hours>) -> [Answer; 3] {
    let calls = [
        begin(hours, "a").await,
        begin(hours, "a").await,
        begin(hours, "a").await,
    ];
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.expect("no task panics"));
    }
    answers.try_into().expect("three calls")
}

#[tokio::test(start_paused = true)]
async fn who_waits_gets_a_copy_of_the_error() {
    for error in [Error::Down, Error::Refused] {
        let hours = Arc::new(Hours::new(minute()).answers([(100, Err(error.clone())), (0, Ok(2))]));
        assert_eq!(three(&hours).await, [(); 3].map(|()| Err(error.clone())));
        assert_eq!(hours.loads(), 1);
        assert_eq!(hours.find("a").await, Ok(2));
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_that_cannot_be_copied_arrives_as_a_failed_load() {
    let hours = Arc::new(Hours::new(minute()).unshared().answers([(100, Err(Error::Down))]));
    let [leader, second, third] = three(&hours).await;
    assert_eq!((leader, &second), (Err(Error::Down), &third));
    let Err(Error::Policy(error)) = second else {
        panic!("a policy's error")
    };
    assert_eq!(
        (error.kind(), error.class()),
        (PolicyErrorKind::LoadFailed, Some(Class::Transient))
    );
    assert_eq!(error.code().map(crate::Code::as_str), Some("down"));
    assert_eq!((error.port(), error.method()), ("Hours", "find"));
    assert!(!error.not_sent());
    assert_eq!((hours.loads(), hours.find_cache.loading()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn where_a_refusal_cannot_be_copied_each_asks_for_itself_at_once() {
    let refused = || (100, Err(Error::Refused));
    let hours = Arc::new(Hours::new(minute()).unshared().answers([
        refused(),
        (100, Err(Error::Refused)),
        (100, Ok(3)),
    ]));
    let start = tokio::time::Instant::now();
    let [leader, second, third] = three(&hours).await;
    assert_eq!(
        (leader, second, third),
        (Err(Error::Refused), Err(Error::Refused), Ok(3))
    );
    // Not one after the other.
    assert_eq!((hours.loads(), start.elapsed()), (3, ms(200)));
    assert_eq!(hours.find_cache.loading(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stale_value_answers_for_a_failure_but_not_for_a_refusal() {
    let hours = Hours::new(Cached::new(ms(1000)).stale_if_error(ms(1000))).answers([
        (0, Ok(1)),
        (0, Err(Error::Down)),
        (0, Err(Error::Refused)),
        (0, Err(Error::Down)),
    ]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1000)).await;
    assert_eq!(hours.find("a").await, Ok(1));
    assert_eq!(hours.find("a").await, Err(Error::Refused));
    // The dependency has said that there is nothing, so the old value is gone.
    assert_eq!(hours.find("a").await, Err(Error::Down));
    assert_eq!(hours.loads(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_stale_value_has_an_end_too() {
    let hours = Hours::new(Cached::new(ms(1000)).stale_if_error(ms(500)));
    let hours = hours.answers([(0, Ok(1)), (0, Err(Error::Down)), (0, Err(Error::Down))]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1499)).await;
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1)).await;
    assert_eq!(hours.find("a").await, Err(Error::Down));
}

#[tokio::test(start_paused = true)]
async fn without_a_time_for_it_nothing_stale_is_served() {
    let hours = Hours::new(Cached::new(ms(1000))).answers([(0, Ok(1)), (0, Err(Error::Down))]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1000)).await;
    assert_eq!(hours.find("a").await, Err(Error::Down));
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_refresh_that_fails_gets_the_stale_value() {
    let hours = Arc::new(
        Hours::new(Cached::new(ms(1000)).stale_if_error(ms(5000)))
            .answers([(0, Ok(1)), (100, Err(Error::Down))]),
    );
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1000)).await;
    assert_eq!(three(&hours).await, [Ok(1), Ok(1), Ok(1)]);
    assert_eq!(hours.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_forgotten_is_not_served_as_stale() {
    let hours = Arc::new(
        Hours::new(Cached::new(ms(1000)).stale_if_error(ms(5000)))
            .answers([(0, Ok(1)), (100, Err(Error::Down))]),
    );
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(1000)).await;
    let refresh = begin(&hours, "a").await;
    hours.invalidate_find("a");
    assert_eq!(refresh.await.expect("it ends"), Err(Error::Down));
}

#[tokio::test(start_paused = true)]
async fn one_layer_retries_also_for_those_who_wait() {
    let retry = Retry::attempts(2).base(ms(10)).jitter(Jitter::None);
    let inner = Hours::with(&Policies::new().cached(minute()).retry(retry));
    let inner = Arc::new(inner.answers([(10, Err(Error::Down)), (10, Err(Error::Down)), (0, Ok(3))]));
    let outer = Hours::with(&Policies::new().retry(retry));
    let leader = begin(&inner, "a").await;
    let mut call = crate::call::Call::new(&outer.find);
    let answer = call.attempt::<crate::Own, _, _>(|_last| inner.find("a")).await;
    // It failed for good, though the retries were the leader's.
    assert_eq!(answer, Some(Err(Error::Down)));
    assert_eq!(leader.await.expect("it ends"), Err(Error::Down));
    assert_eq!(inner.loads(), 2);
    assert_eq!(kind(&Ok(0)), None);
}
