//! What the caller learns from a policy's refusal.

use std::future::ready;

use resil::{Bulkhead, CircuitBreaker, Policies, PolicyError, PolicyErrorKind, Timeout};
use tokio::time::sleep;

use crate::given::{a_second_later, at_once, first_failure};
use crate::method::Method;
use crate::support::{Answer, Error, Port, Scripted, Step, fault, ms, settle, wrap};

/// The error of the policy that refused it.
pub(crate) fn refusal(answer: Answer) -> PolicyError {
    match answer {
        Err(Error::Policy(error)) => error,
        other => panic!("a policy refuses it, but it ends with {other:?}"),
    }
}

// An open circuit says why it is open, and for how long.
#[tokio::test(start_paused = true)]
async fn an_open_circuit_names_its_reason_and_the_time_that_is_left() {
    let (port, adapter) = wrap(Policies::new().circuit_breaker(first_failure()), |_| fault());
    let _ = port.call().await;
    for (passed, left) in [(0, 1000), (400, 600), (599, 1)] {
        sleep(ms(passed)).await;
        let error = refusal(port.call().await);
        assert_eq!(error.kind(), PolicyErrorKind::CircuitOpen);
        assert_eq!(error.code().map(resil::Code::as_str), Some("fault"));
        assert_eq!(error.retry_after(), Some(ms(left)));
        assert_eq!(
            (error.port(), error.adapter(), error.method()),
            ("Port", "Scripted", "call")
        );
        assert!(error.not_sent());
    }
    assert_eq!(adapter.calls(), 1);
}

// `not_sent` speaks of the whole call: true only if none of its attempts may have reached the dependency.
#[tokio::test(start_paused = true)]
async fn a_refusal_says_not_sent_only_where_no_attempt_of_the_call_may_have_been() {
    let rows = [
        (
            "every attempt before it was not sent",
            Error::NotSent,
            Error::NotSent,
            true,
        ),
        ("the first may have been", Error::Fault, Error::NotSent, false),
        ("the second may have been", Error::NotSent, Error::Fault, false),
        ("both may have been", Error::Fault, Error::Fault, false),
    ];
    for (row, first, second, not_sent) in rows {
        let breaker = CircuitBreaker::new().failure_threshold(2);
        let (port, adapter) = wrap(
            Policies::new().retry(at_once(3)).circuit_breaker(breaker),
            move |n| Step::Now(Err(if n == 1 { first.clone() } else { second.clone() })),
        );
        let error = refusal(port.call().await);
        assert_eq!(
            (error.kind(), error.not_sent()),
            (PolicyErrorKind::CircuitOpen, not_sent),
            "{row}"
        );
        // The next call has no attempt at all.
        assert!(refusal(port.call().await).not_sent(), "{row}");
        assert_eq!(adapter.calls(), 2, "{row}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_bulkhead_and_a_timeout_say_not_sent_by_the_same_rule() {
    for (first, not_sent) in [(Error::NotSent, true), (Error::Fault, false)] {
        let retry = a_second_later();
        let method = Method::read(Policies::new().retry(retry).bulkhead(Bulkhead::new(1)));
        let refused = method.clone();
        let refused = tokio::spawn(async move { refused.call(|| ready(Err(first.clone()))).await });
        settle().await;
        let holds = method.clone();
        tokio::spawn(async move { holds.call(std::future::pending::<Answer>).await });
        settle().await;
        assert!(
            refusal(method.call(|| ready(Ok(1))).await).not_sent(),
            "it had no attempt"
        );
        let error = refusal(refused.await.expect("it does not panic"));
        assert_eq!(
            (error.kind(), error.not_sent()),
            (PolicyErrorKind::BulkheadFull, not_sent)
        );
    }

    // What came after a timed-out attempt may not claim that nothing was sent.
    let policies = Policies::new().retry(at_once(3)).timeout(Timeout::new(ms(50)));
    let method = Method::read(policies.circuit_breaker(first_failure()));
    let body = Scripted::new(|_| Step::Hang);
    let error = refusal(method.call(|| body.call()).await);
    assert_eq!(
        (error.kind(), error.not_sent()),
        (PolicyErrorKind::CircuitOpen, false)
    );
    assert_eq!(body.calls(), 1);
}
