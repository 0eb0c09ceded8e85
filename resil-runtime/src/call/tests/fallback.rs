use super::*;
use crate::policy::timeout::Timeout;
use crate::private::fallback;
use crate::with_deadline;

fn bounded() -> MethodState {
    method(&Policies::new().timeout(Timeout::new(ms(100))))
}

async fn call(method: &MethodState, script: &Script, instead: &Script) -> (Answer, Option<Error>) {
    let mut given = None;
    let result = script.call(method).await;
    let answer = fallback(method, result, |error| {
        given = Some(error);
        instead.begin()
    })
    .await;
    (answer, given)
}

#[tokio::test(start_paused = true)]
async fn it_is_given_the_failure_and_answers_in_its_place() {
    let (method, script, instead) = (
        bounded(),
        Script::new([(0, Err(Error::Down))]),
        Script::new([(10, Ok(7))]),
    );
    assert_eq!(call(&method, &script, &instead).await, (Ok(7), Some(Error::Down)));
    let hang = Script::new([(500, Ok(1))]);
    let (answer, given) = call(&method, &hang, &Script::default()).await;
    assert_eq!(answer, Ok(0));
    assert_eq!(
        given.map(|error| kind(&Err(error))),
        Some(Some(PolicyErrorKind::TimedOut))
    );
}

#[tokio::test(start_paused = true)]
async fn a_value_and_a_refusal_stay() {
    for answer in [Ok(3), Err(Error::Refused)] {
        let (method, script, instead) = (bounded(), Script::new([(0, answer.clone())]), Script::default());
        assert_eq!(call(&method, &script, &instead).await, (answer, None));
        assert_eq!(instead.begun.get(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn its_own_failure_reaches_the_caller() {
    let (method, script, instead) = (
        bounded(),
        Script::new([(0, Err(Error::Down))]),
        Script::new([(0, Err(Error::Refused))]),
    );
    assert_eq!(call(&method, &script, &instead).await.0, Err(Error::Refused));
}

#[tokio::test(start_paused = true)]
async fn it_has_the_time_of_one_attempt_and_what_is_left_around_the_call() {
    let (method, script, instead) = (
        bounded(),
        Script::new([(0, Err(Error::Down))]),
        Script::new([(500, Ok(1))]),
    );
    let ((answer, _), took) = timed(call(&method, &script, &instead)).await;
    assert_eq!((kind(&answer), took), (Some(PolicyErrorKind::TimedOut), ms(100)));

    let (script, instead) = (Script::new([(0, Err(Error::Down))]), Script::new([(500, Ok(1))]));
    let ((answer, _), took) = timed(with_deadline(ms(60), call(&method, &script, &instead))).await;
    assert_eq!(
        (kind(&answer), took),
        (Some(PolicyErrorKind::DeadlineExceeded), ms(60))
    );
    assert_eq!(instead.dropped.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn after_a_fallback_the_layer_around_it_may_still_retry() {
    use crate::policy::retry::{Jitter, Retry};
    let retry = Retry::attempts(2).jitter(Jitter::None);
    let (outer, inner) = (
        method(&Policies::new().retry(retry)),
        method(&Policies::new().retry(retry)),
    );
    let outer_calls = Cell::new(0);
    let mut calling = Call::new(&outer);
    let answer = loop {
        let attempt = calling.attempt::<Own, _, _>(|_| async {
            outer_calls.set(outer_calls.get() + 1);
            let script = Script::new([(0, Err(Error::Down)), (0, Err(Error::Down))]);
            let (inside, _) = call(&inner, &script, &Script::default()).await;
            assert_eq!(inside, Ok(0));
            // Another reason, which the inner retry had no part in.
            Err::<u32, _>(Error::Down)
        });
        if let Some(answer) = attempt.await {
            break answer;
        }
    };
    assert_eq!((answer, outer_calls.get()), (Err(Error::Down), 2));
}
