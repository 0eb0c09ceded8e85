//! What share of calls may be repeated, and which numbers are refused.

use resil::{Policies, Retry};
use tokio::time::sleep;

use crate::method::{Method, READ, WRITE, bound};
use crate::support::{Answer, Error, Port, Scripted, Step, fault, ms};

// Not here, with the reason:
//   256-258          a budget over executions in flight is another rule than a share of the last ten seconds' calls
//   276              see `races`
//   278, 279         adaptive throttling is no policy of the contract

/// Each call may ask for one retry, at once.
fn one_retry(share: f64, min_per_s: u32) -> Retry {
    Retry::attempts(2)
        .base(ms(0))
        .budget(share)
        .budget_min_per_s(min_per_s)
}

/// How many retries so many calls get in no time when all fail, and how many are refused.
async fn retries(retry: Retry, calls: u32) -> (u32, u64) {
    let method = Method::read(Policies::new().retry(retry));
    let body = Scripted::new(|_| fault());
    for _ in 0..calls {
        assert_eq!(method.call(|| body.call()).await, Err(Error::Fault));
    }
    (body.calls() - calls, method.budget_refusals())
}

// 271: Finagle RetryBudgetTest minRetries=0
#[tokio::test(start_paused = true)]
async fn retries_are_the_stated_share_of_calls() {
    for (share, expected) in [(0.1, 1000), (0.25, 2500), (0.5, 5000), (0.75, 7500)] {
        let (made, refused) = retries(one_retry(share, 0), 10_000).await;
        assert!(
            made.abs_diff(expected) <= 1,
            "{made} retries for a share of {share}"
        );
        assert_eq!(u64::from(made) + refused, 10_000, "each call asked once");
        // At the start there is nothing to spend.
        assert_eq!(retries(one_retry(share, 0), 1).await, (0, 1));
    }
}

// 272: Finagle RetryBudgetTest reserve. The minimum is no reserve on top of the share: the larger of both counts.
#[tokio::test(start_paused = true)]
async fn a_minimum_counts_where_it_is_more_than_the_share() {
    let rows = [
        (100, 0.1, 10, 100),
        (500, 0.1, 10, 100),
        (1500, 0.1, 10, 150),
        (10_000, 0.1, 10, 1000),
        (10_000, 0.1, 200, 2000),
        (50, 0.2, 1, 10),
        (3, 0.2, 1, 3),
    ];
    for (calls, share, min_per_s, expected) in rows {
        let (made, _) = retries(one_retry(share, min_per_s), calls).await;
        assert!(
            made.abs_diff(expected) <= 1,
            "{made} retries of {calls}, {share}, {min_per_s}"
        );
    }
}

// 273: Finagle RetryBudgetTest bounds; without any budget it is `retry` itself that is left out
#[test]
fn numbers_outside_their_limits_are_refused() {
    let legal = Retry::attempts(3);
    let rows = [
        ("a share below zero", legal.budget(-1.0)),
        ("a share of nothing", legal.budget(0.0).budget_min_per_s(0)),
        ("a share over all", legal.budget(1.01)),
        ("a share that is no number", legal.budget(f64::NAN)),
        ("no attempt", Retry::attempts(0)),
        ("too many attempts", Retry::attempts(1_000_001)),
        ("a factor that shrinks", legal.factor(0.99)),
        ("a factor that is no number", legal.factor(f64::NAN)),
        ("a base over the maximum", legal.base(ms(11_000))),
        ("no maximum", legal.base(ms(0)).max(ms(0))),
        (
            "more than ten years",
            legal.max(ms(10 * 366 * 24 * 60 * 60 * 1000)),
        ),
    ];
    for (row, retry) in rows {
        assert!(Policies::new().retry(retry).check().is_err(), "{row}");
    }
    for retry in [
        legal,
        legal.budget(1.0).budget_min_per_s(0),
        legal.base(ms(0)),
        legal.base(ms(10_000)),
        legal.factor(1.0),
        Retry::attempts(1_000_000),
    ] {
        assert!(Policies::new().retry(retry).check().is_ok(), "{retry:?}");
    }
}

// 274: Envoy budget counting: the call that asks counts
#[tokio::test(start_paused = true)]
async fn the_only_call_may_be_repeated_where_the_share_is_all() {
    assert_eq!(retries(one_retry(1.0, 0), 1).await, (1, 0));
    assert_eq!(retries(one_retry(1.0, 0), 100).await, (100, 0));
}

