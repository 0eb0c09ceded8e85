//! What bounds a call as a whole, and how many attempts there may be in a time (rows 251, 277, 280).

use resil::{
    Bulkhead, CircuitBreaker, CircuitState, Deadline, Jitter, Policies, PolicyErrorKind, RateLimit, Retry,
    Timeout, with_deadline,
};
use tokio::time::sleep;

use crate::clock::timed;
use crate::given::{at_once, circuit, first_failure, places};
use crate::refusals::refusal;
use crate::support::{Answer, Error, Port, Step, fault, is_full, is_open, ms, settle, start, wrap};

fn kind(answer: &Answer) -> Option<PolicyErrorKind> {
    answer.as_ref().err().and_then(Error::kind)
}

fn is_limited(answer: &Answer) -> bool {
    kind(answer) == Some(PolicyErrorKind::RateLimited)
}

fn is_late(answer: &Answer) -> bool {
    kind(answer) == Some(PolicyErrorKind::DeadlineExceeded)
}

/// More permits than these come only after every row has ended.
fn permits(permits: u32) -> RateLimit {
    RateLimit::new(permits).per(ms(600_000)).burst(permits)
}

// 251: Retry: max duration. A deadline cuts the attempt that runs as well.
#[tokio::test(start_paused = true)]
async fn a_deadline_ends_retries_and_the_attempt_that_runs() {
    let policies = Policies::new()
        .retry(at_once(1_000_000))
        .deadline(Deadline::new(ms(100)));
    let (port, adapter) = wrap(policies, |n| {
        if n == 1 {
            fault()
        } else {
            Step::After(120, Err(Error::Fault))
        }
    });
    let (answer, time) = timed(port.call()).await;
    assert!(is_late(&answer), "{answer:?}");
    assert_eq!((time, adapter.calls(), adapter.running()), (ms(100), 2, 0));
}

// 2, 3: RetryTest.testRetryMaxDuration, …Seconds. Ten attempts of 100 ms end within the second; the one that runs then is cut.
#[tokio::test(start_paused = true)]
async fn retries_end_with_the_time_of_the_call() {
    let policies = Policies::new()
        .retry(at_once(91))
        .deadline(Deadline::new(ms(1000)));
    let (port, adapter) = wrap(policies, |_| Step::After(100, Err(Error::Fault)));
    let (answer, time) = timed(port.call()).await;
    assert!(answer.is_err() && time <= ms(1000), "{answer:?} {time:?}");
    assert!((2..=10).contains(&adapter.calls()), "{}", adapter.calls());
}

// RT-5
#[tokio::test(start_paused = true)]
async fn a_wait_that_would_end_after_the_deadline_is_not_begun() {
    let retry = Retry::attempts(9).base(ms(1000)).factor(2.0).jitter(Jitter::None);
    let policies = Policies::new().retry(retry).deadline(Deadline::new(ms(5000)));
    let (port, adapter) = wrap(policies, |_| fault());
    // At 0, 1 and 3 s; the next one would be at 7 s.
    let (answer, time) = timed(port.call()).await;
    assert_eq!((answer, time, adapter.calls()), (Err(Error::Fault), ms(3000), 3));
}

// 277: gRPC A6 deadline
#[tokio::test(start_paused = true)]
async fn no_attempt_starts_for_which_no_time_is_left() {
    let five = Retry::attempts(5).jitter(Jitter::None);
    // Each attempt takes half of the time, or a little more or less.
    for (retry, each, attempts, late, end) in [
        (five.base(ms(0)), 501, 2, true, 1000),
        (five.base(ms(0)), 499, 3, true, 1000),
        (five.base(ms(100)), 500, 2, true, 1000),
        (five.base(ms(300)), 400, 2, true, 1000),
        // The wait would outlast the deadline, so nobody waits.
        (five.base(ms(501)), 500, 1, false, 500),
        (five.base(ms(600)), 401, 1, false, 401),
    ] {
        let policies = Policies::new().retry(retry).deadline(Deadline::new(ms(1000)));
        let (port, adapter) = wrap(policies, move |_| Step::After(each, Err(Error::Fault)));
        let (answer, time) = timed(port.call()).await;
        assert_eq!(is_late(&answer), late, "{each} ms: {answer:?}");
        assert_eq!((adapter.calls(), time), (attempts, ms(end)), "{each} ms");
    }
    // Exactly half: nothing is left for a third.
    let policies = Policies::new()
        .retry(five.base(ms(0)))
        .deadline(Deadline::new(ms(1000)));
    let (port, adapter) = wrap(policies, |_| Step::After(500, Err(Error::Fault)));
    let (answer, time) = timed(port.call()).await;
    assert!(answer.is_err());
    assert_eq!((adapter.calls(), time), (2, ms(1000)));
}

