//! How long one attempt may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use futures::FutureExt;
use resil_runtime::{
    AdapterSpec, Bulkhead, Instance, Jitter, Kind, MethodSpec, Overrides, Policies, Retry, Timeout,
};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, advance, sleep};

use crate::clock::{block_for, timed};
use crate::given::{at_once, gated, places, queue};
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, is_timeout, ms, settle, start, wrap};

// Not here, with the reason:
//   84        see `fallback`
//   86, 87    configuration files are a later issue

fn limit(ms: u64) -> Policies {
    Policies::new().timeout(Timeout::new(Duration::from_millis(ms)))
}

/// On the impl; the method says longer, or nothing.
static SECOND: AdapterSpec = AdapterSpec::new("resil", "Port", "Second", Kind::External)
    .policies(Policies::new().timeout(Timeout::new(Duration::from_secs(1))));
static SECOND_AS_STATED: MethodSpec = MethodSpec::new(&SECOND, "read").idempotent();
static SECOND_TO_TWO: MethodSpec = MethodSpec::new(&SECOND, "read")
    .overrides(Overrides::new().timeout(Timeout::new(Duration::from_secs(2))))
    .idempotent();
static HALF: AdapterSpec = AdapterSpec::new("resil", "Port", "Half", Kind::External)
    .policies(Policies::new().timeout(Timeout::new(Duration::from_millis(500))));
static HALF_TO_TWO: MethodSpec = MethodSpec::new(&HALF, "read")
    .overrides(Overrides::new().timeout(Timeout::new(Duration::from_secs(2))))
    .idempotent();
static HALF_OFF: MethodSpec = MethodSpec::new(&HALF, "read")
    .overrides(Overrides::new().timeout_off())
    .idempotent();

#[tokio::test(start_paused = true)]
async fn an_attempt_ends_at_its_limit_and_not_before() {
    let bound = |ms| Method::read(limit(ms));
    let stated = |adapter, method| Method::of(&Instance::new(adapter), method);
    let cut = None;
    let ends = Some(Err(Error::Fault));
    let rows: [(&str, Method, u64, Option<Answer>, u64); 14] = [
        // 74: TimeoutTest.testTimeout / testNoTimeout; there is no default, so 1000 is stated
        ("74", bound(1000), 20_000, cut.clone(), 1000),
        ("74", bound(1000), 10, ends.clone(), 10),
        // 75: TimeoutTest.testGTDefault{Timeout,NoTimeout}
        ("75", bound(2000), 2500, cut.clone(), 2000),
        ("75", bound(2000), 1500, ends.clone(), 1500),
        // 76: TimeoutTest.testSeconds{Timeout,NoTimeout}
        (
            "76",
            Method::read(Policies::new().timeout(Timeout::new(Duration::from_secs(2)))),
            2500,
            cut.clone(),
            2000,
        ),
        (
            "76",
            Method::read(Policies::new().timeout(Timeout::new(Duration::from_secs(2)))),
            1500,
            ends.clone(),
            1500,
        ),
        // 77: TimeoutTest.test{Timeout,NoTimeout}ClassLevel
        (
            "77",
            stated(&SECOND, &SECOND_AS_STATED),
            20_000,
            cut.clone(),
            1000,
        ),
        ("77", stated(&SECOND, &SECOND_AS_STATED), 10, ends.clone(), 10),
        // 78: TimeoutTest.testGTDefault{Timeout,NoTimeout}Override
        ("78", stated(&SECOND, &SECOND_TO_TWO), 2500, cut.clone(), 2000),
        ("78", stated(&SECOND, &SECOND_TO_TWO), 1500, ends.clone(), 1500),
        // 79: TimeoutTest.testGTShorter{Timeout,NoTimeout}Override
        ("79", stated(&HALF, &HALF_TO_TWO), 2500, cut, 2000),
        ("79", stated(&HALF, &HALF_TO_TWO), 1500, ends.clone(), 1500),
        ("79, off", stated(&HALF, &HALF_OFF), 20_000, ends.clone(), 20_000),
        ("no limit", Method::read(Policies::new()), 20_000, ends, 20_000),
    ];
    for (row, method, takes, expected, time) in rows {
        let body = Scripted::new(move |_| Step::After(takes, Err(Error::Fault)));
        let (answer, took) = timed(method.call(|| body.call())).await;
        match expected {
            Some(expected) => assert_eq!(answer, expected, "row {row}"),
            None => assert!(is_timeout(&answer), "row {row}: {answer:?}"),
        }
        assert_eq!((took, body.running()), (ms(time), 0), "row {row}");
    }
}

