//! An answer in place of a failure.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::time::Instant;

use super::current::Note;
use super::waits::poll_timer;
use super::{Outcome, current};
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::{Class, Classification, Code, ErrorMap, PolicyErrorKind};

/// The failure for which there is to be another answer: none for a value, and none for a refusal, which is the dependency's
/// own answer.
pub(crate) fn failure<M, O>(method: &MethodState, result: O) -> Result<O::Error, O>
where
    O: Outcome,
    M: ErrorMap<O::Error>,
{
    match result.into_result() {
        Err(error) => {
            let class = M::classify(&error);
            if class.class() == Class::Refusal {
                return Err(O::from_result(Err(error)));
            }
            tell(method, &class);
            Ok(error)
        }
        Ok(value) => Err(O::from_result(Ok(value))),
    }
}

fn tell(method: &MethodState, class: &Classification) {
    let spec = method.spec();
    let adapter = spec.adapter();
    tracing::event!(
        target: "resil",
        tracing::Level::INFO,
        context = adapter.context(),
        port = adapter.port(),
        adapter = adapter.adapter(),
        method = spec.method(),
        code = class.get_code().map(Code::as_str),
        "fallback"
    );
}

/// The adapter's own fallback, within the timeout of an attempt and what is left of a deadline around the call.
pub(crate) async fn bounded<M, Fut>(method: &MethodState, fallback: Fut) -> Fut::Output
where
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    let mut fallback = pin!(fallback);
    let mut timer = pin!(None);
    let mut limit = None;
    let cut = poll_fn(|cx| {
        if let Poll::Ready(answer) = fallback.as_mut().poll(cx) {
            return Poll::Ready(Ok(answer));
        }
        if timer.is_none() {
            limit = earliest(method);
            timer.set(limit.map(|(end, _)| tokio::time::sleep_until(end)));
        }
        match limit {
            Some((_, kind)) => poll_timer(timer.as_mut(), cx).map(|()| Err(kind)),
            None => Poll::Pending,
        }
    });
    match cut.await {
        Ok(answer) => {
            let result = answer.into_result();
            // What failed before has its answer now.
            current::leave(result.is_err() && current::note().has(Note::SPENT));
            Outcome::from_result(result)
        }
        Err(kind) => Outcome::from_result(Err(M::policy(method.spec().error(kind)))),
    }
}

/// From the moment it is first pending, as for an attempt.
fn earliest(method: &MethodState) -> Option<(Instant, PolicyErrorKind)> {
    let timeout = method.effective().policies.timeout;
    let by_timeout = timeout
        .filter(|timeout| timeout.mode == Mode::Enforce)
        .and_then(|timeout| Instant::now().checked_add(timeout.limit))
        .map(|end| (end, PolicyErrorKind::TimedOut));
    let by_deadline = current::deadline().map(|end| (end, PolicyErrorKind::DeadlineExceeded));
    by_timeout
        .into_iter()
        .chain(by_deadline)
        .min_by_key(|(end, _)| *end)
}