// 280: Finagle DeadlineTest.combined
#[tokio::test(start_paused = true)]
async fn the_earliest_of_several_deadlines_holds() {
    for (outer, inner, own, end) in [
        (50, 100, 200, 50),
        (100, 50, 200, 50),
        (200, 100, 50, 50),
        (100, 200, 50, 50),
        (60, 60, 60, 60),
    ] {
        let (port, adapter) = wrap(Policies::new().deadline(Deadline::new(ms(own))), |_| Step::Hang);
        let call = with_deadline(ms(outer), with_deadline(ms(inner), port.call()));
        let (answer, time) = timed(call).await;
        assert!(is_late(&answer), "{answer:?}");
        assert_eq!((time, adapter.running()), (ms(end), 0));
    }
    // One that began earlier is not put off by one that begins later.
    let (port, _) = wrap(Policies::new().deadline(Deadline::new(ms(90))), |_| Step::Hang);
    let call = with_deadline(ms(100), async {
        sleep(ms(40)).await;
        port.call().await
    });
    let (answer, time) = timed(call).await;
    assert!(is_late(&answer), "{answer:?}");
    assert_eq!(time, ms(100));
}

// A rate limit counts attempts, not calls; its refusal ends the call.
#[tokio::test(start_paused = true)]
async fn each_attempt_takes_a_permit() {
    let policies = Policies::new().retry(at_once(3)).rate_limit(permits(2));
    let (port, adapter) = wrap(policies, |_| fault());
    let error = refusal(port.call().await);
    assert_eq!(error.kind(), PolicyErrorKind::RateLimited);
    assert!(!error.not_sent(), "two attempts may have reached it");
    assert_eq!(adapter.calls(), 2);
    let error = refusal(port.call().await);
    assert!(error.not_sent(), "this call had none");
    assert_eq!((error.kind(), adapter.calls()), (PolicyErrorKind::RateLimited, 2));
}

#[tokio::test(start_paused = true)]
async fn each_attempt_waits_for_its_turn() {
    let limit = RateLimit::new(1).per(ms(100)).max_wait(ms(1000));
    let policies = Policies::new()
        .retry(at_once(3))
        .rate_limit(limit)
        .timeout(Timeout::new(ms(50)));
    let (port, adapter) = wrap(policies, |n| {
        if n < 3 {
            Step::After(20, Err(Error::Fault))
        } else {
            Step::After(20, Ok(n))
        }
    });
    // They start at 0, 100 and 200; the wait is none of the attempt's time.
    assert_eq!(timed(port.call()).await, (Ok(3), ms(220)));
    assert_eq!(adapter.calls(), 3);
}

// CO-1: an open circuit stands outside the rate limit: who is refused by it takes no permit
#[tokio::test(start_paused = true)]
async fn an_open_circuit_takes_no_permits() {
    let written = Policies::new()
        .circuit_breaker(first_failure())
        .rate_limit(permits(2));
    let reversed = Policies::new()
        .rate_limit(permits(2))
        .circuit_breaker(first_failure());
    assert_eq!(written, reversed);
    let (port, adapter) = wrap(written, |n| if n == 1 { fault() } else { Step::Now(Ok(n)) });
    assert_eq!(port.call().await, Err(Error::Fault));
    for _ in 0..10 {
        assert!(is_open(&port.call().await));
    }
    sleep(ms(1000)).await;
    assert_eq!(port.call().await, Ok(2));
    assert!(is_limited(&port.call().await));
    assert_eq!(adapter.calls(), 2);
}

