//! An answer in place of a failure.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep};

use super::current::Note;
use super::waits::poll_timer;
use super::{Outcome, current};
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::{Class, Classification, Code, ErrorMap, PolicyErrorKind};

pin_project! {
    /// The answer to a caller whose method has a fallback.
    #[project = AnsweredProjection]
    #[must_use = "a future does nothing unless it is awaited"]
    pub(crate) enum Answered<'s, M, O, Fut> {
        /// Nothing else is needed.
        At { answer: Option<O> },
        /// The adapter's own fallback, within the timeout of an attempt and what is left of a deadline around the call.
        Instead {
            method: &'s MethodState,
            #[pin]
            fallback: Fut,
            #[pin]
            bound: Bound,
            map: PhantomData<fn() -> M>,
        },
    }
}

impl<'s, M, O, Fut> Answered<'s, M, O, Fut>
where
    O: Outcome,
    M: ErrorMap<O::Error>,
{
    /// `fallback` is only asked where there is a failure.
    #[inline]
    pub(crate) fn new(method: &'s MethodState, result: O, fallback: impl FnOnce(O::Error) -> Fut) -> Self {
        match failure::<M, O>(method, result) {
            Ok(error) => Self::Instead {
                method,
                fallback: fallback(error),
                bound: Bound::default(),
                map: PhantomData,
            },
            Err(answer) => Self::At { answer: Some(answer) },
        }
    }
}

impl<M, O, Fut> Future for Answered<'_, M, O, Fut>
where
    O: Outcome,
    Fut: Future<Output = O>,
    M: ErrorMap<O::Error>,
{
    type Output = O;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<O> {
        match self.project() {
            AnsweredProjection::At { answer } => {
                Poll::Ready(answer.take().expect("it is not polled after its end"))
            }
            AnsweredProjection::Instead {
                method,
                fallback,
                bound,
                ..
            } => Poll::Ready(Outcome::from_result(match fallback.poll(cx) {
                Poll::Ready(answer) => {
                    let result = answer.into_result();
                    answered(result.is_err());
                    result
                }
                Poll::Pending => {
                    let kind = ready!(bound.poll(method, cx));
                    Err(M::policy(method.spec().error(kind)))
                }
            })),
        }
    }
}

/// What failed before has its answer now.
fn answered(failed: bool) {
    current::leave(failed && current::note().has(Note::SPENT));
}

/// A value in place of a failure, made only there.
pub(crate) fn value<M, O>(method: &MethodState, result: O, value: impl FnOnce() -> O::Value) -> O
where
    O: Outcome,
    M: ErrorMap<O::Error>,
{
    match failure::<M, O>(method, result) {
        Ok(_) => {
            let value = value();
            answered(false);
            O::from_result(Ok(value))
        }
        Err(answer) => answer,
    }
}

/// The failure for which there is to be another answer: none for a value, and none for a refusal, which is the dependency's
/// own answer.
fn failure<M, O>(method: &MethodState, result: O) -> Result<O::Error, O>
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

pin_project! {
    /// How long a fallback may take.
    #[derive(Debug, Default)]
    pub(crate) struct Bound {
        // `None` until it is first pending.
        limit: Option<Option<PolicyErrorKind>>,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl Bound {
    /// The fallback is pending. What it is told where its time is up.
    fn poll(self: Pin<&mut Self>, method: &MethodState, cx: &mut Context<'_>) -> Poll<PolicyErrorKind> {
        let mut this = self.project();
        let limit = *this.limit.get_or_insert_with(|| {
            let (end, kind) = earliest(method)?;
            this.timer.set(Some(tokio::time::sleep_until(end)));
            Some(kind)
        });
        match limit {
            Some(kind) => poll_timer(this.timer, cx).map(|()| kind),
            None => Poll::Pending,
        }
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
