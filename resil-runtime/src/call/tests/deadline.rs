use super::*;
use crate::policy::bulkhead::Bulkhead;
use crate::policy::circuit_breaker::{CircuitBreaker, CircuitState};
use crate::policy::deadline::Deadline;
use crate::policy::{
    Mode,
    retry::{Jitter, Retry},
    timeout::Timeout,
};
use crate::with_deadline;

fn patient() -> Retry {
    Retry::attempts(5).base(ms(100)).factor(1.0).jitter(Jitter::None)
}

#[tokio::test(start_paused = true)]
async fn a_deadline_cuts_a_running_attempt() {
    let method = method(
        &Policies::new()
            .deadline(Deadline::new(ms(300)))
            .timeout(Timeout::new(ms(200)))
            .retry(patient()),
    );
    let script = Script::new([(1000, Ok(1)), (1000, Ok(2)), (1000, Ok(3))]);
    let (answer, took) = timed(script.call(&method)).await;
    // 200 of the first attempt, 100 of waiting: nothing is left for another one.
    assert_eq!(kind(&answer), Some(PolicyErrorKind::TimedOut));
    assert_eq!((took, script.begun.get()), (ms(200), 1));

    let method = super::method(
        &Policies::new()
            .deadline(Deadline::new(ms(350)))
            .timeout(Timeout::new(ms(200)))
            .retry(patient()),
    );
    let script = Script::new([(1000, Ok(1)), (1000, Ok(2)), (1000, Ok(3))]);
    let (answer, took) = timed(script.call(&method)).await;
    assert_eq!(kind(&answer), Some(PolicyErrorKind::DeadlineExceeded));
    assert_eq!((took, script.begun.get(), script.dropped.get()), (ms(350), 2, 2));
    let Err(Error::Policy(error)) = answer else {
        panic!("a policy's error")
    };
    assert!(!error.not_sent());
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_outlast_the_deadline_is_not_begun() {
    let method = method(
        &Policies::new()
            .deadline(Deadline::new(ms(150)))
            .retry(patient())
            .timeout(Timeout::new(ms(100))),
    );
    let script = Script::new([(0, Err(Error::Down)), (0, Err(Error::Down)), (0, Ok(3))]);
    let (answer, took) = timed(script.call(&method)).await;
    assert_eq!((answer, took, script.begun.get()), (Err(Error::Down), ms(100), 2));
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_when_the_deadline_has_passed_is_not_thrown_away() {
    let method = method(&Policies::new().deadline(Deadline::new(ms(100))));
    let script = Script::new([(100, Ok(7))]);
    assert_eq!(script.call(&method).await, Ok(7));
}

#[tokio::test(start_paused = true)]
async fn a_nested_call_has_what_is_left() {
    let outer = method(&Policies::new().deadline(Deadline::new(ms(300))));
    let inner = method(&Policies::new().timeout(Timeout::new(ms(10_000))).retry(patient()));
    let script = Script::new([(5000, Ok(1))]);
    let mut call = Call::new(&outer);
    let (answer, took) = timed(call.attempt::<Own, _, _>(|_| async {
        sleep(ms(100)).await;
        let answer = script.call(&inner).await;
        assert_eq!(kind(&answer), Some(PolicyErrorKind::DeadlineExceeded));
        answer
    }))
    .await;
    // Both at once: the inner one answers, since what is ready is not thrown away.
    assert_eq!(
        answer.as_ref().map(kind),
        Some(Some(PolicyErrorKind::DeadlineExceeded))
    );
    assert_eq!((took, script.begun.get()), (ms(300), 1));
}

#[tokio::test(start_paused = true)]
async fn past_an_inherited_deadline_nothing_begins() {
    let inner = method(&Policies::new().timeout(Timeout::new(ms(100))));
    let script = Script::new([(0, Ok(1))]);
    let answer = with_deadline(ms(50), async {
        sleep(ms(60)).await;
        script.call(&inner).await
    })
    .await;
    let Err(Error::Policy(error)) = answer else {
        panic!("a policy's error")
    };
    assert_eq!(
        (error.kind(), error.not_sent()),
        (PolicyErrorKind::DeadlineExceeded, true)
    );
    assert_eq!(script.begun.get(), 0);
    assert_eq!(inner.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_outside_does_not_leak_to_calls_after_it() {
    let inner = method(&Policies::new().timeout(Timeout::new(ms(1000))));
    let script = Script::new([(100, Ok(1)), (100, Ok(2))]);
    let cut = with_deadline(ms(50), script.call(&inner)).await;
    assert_eq!(kind(&cut), Some(PolicyErrorKind::DeadlineExceeded));
    assert_eq!(script.call(&inner).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_place_ends_with_the_deadline() {
    let method = method(
        &Policies::new()
            .deadline(Deadline::new(ms(100)))
            .bulkhead(Bulkhead::new(1).max_queued(4)),
    );
    let script = Script::new([(90, Ok(1)), (90, Ok(2))]);
    let ((first, second), took) =
        timed(async { tokio::join!(script.call(&method), script.call(&method)) }).await;
    assert_eq!(first, Ok(1));
    assert_eq!(kind(&second), Some(PolicyErrorKind::DeadlineExceeded));
    assert_eq!((took, script.begun.get()), (ms(100), 2));

    let script = Script::new([(300, Ok(1))]);
    let (first, second) = tokio::join!(script.call(&method), script.call(&method));
    assert_eq!(kind(&first), Some(PolicyErrorKind::DeadlineExceeded));
    let Err(Error::Policy(second)) = second else {
        panic!("a policy's error")
    };
    assert_eq!(
        (second.kind(), second.not_sent()),
        (PolicyErrorKind::DeadlineExceeded, true)
    );
    assert_eq!((method.running(), method.waiting()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_cut_by_a_deadline_is_evidence_from_half_of_its_timeout_on() {
    for (deadline, state) in [(99, CircuitState::Closed), (100, CircuitState::Open)] {
        let method = method(
            &Policies::new()
                .timeout(Timeout::new(ms(200)))
                .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
        );
        let script = Script::new([(1000, Ok(1))]);
        let answer = with_deadline(ms(deadline), script.call(&method)).await;
        assert_eq!(kind(&answer), Some(PolicyErrorKind::DeadlineExceeded));
        assert_eq!(method.breaker().state(), state, "{deadline}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_in_observe_mode_cuts_nothing_and_counts_once() {
    let method = method(
        &Policies::new()
            .deadline(Deadline::new(ms(150)).mode(Mode::Observe))
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1))
            .timeout(Timeout::new(ms(100)))
            .retry(patient()),
    );
    let script = Script::new([(50, Err(Error::Down)), (90, Ok(2))]);
    // The first failure opens the circuit: it is evidence. The wait would end with the deadline, so the rest is not.
    let answer = script.call(&method).await;
    assert_eq!(kind(&answer), Some(PolicyErrorKind::CircuitOpen));
    assert_eq!(method.observed_deadlines(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_smaller_of_two_deadlines_holds_whichever_is_outside() {
    for (outer, own) in [(100, 300), (300, 100)] {
        let method = method(&Policies::new().deadline(Deadline::new(ms(own))));
        let script = Script::new([(1000, Ok(1))]);
        let (answer, took) = timed(with_deadline(ms(outer), script.call(&method))).await;
        assert_eq!(
            (kind(&answer), took),
            (Some(PolicyErrorKind::DeadlineExceeded), ms(100))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_beyond_the_end_of_the_clock_is_none() {
    let method = method(&Policies::new().timeout(Timeout::new(ms(100))));
    let script = Script::new([(50, Ok(1))]);
    assert_eq!(with_deadline(Duration::MAX, script.call(&method)).await, Ok(1));
}
