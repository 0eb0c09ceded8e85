//! How often a call is repeated, and after which errors.

use resil_runtime::{Policies, Timeout};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::at_once;
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, fault, is_timeout, ms, wrap};

// Not here, with the reason:
//   2, 3, 251, RT-5, 6 (its time)    the total time of a call is its `deadline`: see `limits`
//   204                              a value is never a reason to repeat: see the row that says so below
//   207, 208                         a wait is made from numbers, not by a function; bad numbers are in `retry_budget`

fn permanent() -> Step {
    Step::Now(Err(Error::Permanent))
}

fn ok(value: u32) -> Step {
    Step::Now(Ok(value))
}

#[tokio::test(start_paused = true)]
async fn repeats_as_often_as_stated_and_after_transient_errors_only() {
    type Row = (&'static str, u32, fn(u32) -> Step, Answer, u32);
    let rows: [Row; 21] = [
        // 1: RetryTest.testRetryMaxRetries
        ("1", 6, |_| fault(), Err(Error::Fault), 6),
        // 5: RetryTest.testClassLevelRetryMaxRetries
        ("5", 3, |_| fault(), Err(Error::Fault), 3),
        // 8: RetryConditionTest.testRetryOnTrue
        ("8", 4, |_| fault(), Err(Error::Fault), 4),
        // 9: RetryConditionTest.testRetryOnFalse
        ("9", 4, |_| permanent(), Err(Error::Permanent), 1),
        // 10: RetryConditionTest.testRetryOnFalseAndAbortOnTrueThrowingAChildCustomException
        ("10", 4, |_| permanent(), Err(Error::Permanent), 1),
        // 11: RetryConditionTest.testRetryWithAbortOnFalse
        ("11", 4, |_| fault(), Err(Error::Fault), 4),
        // 12: RetryConditionTest.testRetryWithAbortOnTrue
        ("12", 4, |_| permanent(), Err(Error::Permanent), 1),
        // 14: RetryConditionTest.testClassLevelRetryWithAbortOnFalse
        ("14", 4, |_| fault(), Err(Error::Fault), 4),
        // 15: RetryConditionTest.testClassLevelRetryWithAbortOnTrue
        ("15", 4, |_| permanent(), Err(Error::Permanent), 1),
        // 16: RetryConditionTest.testRetrySuccess
        ("16", 4, |n| if n < 3 { fault() } else { ok(3) }, Ok(3), 3),
        // 18: RetryConditionTest.testRetryChainExceptionally
        (
            "18",
            3,
            |_| Step::After(100, Err(Error::Fault)),
            Err(Error::Fault),
            3,
        ),
        // 20: RetryConditionTest.testRetryCompletionStageWithException
        ("20", 3, |n| if n < 3 { fault() } else { ok(3) }, Ok(3), 3),
        // 204: SupplierRetryTest.shouldRetryWithResult, whose values the contract never repeats
        ("204", 2, |_| ok(1), Ok(1), 1),
        // 252: the caller gets the last error itself, never one that says "retries exceeded"
        ("252, three", 3, |_| fault(), Err(Error::Fault), 3),
        ("252, four", 4, |_| fault(), Err(Error::Fault), 4),
        (
            "the last error of several answers",
            3,
            |n| if n == 1 { fault() } else { permanent() },
            Err(Error::Permanent),
            2,
        ),
        (
            "a refusal ends the retries",
            3,
            |n| {
                if n == 1 {
                    fault()
                } else {
                    Step::Now(Err(Error::Refusal))
                }
            },
            Err(Error::Refusal),
            2,
        ),
        (
            "a refusal is an answer",
            3,
            |_| Step::Now(Err(Error::Refusal)),
            Err(Error::Refusal),
            1,
        ),
        (
            "one attempt is no repetition",
            1,
            |_| fault(),
            Err(Error::Fault),
            1,
        ),
        (
            "a success on the last attempt",
            3,
            |n| if n < 3 { fault() } else { ok(9) },
            Ok(9),
            3,
        ),
        // 158 without its metrics: RetryMetricTest.testRetryMetricNonRetryableAfterRetries
        (
            "158",
            6,
            |n| if n < 4 { fault() } else { permanent() },
            Err(Error::Permanent),
            4,
        ),
    ];
    for (row, attempts, script, answer, calls) in rows {
        let (port, adapter) = wrap(Policies::new().retry(at_once(attempts)), script);
        assert_eq!(port.call().await, answer, "row {row}");
        assert_eq!(adapter.calls(), calls, "row {row}");
    }
}

// 17: RetryConditionTest.testRetryChainSuccess
#[tokio::test(start_paused = true)]
async fn a_body_that_fails_after_its_second_await_is_repeated_whole() {
    let body = Scripted::new(|n| Step::After(50, if n < 3 { Err(Error::Fault) } else { Ok(n) }));
    let method = Method::read(Policies::new().retry(at_once(4)));
    let call = method.call(async || {
        sleep(ms(50)).await;
        body.call().await
    });
    assert_eq!(timed(call).await, (Ok(3), ms(300)));
    assert_eq!(body.calls(), 3);
}

// 19: RetryConditionTest.testRetryParallelExceptionally
#[tokio::test(start_paused = true)]
async fn a_body_that_joins_tasks_of_which_one_fails_is_repeated_whole() {
    let good = Scripted::new(|n| Step::After(50, Ok(n)));
    let bad = Scripted::new(|_| Step::After(50, Err(Error::Fault)));
    let method = Method::read(Policies::new().retry(at_once(3)));
    let call = method.call(|| {
        let (good, bad) = (good.clone(), bad.clone());
        async move {
            let good = tokio::spawn(async move { good.call().await });
            let bad = tokio::spawn(async move { bad.call().await });
            let (good, bad) = tokio::join!(good, bad);
            good.expect("it does not panic").and(bad.expect("nor does this"))
        }
    });
    assert_eq!(timed(call).await, (Err(Error::Fault), ms(150)));
    assert_eq!((good.calls(), bad.calls()), (3, 3));
}

// 23: RetryTimeoutTest.testRetryTimeout
#[tokio::test(start_paused = true)]
async fn a_timeout_is_repeated() {
    let policies = Policies::new().retry(at_once(2)).timeout(Timeout::new(ms(500)));
    let (port, adapter) = wrap(policies, |_| Step::After(1000, Ok(1)));
    let (answer, time) = timed(port.call()).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((adapter.calls(), time), (2, ms(1000)));
}

// 24: RetryTimeoutTest.testRetryNoTimeout
#[tokio::test(start_paused = true)]
async fn a_failure_within_the_limit_is_repeated_as_that_failure() {
    let policies = Policies::new().retry(at_once(2)).timeout(Timeout::new(ms(500)));
    let (port, adapter) = wrap(policies, |_| Step::After(10, Err(Error::Fault)));
    assert_eq!(timed(port.call()).await, (Err(Error::Fault), ms(20)));
    assert_eq!(adapter.calls(), 2);
}

// 25: RetryTimeoutTest.testRetryWithAbortOn. Who must not repeat after a timeout has a method that is not idempotent.
#[tokio::test(start_paused = true)]
async fn a_method_that_is_not_idempotent_is_not_repeated_after_a_timeout() {
    let method = Method::write(Policies::new().retry(at_once(2)).timeout(Timeout::new(ms(500))));
    let body = Scripted::new(|_| Step::After(1000, Ok(1)));
    let (answer, time) = timed(method.call(|| body.call())).await;
    assert!(is_timeout(&answer), "{answer:?}");
    assert_eq!((body.calls(), time), (1, ms(500)));
}

#[tokio::test(start_paused = true)]
async fn a_method_that_is_not_idempotent_is_repeated_only_after_what_was_not_sent() {
    type Row = (&'static str, fn(u32) -> Step, Answer, u32);
    let not_sent = Err(Error::NotSent);
    let rows: [Row; 4] = [
        ("always not sent", |_| Step::Now(Err(Error::NotSent)), not_sent, 3),
        ("may have been sent", |_| fault(), Err(Error::Fault), 1),
        (
            "may have been sent the second time",
            |n| {
                if n == 1 {
                    Step::Now(Err(Error::NotSent))
                } else {
                    fault()
                }
            },
            Err(Error::Fault),
            2,
        ),
        (
            "sent the second time",
            |n| {
                if n == 1 {
                    Step::Now(Err(Error::NotSent))
                } else {
                    ok(2)
                }
            },
            Ok(2),
            2,
        ),
    ];
    for (row, script, answer, calls) in rows {
        let method = Method::write(Policies::new().retry(at_once(3)));
        let body = Scripted::new(script);
        assert_eq!(method.call(|| body.call()).await, answer, "{row}");
        assert_eq!(body.calls(), calls, "{row}");
    }
}

// RT-7, as far as the engine answers it: what is borrowed is passed again, and the maker of the future is told when no later
// attempt can follow, so that the last one may take what it owns.
#[tokio::test(start_paused = true)]
async fn the_last_attempt_is_known_as_such() {
    let method = Method::read(Policies::new().retry(at_once(3)));
    let mut told = Vec::new();
    let mut call = resil_runtime::Call::new(&method);
    let answer = loop {
        let attempt = call.attempt::<resil_runtime::Own, _, _>(|last| {
            told.push(last);
            async { Answer::Err(Error::Fault) }
        });
        if let Some(answer) = attempt.await {
            break answer;
        }
    };
    assert_eq!((answer, told), (Err(Error::Fault), vec![false, false, true]));
}

// RT-7: what cannot be passed again is passed once.
#[tokio::test(start_paused = true)]
async fn a_call_whose_arguments_cannot_be_passed_again_is_made_once() {
    let method = Method::read(Policies::new().retry(at_once(3)));
    let mut told = Vec::new();
    let mut call = resil_runtime::Call::new(&method);
    call.repeatable(false);
    let attempt = call.attempt::<resil_runtime::Own, _, _>(|last| {
        told.push(last);
        async { Answer::Err(Error::Fault) }
    });
    assert_eq!(attempt.await, Some(Err(Error::Fault)));
    assert_eq!(told, [true]);
}

// A retry without a wait still lets others run.
#[tokio::test(start_paused = true)]
async fn retries_without_a_wait_do_not_starve_other_tasks() {
    let (port, adapter) = wrap(Policies::new().retry(at_once(1000).budget_off()), |_| fault());
    let turns = Scripted::new(|n| Step::Now(Ok(n)));
    let other = turns.clone();
    let other = tokio::spawn(async move {
        loop {
            let _ = other.call().await;
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(timed(port.call()).await, (Err(Error::Fault), ms(0)));
    assert_eq!(adapter.calls(), 1000);
    assert!(turns.calls() >= 500, "the other task had {} turns", turns.calls());
    other.abort();
}