// 85: AsyncTimeoutTest.testAsyncNoTimeout
#[tokio::test(start_paused = true)]
async fn an_answer_within_the_limit_is_the_callers() {
    let (port, _) = wrap(limit(2000), |n| Step::After(500, Ok(n)));
    assert_eq!(timed(port.call()).await, (Ok(1), ms(500)));
}

// RT-2, the other half: no limit is too large to be added to the clock
#[tokio::test(start_paused = true)]
async fn limits_run_from_one_millisecond_to_ten_years() {
    let ten_years = 10 * 365 * 24 * 60 * 60 * 1000;
    let (port, _) = wrap(limit(ten_years), |n| Step::After(10, Ok(n)));
    assert_eq!(port.call().await, Ok(1));
    let (port, _) = wrap(limit(1), |n| Step::After(2, Ok(n)));
    assert!(is_timeout(&port.call().await));
    assert!(limit(0).check().is_err());
    assert!(limit(u64::MAX).check().is_err());
}

// 80: TimeoutUninterruptableTest.testTimeout. An answer that is ready when the limit has passed is not thrown away.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_ready_when_the_limit_has_passed_is_kept() {
    let method = Method::read(limit(500));
    // At once, after a second in which its thread did nothing else.
    let at_once = method.call(async || {
        block_for(ms(1000));
        Ok(1)
    });
    assert_eq!(timed(at_once).await, (Ok(1), ms(1000)));

    // The same after it has been pending, so that the limit was running.
    let later = method.call(async || {
        sleep(ms(10)).await;
        block_for(ms(1000));
        Ok(2)
    });
    assert_eq!(timed(later).await, (Ok(2), ms(1010)));

    // Ready in time, but nobody polled.
    let unpolled = method.call(async || {
        sleep(ms(10)).await;
        Ok(3)
    });
    tokio::pin!(unpolled);
    assert_eq!(unpolled.as_mut().now_or_never(), None);
    block_for(ms(1000));
    assert_eq!(unpolled.await, Ok(3));

    // At the very limit.
    let body = Scripted::new(|n| Step::After(500, Ok(n)));
    assert_eq!(method.call(|| body.call()).await, Ok(1));
}

// What answers at once is not measured, so the limit runs from the first time the body is pending.
#[tokio::test(start_paused = true)]
async fn the_limit_runs_from_when_the_body_is_first_pending() {
    let method = Method::read(limit(500));
    let call = method.call(async || {
        block_for(ms(700));
        sleep(ms(499)).await;
        Ok(1)
    });
    assert_eq!(timed(call).await, (Ok(1), ms(1199)));
}

/// Work that goes on whatever becomes of who waits for it; says so when it is done.
fn detached(time: Duration) -> (impl Fn() -> tokio::task::JoinHandle<Answer>, Arc<AtomicBool>) {
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    let begin = move || {
        let flag = Arc::clone(&flag);
        tokio::spawn(async move {
            sleep(time).await;
            flag.store(true, SeqCst);
            Ok(1)
        })
    };
    (begin, done)
}

// 81: TimeoutUninterruptableTest.testTimeoutAsync
#[tokio::test(start_paused = true)]
async fn work_that_the_adapter_spawned_does_not_hold_the_caller() {
    let (begin, done) = detached(ms(10_000));
    let method = Method::read(limit(500));
    let (answer, time) = timed(method.call(async || begin().await.expect("it does not panic"))).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!(time, ms(500));
    sleep(ms(9000)).await;
    assert!(!done.load(SeqCst), "it still runs");
    sleep(ms(1000)).await;
    assert!(done.load(SeqCst));
}

// 83: TimeoutUninterruptableTest.testTimeoutAsyncRetry
#[tokio::test(start_paused = true)]
async fn a_retry_starts_although_the_work_of_the_attempt_before_it_goes_on() {
    let (begin, _done) = detached(ms(10_000));
    let method = Method::read(limit(500).retry(at_once(3)));
    let mut entered = 0;
    let call = method.call(|| {
        entered += 1;
        let work = begin();
        async { work.await.expect("it does not panic") }
    });
    let (answer, time) = timed(call).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((entered, time), (3, ms(1500)));
}

// 82: TimeoutUninterruptableTest.testTimeoutAsyncBulkheadQueueTimed. Time in the queue does not count: `max_wait_ms` bounds it.
#[tokio::test(start_paused = true)]
async fn time_in_the_queue_is_not_time_of_the_attempt() {
    let (port, adapter) = wrap(limit(500).bulkhead(queue(1, 1)), |n| match n {
        1 => Step::After(400, Ok(1)),
        _ => Step::Hang,
    });
    let a = start(&port).await;
    advance(ms(100)).await;
    let (answer, time) = timed(port.call()).await;
    assert_eq!(a.await.expect("it does not panic"), Ok(1));
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (2, ms(800)));
}

