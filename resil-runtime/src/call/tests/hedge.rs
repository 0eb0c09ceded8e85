use super::*;
use crate::call::hedged::hedged;
use crate::policy::circuit_breaker::{CircuitBreaker, CircuitState};
use crate::policy::{deadline::Deadline, hedge::Hedge, timeout::Timeout};
use crate::{Attempt, with_deadline};

fn hedges(after: u64, max: u32) -> Policies {
    Policies::new()
        .hedge(Hedge::new(ms(after)).max(max))
        .timeout(Timeout::new(ms(1000)))
        .circuit_breaker(CircuitBreaker::new().failure_threshold(1))
}

async fn race(method: &MethodState, script: &Script) -> (Answer, Duration) {
    timed(hedged::<Own, _, _>(method, || script.begin())).await
}

#[tokio::test(start_paused = true)]
async fn what_answers_in_time_has_no_hedge() {
    let (method, script) = (method(&hedges(100, 2)), Script::new([(99, Ok(1))]));
    assert_eq!(race(&method, &script).await, (Ok(1), ms(99)));
    assert_eq!(script.begun.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_first_value_answers_and_the_others_are_dropped_as_no_evidence() {
    let method = method(&hedges(10, 2));
    let script = Script::new([(900, Ok(1)), (900, Ok(2)), (700, Ok(3))]);
    assert_eq!(race(&method, &script).await, (Ok(3), ms(720)));
    assert_eq!((script.begun.get(), script.dropped.get()), (3, 2));
    // They had run for more than half of their timeout.
    assert_eq!(method.breaker().state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_answers_and_a_failure_waits_for_the_others() {
    let (method, script) = (
        method(&hedges(10, 1)),
        Script::new([(50, Err(Error::Refused)), (900, Ok(2))]),
    );
    assert_eq!(race(&method, &script).await, (Err(Error::Refused), ms(50)));

    let method = super::method(&hedges(10, 1));
    let script = Script::new([(50, Err(Error::Down)), (100, Ok(2))]);
    assert_eq!(race(&method, &script).await, (Ok(2), ms(110)));
}

#[tokio::test(start_paused = true)]
async fn where_all_fail_the_last_failure_answers() {
    let (method, script) = (
        method(&hedges(10, 1)),
        Script::new([(50, Err(Error::Down)), (2000, Ok(2))]),
    );
    let (answer, took) = race(&method, &script).await;
    assert_eq!((kind(&answer), took), (Some(PolicyErrorKind::TimedOut), ms(1010)));
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_hedge_answers_at_once() {
    let (method, script) = (method(&hedges(1000, 1)), Script::new([(0, Err(Error::Down))]));
    assert_eq!(race(&method, &script).await, (Err(Error::Down), ms(0)));
    assert_eq!(script.begun.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn all_at_once_where_nothing_is_waited_for() {
    let (method, script) = (
        method(&hedges(0, 2)),
        Script::new([(30, Ok(1)), (20, Ok(2)), (10, Ok(3))]),
    );
    assert_eq!(race(&method, &script).await, (Ok(3), ms(10)));
}

#[tokio::test(start_paused = true)]
async fn hedges_draw_on_the_budget_of_retries() {
    let method = method(&hedges(1, 1));
    for _ in 0..300 {
        let script = Script::new([(10, Ok(1)), (10, Ok(2))]);
        race(&method, &script).await.0.expect("a value");
    }
    // 20 % of 300 calls are less than the minimum: 10 in a second, for ten seconds.
    assert_eq!(method.budget_refusals(), 200);
}

#[tokio::test(start_paused = true)]
async fn hedges_have_one_identity_and_numbers_of_their_own() {
    let method = method(&hedges(10, 2));
    let seen = RefCell::new(Vec::new());
    let answer = hedged::<Own, _, _>(&method, || async {
        let attempt = Attempt::current().expect("inside an attempt");
        let number = attempt.number();
        seen.borrow_mut().push(attempt);
        sleep(ms(100)).await;
        Ok::<_, Error>(number)
    });
    assert_eq!(answer.await, Ok(1));
    let seen = seen.into_inner();
    let numbers: Vec<u32> = seen.iter().map(Attempt::number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(seen.iter().all(|attempt| attempt.call_id() == seen[0].call_id()));
    let abandoned: Vec<bool> = seen
        .iter()
        .map(|attempt| attempt.token().is_cancelled())
        .collect();
    assert_eq!(abandoned, [false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn hedges_share_the_deadline_of_their_call() {
    let policies = hedges(100, 2).deadline(Deadline::new(ms(150)));
    let policies = policies.timeout(Timeout::new(ms(120)));
    let (method, script) = (method(&policies), Script::new([(900, Ok(1)), (900, Ok(2))]));
    let (answer, took) = race(&method, &script).await;
    assert_eq!(
        (kind(&answer), took),
        (Some(PolicyErrorKind::DeadlineExceeded), ms(150))
    );

    let method = super::method(&hedges(100, 1));
    let script = Script::new([(900, Ok(1)), (900, Ok(2))]);
    let (answer, took) = timed(with_deadline(ms(150), async { race(&method, &script).await.0 })).await;
    assert_eq!(
        (kind(&answer), took),
        (Some(PolicyErrorKind::DeadlineExceeded), ms(150))
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_caller_drops_all_attempts_and_that_is_evidence() {
    let method = method(&hedges(10, 1));
    let script = Script::new([(2000, Ok(1)), (2000, Ok(2))]);
    assert!(
        tokio::time::timeout(ms(600), race(&method, &script))
            .await
            .is_err()
    );
    assert_eq!(script.dropped.get(), 2);
    assert_eq!(method.breaker().state(), CircuitState::Open);
}
