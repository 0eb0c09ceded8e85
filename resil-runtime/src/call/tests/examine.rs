use super::*;
use crate::policy::circuit_breaker::{CircuitBreaker, CircuitState};
use crate::policy::timeout::Timeout;

fn examined() -> Policies {
    Policies::new().timeout(Timeout::new(ms(100))).circuit_breaker(
        CircuitBreaker::new()
            .failure_threshold(1)
            .reset_after(ms(1000))
            .half_open_calls(3)
            .probe(),
    )
}

/// As generated code does it.
async fn call(method: &MethodState, health: &Script, script: &Script) -> Answer {
    let mut call = Call::new(method);
    loop {
        if let Some(refused) = call.examine(|| health.begin()).await {
            return Err(refused.into());
        }
        if let Some(answer) = call.attempt::<Own, _, _>(|_last| script.begin()).await {
            return answer;
        }
    }
}

async fn opened() -> MethodState {
    let method = method(&examined());
    let script = Script::new([(0, Err(Error::Down))]);
    assert_eq!(call(&method, &Script::default(), &script).await, Err(Error::Down));
    assert_eq!(method.breaker().state(), CircuitState::Open);
    method
}

#[tokio::test(start_paused = true)]
async fn a_closed_circuit_and_one_that_waits_ask_nobody() {
    let method = method(&examined());
    let health = Script::default();
    assert_eq!(call(&method, &health, &Script::default()).await, Ok(0));
    let method = opened().await;
    let answer = call(&method, &health, &Script::default()).await;
    assert_eq!(kind(&answer), Some(PolicyErrorKind::CircuitOpen));
    assert_eq!(health.begun.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn one_asks_and_the_others_are_refused_meanwhile() {
    let method = opened().await;
    sleep(ms(1000)).await;
    let (health, script) = (Script::new([(50, Ok(0))]), Script::new([(10, Ok(1))]));
    let (first, second, third) = tokio::join!(
        call(&method, &health, &script),
        call(&method, &health, &script),
        call(&method, &health, &script)
    );
    assert_eq!(first, Ok(1));
    assert_eq!(kind(&second), Some(PolicyErrorKind::CircuitOpen));
    assert_eq!(kind(&third), Some(PolicyErrorKind::CircuitOpen));
    assert_eq!((health.begun.get(), script.begun.get()), (1, 1));
    // Three successes close it, and this was the first.
    assert_eq!(method.breaker().state(), CircuitState::HalfOpen);
    let (second, third) = tokio::join!(call(&method, &health, &script), call(&method, &health, &script));
    assert_eq!((second, third), (Ok(0), Ok(0)));
    assert_eq!(health.begun.get(), 1);
    assert_eq!(method.breaker().state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_dependency_that_is_not_well_reopens_the_circuit_without_a_call() {
    for (steps, code) in [
        ([(10, Err(Error::Down))], "probe_failed"),
        ([(500, Ok(0))], "timed_out"),
    ] {
        let method = opened().await;
        sleep(ms(1000)).await;
        let (health, script) = (Script::new(steps), Script::default());
        let answer = call(&method, &health, &script).await;
        let Err(Error::Policy(error)) = answer else {
            panic!("a policy's error")
        };
        assert_eq!(
            (error.kind(), error.not_sent()),
            (PolicyErrorKind::CircuitOpen, true)
        );
        assert_eq!(
            error.code().map(|code| code.as_str().to_owned()).as_deref(),
            Some(code)
        );
        assert_eq!(error.retry_after(), Some(ms(1000)));
        assert_eq!(
            (script.begun.get(), method.breaker().state()),
            (0, CircuitState::Open)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_dropped_while_asking_leaves_it_to_the_next() {
    let method = opened().await;
    sleep(ms(1000)).await;
    let (health, script) = (Script::new([(40, Ok(0)), (40, Ok(0))]), Script::new([(0, Ok(1))]));
    assert!(
        tokio::time::timeout(ms(20), call(&method, &health, &script))
            .await
            .is_err()
    );
    assert_eq!(method.breaker().state(), CircuitState::HalfOpen);
    assert_eq!(call(&method, &health, &script).await, Ok(1));
    assert_eq!((health.begun.get(), health.dropped.get()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_forced_circuit_asks_nobody() {
    let method = opened().await;
    method.breaker().force_open(crate::time::Moment::now());
    sleep(ms(5000)).await;
    let health = Script::default();
    let answer = call(&method, &health, &Script::default()).await;
    assert_eq!(kind(&answer), Some(PolicyErrorKind::CircuitOpen));
    method.breaker().force_closed(crate::time::Moment::now());
    assert_eq!(call(&method, &health, &Script::default()).await, Ok(0));
    assert_eq!(health.begun.get(), 0);
}