// 88 with a timeout in place of a cancellation: a timed-out attempt frees its place at once.
#[tokio::test(start_paused = true)]
async fn a_timed_out_attempt_gives_its_place_to_the_first_waiter() {
    let (port, adapter) = wrap(limit(500).bulkhead(queue(1, 1)), |n| match n {
        1 => Step::Hang,
        _ => Step::Now(Ok(n)),
    });
    let a = start(&port).await;
    assert_eq!(timed(port.call()).await, (Ok(2), ms(500)));
    assert!(is_timeout(&a.await.expect("it does not panic")));
    assert_eq!((adapter.running(), places(&port)), (0, (0, 0)));
}

// 249: Timeout: retry over timeout, blocked fn
#[tokio::test(start_paused = true)]
async fn each_timed_out_attempt_is_dropped_before_the_next_one_starts() {
    let (port, adapter) = wrap(limit(50).retry(at_once(3)), |n| match n {
        1 | 2 => Step::After(100, Ok(n)),
        _ => Step::Now(Ok(n)),
    });
    assert_eq!(timed(port.call()).await, (Ok(3), ms(100)));
    assert_eq!(
        (adapter.calls(), adapter.running(), adapter.most_at_once()),
        (3, 0, 1)
    );
}

// 250: Timeout: timeout over retry, pending delay. That nesting is two wrappers.
#[tokio::test(start_paused = true)]
async fn a_limit_further_out_cuts_a_wait_before_a_retry() {
    let inner = Retry::attempts(3).base(ms(1000)).jitter(Jitter::None);
    let (inner, adapter) = wrap(Policies::new().retry(inner), |_| Step::Now(Err(Error::Fault)));
    let outer = Method::read(limit(100));
    let (answer, time) = timed(outer.call(|| inner.call())).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (1, ms(100)));
    sleep(ms(5000)).await;
    assert_eq!(adapter.calls(), 1);
}

// 277: gRPC A6 deadline, as a limit further out; as a `deadline` in `limits`
#[tokio::test(start_paused = true)]
async fn a_limit_further_out_ends_the_attempts_that_are_left() {
    let inner = Retry::attempts(5).base(ms(1)).jitter(Jitter::None);
    let (inner, adapter) = wrap(Policies::new().retry(inner), |_| {
        Step::After(500, Err(Error::Fault))
    });
    let outer = Method::read(limit(1000));
    let (answer, time) = timed(outer.call(|| inner.call())).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (2, ms(1000)));
}

// An adapter that never lets go of tokio's budget of work per poll must not keep its own limit from being seen.
#[tokio::test(start_paused = true)]
async fn an_adapter_that_uses_up_its_budget_of_work_is_cut_all_the_same() {
    let method = Method::read(limit(500));
    let call = tokio::spawn(async move {
        method
            .call(async || {
                loop {
                    consume_budget().await;
                }
            })
            .await
    });
    // It is never idle, so the clock moves only by hand.
    settle().await;
    advance(ms(499)).await;
    for _ in 0..200 {
        settle().await;
    }
    assert!(!call.is_finished());
    advance(ms(1)).await;
    for _ in 0..200 {
        settle().await;
    }
    assert!(call.is_finished(), "the limit has passed");
    assert!(is_timeout(&call.await.expect("it does not panic")));
}

// A timeout is an unknown outcome, and says so.
#[tokio::test(start_paused = true)]
async fn a_timed_out_call_may_have_reached_the_dependency() {
    let (port, _) = wrap(limit(500), |_| Step::Hang);
    let Err(Error::Policy(error)) = port.call().await else {
        panic!("it times out")
    };
    assert!(!error.not_sent());
    assert_eq!(
        (error.port(), error.adapter(), error.method()),
        ("Port", "Scripted", "call")
    );
    assert_eq!((error.retry_after(), error.code()), (None, None));
    assert!(error.to_string().contains("unknown"), "{error}");
}

// The places of a bulkhead that is full of timed-out attempts come back in one go.
#[tokio::test(start_paused = true)]
async fn attempts_that_time_out_together_all_give_their_places_back() {
    let (port, adapter, _gate) = gated(limit(500).bulkhead(Bulkhead::new(10)), Ok);
    let begun = Instant::now();
    let mut calls = Vec::new();
    for _ in 0..10 {
        calls.push(start(&port).await);
    }
    for call in calls {
        assert!(is_timeout(&call.await.expect("it does not panic")));
    }
    assert_eq!(
        (begun.elapsed(), adapter.running(), places(&port)),
        (ms(500), 0, (0, 0))
    );
}