// 275: gRPC A6 throttling has tokens in place of a share; its point is that successes earn what failures spend
#[tokio::test(start_paused = true)]
async fn successes_earn_retries() {
    let method = Method::read(Policies::new().retry(one_retry(0.1, 0)));
    let failing = Scripted::new(|_| fault());
    let well = Scripted::new(|n| Step::Now(Ok(n)));
    for _ in 0..5 {
        let _ = method.call(|| failing.call()).await;
    }
    assert_eq!(failing.calls(), 5, "nothing to spend");
    for _ in 0..4 {
        let _ = method.call(|| well.call()).await;
    }
    let _ = method.call(|| failing.call()).await;
    assert_eq!(failing.calls(), 7, "the tenth call has earned one retry");
    let _ = method.call(|| failing.call()).await;
    assert_eq!(failing.calls(), 8, "which is spent");
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_off_refuses_nothing() {
    assert_eq!(retries(one_retry(0.1, 0).budget_off(), 1000).await, (1000, 0));
}

#[tokio::test(start_paused = true)]
async fn what_would_not_be_repeated_anyway_asks_for_nothing() {
    for answer in [Error::Permanent, Error::Refusal, Error::Busy { wait: ms(60_000) }] {
        let method = Method::read(Policies::new().retry(one_retry(0.1, 0)));
        let body = Scripted::new(move |_| Step::Now(Err(answer.clone())));
        for _ in 0..100 {
            let _ = method.call(|| body.call()).await;
        }
        assert_eq!((body.calls(), method.budget_refusals()), (100, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_spent_comes_back_after_ten_seconds() {
    let method = Method::read(Policies::new().retry(one_retry(0.1, 1)));
    let body = Scripted::new(|_| fault());
    for _ in 0..20 {
        let _ = method.call(|| body.call()).await;
    }
    assert_eq!(body.calls(), 20 + 10);
    sleep(ms(11_000)).await;
    for _ in 0..20 {
        let _ = method.call(|| body.call()).await;
    }
    assert_eq!(body.calls(), 40 + 20);
}

// An outage is not multiplied: 100 % failures, 100 calls a second, for a minute.
#[tokio::test(start_paused = true)]
async fn an_outage_under_load_is_not_multiplied() {
    resil::testing::seed(60);
    let method = Method::read(Policies::new().retry(Retry::attempts(3)));
    let body = Scripted::new(|_| Step::After(5, Err(Error::Fault)));
    let mut calls = Vec::new();
    for _ in 0..6000 {
        let (method, body) = (method.clone(), body.clone());
        calls.push(tokio::spawn(async move { method.call(|| body.call()).await }));
        sleep(ms(10)).await;
    }
    for call in calls {
        assert_eq!(call.await.expect("it does not panic"), Answer::Err(Error::Fault));
    }
    // 20 % of the calls, and the minimum of ten a second over ten seconds.
    assert!(body.calls() <= 6000 + 1200 + 100, "{} attempts", body.calls());
    // What the share allows is given.
    assert!(body.calls() >= 6000 + 1000, "{} attempts", body.calls());
    assert!(
        method.budget_refusals() >= 6000 - 1300,
        "{} refusals",
        method.budget_refusals()
    );
}

// The minimum lets methods with little traffic repeat as they like.
#[tokio::test(start_paused = true)]
async fn a_method_with_little_traffic_is_always_repeated() {
    let method = Method::read(Policies::new().retry(Retry::attempts(3).base(ms(0))));
    let body = Scripted::new(|_| fault());
    for _ in 0..60 {
        let _ = method.call(|| body.call()).await;
        sleep(ms(1000)).await;
    }
    assert_eq!((body.calls(), method.budget_refusals()), (180, 0));
}

#[tokio::test(start_paused = true)]
async fn each_method_has_a_budget_of_its_own() {
    let instance = bound(Policies::new().retry(one_retry(0.5, 0)));
    let (read, write) = (Method::of(&instance, &READ), Method::of(&instance, &WRITE));
    let well = Scripted::new(|n| Step::Now(Ok(n)));
    for _ in 0..10 {
        let _ = read.call(|| well.call()).await;
    }
    let body = Scripted::new(|_| Step::Now(Err(Error::NotSent)));
    let _ = write.call(|| body.call()).await;
    assert_eq!(body.calls(), 1, "ten calls of the other method earn nothing here");
    assert_eq!((write.budget_refusals(), read.budget_refusals()), (1, 0));
}
