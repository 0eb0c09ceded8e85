use super::*;
use crate::policy::Mode;
use crate::policy::bulkhead::Bulkhead;
use crate::policy::circuit_breaker::{CircuitBreaker, CircuitState};
use crate::policy::deadline::Deadline;
use crate::policy::rate_limit::RateLimit;
use crate::policy::retry::{Jitter, Retry};

fn limit() -> RateLimit {
    RateLimit::new(1).per(ms(100))
}

#[tokio::test(start_paused = true)]
async fn beyond_the_rate_it_refuses_with_the_time_until_a_call_could_start() {
    let method = method(&Policies::new().rate_limit(limit()));
    let script = Script::default();
    assert_eq!(script.call(&method).await, Ok(0));
    sleep(ms(30)).await;
    let Err(Error::Policy(error)) = script.call(&method).await else {
        panic!("a policy's error")
    };
    assert_eq!(
        (error.kind(), error.retry_after(), error.not_sent()),
        (PolicyErrorKind::RateLimited, Some(ms(70)), true)
    );
    sleep(ms(70)).await;
    assert_eq!(script.call(&method).await, Ok(0));
    assert_eq!(script.begun.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_may_wait_gets_a_turn_in_order() {
    let method = method(&Policies::new().rate_limit(limit().max_wait(ms(250))));
    let script = Script::new([(0, Ok(1)), (0, Ok(2)), (0, Ok(3))]);
    let call = || timed(script.call(&method));
    let (first, second, third, fourth) = tokio::join!(call(), call(), call(), call());
    assert_eq!(
        [first, second, third],
        [(Ok(1), ms(0)), (Ok(2), ms(100)), (Ok(3), ms(200))]
    );
    assert_eq!(kind(&fourth.0), Some(PolicyErrorKind::RateLimited));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_no_evidence_and_is_not_retried() {
    let method = method(
        &Policies::new()
            .rate_limit(limit())
            .retry(Retry::attempts(3).jitter(Jitter::None))
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
    );
    let script = Script::default();
    assert_eq!(script.call(&method).await, Ok(0));
    let (answer, took) = timed(script.call(&method)).await;
    assert_eq!((kind(&answer), took), (Some(PolicyErrorKind::RateLimited), ms(0)));
    assert_eq!(method.breaker().state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_not_used_is_given_back() {
    let policies = Policies::new().rate_limit(limit().max_wait(ms(500)));
    let method = method(&policies.bulkhead(Bulkhead::new(1)));
    let script = Script::new([(0, Ok(1)), (0, Ok(2))]);
    assert_eq!(script.call(&method).await, Ok(1));
    // Its caller leaves while it waits.
    assert!(tokio::time::timeout(ms(50), script.call(&method)).await.is_err());
    assert_eq!(timed(script.call(&method)).await, (Ok(2), ms(50)));

    // The bulkhead has no place for it.
    let method = super::method(
        &Policies::new()
            .rate_limit(limit().burst(2))
            .bulkhead(Bulkhead::new(1)),
    );
    let script = Script::new([(10, Ok(1)), (0, Ok(2))]);
    let (first, second) = tokio::join!(script.call(&method), script.call(&method));
    assert_eq!(
        (first, kind(&second)),
        (Ok(1), Some(PolicyErrorKind::BulkheadFull))
    );
    assert_eq!(script.call(&method).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn whose_circuit_opens_while_it_waits_is_refused_as_such() {
    let method = method(
        &Policies::new()
            .rate_limit(limit().max_wait(ms(500)))
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
    );
    let script = Script::new([(50, Err(Error::Down))]);
    let (first, second) = tokio::join!(script.call(&method), script.call(&method));
    assert_eq!(
        (first, kind(&second)),
        (Err(Error::Down), Some(PolicyErrorKind::CircuitOpen))
    );
    assert_eq!(script.begun.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn it_does_not_wait_beyond_the_deadline() {
    let method = method(
        &Policies::new()
            .rate_limit(limit().max_wait(ms(500)))
            .deadline(Deadline::new(ms(50))),
    );
    let script = Script::default();
    assert_eq!(script.call(&method).await, Ok(0));
    let (answer, took) = timed(script.call(&method)).await;
    assert_eq!((kind(&answer), took), (Some(PolicyErrorKind::RateLimited), ms(0)));
}

#[tokio::test(start_paused = true)]
async fn in_observe_mode_it_counts_and_refuses_nothing() {
    let method = method(
        &Policies::new()
            .rate_limit(limit().max_wait(ms(500)).mode(Mode::Observe))
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
    );
    let script = Script::new([(0, Ok(1)), (0, Err(Error::Down))]);
    assert_eq!(script.call(&method).await, Ok(1));
    let (answer, took) = timed(script.call(&method)).await;
    assert_eq!((answer, took), (Err(Error::Down), ms(0)));
    assert_eq!(method.observed_limited(), 1);
    // What it would have refused is no evidence.
    assert_eq!(method.breaker().state(), CircuitState::Closed);
}