// CO-2: what the rate limit refuses is no evidence, and uses no probe up
#[tokio::test(start_paused = true)]
async fn a_rate_limits_refusal_is_no_evidence() {
    let policies = Policies::new()
        .circuit_breaker(CircuitBreaker::new().failure_threshold(2).reset_after(ms(1000)))
        .rate_limit(RateLimit::new(2).per(ms(4000)).burst(2));
    let (port, adapter) = wrap(policies, |n| if n <= 2 { fault() } else { Step::Now(Ok(n)) });
    let circuit = circuit(&port);
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(port.call().await, Err(Error::Fault));
    assert_eq!(circuit.state(), CircuitState::Open);
    sleep(ms(1000)).await;
    for _ in 0..3 {
        assert!(is_limited(&port.call().await), "the circuit lets a probe through");
        assert_eq!((circuit.state(), circuit.opened()), (CircuitState::HalfOpen, 1));
    }
    // A permit comes back in 2000 ms.
    sleep(ms(1000)).await;
    assert_eq!(port.call().await, Ok(3));
    assert_eq!((circuit.state(), adapter.calls()), (CircuitState::Closed, 3));
    for _ in 0..10 {
        assert!(is_limited(&port.call().await));
    }
    assert_eq!((circuit.state(), circuit.failures()), (CircuitState::Closed, 0));
}

// CO-1: the rate limit stands outside the bulkhead
#[tokio::test(start_paused = true)]
async fn the_rate_limit_refuses_before_a_full_bulkhead_does() {
    let both = |rate| Policies::new().bulkhead(Bulkhead::new(1)).rate_limit(rate);
    let (port, adapter) = wrap(both(permits(1)), |_| Step::Hang);
    start(&port).await;
    let answer = port.call().await;
    assert!(is_limited(&answer), "{answer:?}");

    // What the bulkhead refuses gives its permit back.
    let (other, _) = wrap(both(permits(2)), |_| Step::Hang);
    start(&other).await;
    for _ in 0..5 {
        let answer = other.call().await;
        assert!(is_full(&answer), "{answer:?}");
    }
    assert_eq!((adapter.calls(), places(&port)), (1, (1, 0)));
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_turn_holds_no_place() {
    let policies = Policies::new()
        .bulkhead(Bulkhead::new(1))
        .rate_limit(RateLimit::new(1).per(ms(100)).max_wait(ms(1000)));
    let (port, adapter) = wrap(policies, |n| Step::After(10, Ok(n)));
    assert_eq!(port.call().await, Ok(1));
    let second = start(&port).await;
    let third = start(&port).await;
    assert_eq!((adapter.calls(), places(&port)), (1, (0, 0)));
    sleep(ms(95)).await;
    settle().await;
    // The second began at 100 ms; the first had taken 10 of them.
    assert_eq!((adapter.calls(), places(&port)), (2, (1, 0)));
    assert_eq!(second.await.expect("it does not panic"), Ok(2));
    assert_eq!(third.await.expect("it does not panic"), Ok(3));
}

/// How many attempts 100 calls a second for a minute make in that time where all fail, and how many in all.
async fn outage(retry: Retry) -> (u32, u32) {
    resil::testing::seed(6000);
    let (port, adapter) = wrap(Policies::new().retry(retry), |_| {
        Step::After(5, Err(Error::Fault))
    });
    let mut calls = Vec::new();
    for _ in 0..6000 {
        let port = port.clone();
        calls.push(tokio::spawn(async move { port.call().await }));
        sleep(ms(10)).await;
    }
    let within = adapter.calls();
    for call in calls {
        assert_eq!(call.await.expect("it does not panic"), Err(Error::Fault));
    }
    (within, adapter.calls())
}

// The load on a dependency that is down is at most 1.2 times that of the calls, and the minimum of a second. After the last
// call those that wait may still have the minimum of ten.
#[tokio::test(start_paused = true)]
async fn an_outage_is_multiplied_by_no_more_than_the_budget() {
    for retry in [
        Retry::attempts(3),
        at_once(3),
        Retry::attempts(10).base(ms(1)),
        Retry::attempts(3).base(ms(1000)).jitter(Jitter::None),
    ] {
        let (within, attempts) = outage(retry).await;
        assert!(within <= 7200 + 10, "{within} attempts with {retry:?}");
        assert!(within >= 6000 + 1000, "{within} attempts with {retry:?}");
        assert!(attempts <= 7200 + 100, "{attempts} attempts with {retry:?}");
    }
}

// Without a budget it is multiplied.
#[tokio::test(start_paused = true)]
async fn an_outage_is_multiplied_where_the_budget_is_off() {
    assert_eq!(outage(at_once(3).budget_off()).await.1, 18_000);
}
