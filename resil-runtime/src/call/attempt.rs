//! One pass through circuit breaker, bulkhead, timeout and adapter.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use super::current::{self, Note};
use super::ticket::Ticket;
use super::waits::{Cut, Idle, Phase, Waits};
use super::{Call, Outcome};
use crate::{ErrorMap, PolicyError};

pin_project! {
    /// One attempt of a [`Call`]: made by [`Call::attempt`], `None` once awaited where another one should follow.
    ///
    /// The example of [`Call`] awaits some. Nothing happens before it is first polled. Dropping it drops the adapter's
    /// future and gives back what the attempt held.
    #[must_use = "an attempt does nothing unless it is awaited"]
    // In this order in memory, so that what every call writes is not moved together with the room for the timer.
    #[repr(C)]
    pub struct AttemptFuture<'c, 's, M, F, Fut> {
        // Before the ticket: what the adapter's future holds is freed before its place is given away.
        #[pin]
        stage: Stage<F, Fut>,
        ticket: Ticket<'c, 's>,
        phase: Phase,
        // For the place in the bulkhead, then for the timeout, then for the wait before the next attempt. Inline, since a call
        // that has to wait is no exception; made only then.
        #[pin]
        timer: Option<Sleep>,
        map: PhantomData<fn() -> M>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<F, Fut> {
        Make { make: Option<F> },
        Run { #[pin] future: Fut },
        Over,
    }
}

impl<'c, 's, M, F, Fut> AttemptFuture<'c, 's, M, F, Fut>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    #[inline]
    pub(super) fn new(call: &'c mut Call<'s>, make: F) -> Self {
        let ticket = Ticket::new(call);
        Self {
            phase: Phase::New,
            stage: Stage::Make { make: Some(make) },
            ticket,
            timer: None,
            map: PhantomData,
        }
    }

    #[inline]
    fn waits(self: Pin<&mut Self>) -> Waits<'_, 'c, 's> {
        let this = self.project();
        Waits {
            ticket: this.ticket,
            phase: this.phase,
            timer: this.timer,
        }
    }

    /// A policy's answer.
    #[cold]
    fn answer(error: PolicyError) -> Fut::Output {
        Outcome::from_result(Err(M::policy(error)))
    }

    /// Puts more in place than that it is an attempt. Whether it is too late to call the adapter, and nothing is in place.
    #[cold]
    fn is_late(self: Pin<&mut Self>, outer: Note) -> bool {
        let this = self.project();
        let new = matches!(this.stage.project(), StageProjection::Make { .. });
        this.ticket.call.enter_unless_late(outer, new)
    }

    /// Polls the adapter's future, which it makes on the first time. The note of the attempt is in place, `outer` the one before it.
    #[inline]
    fn poll_adapter(self: Pin<&mut Self>, outer: Note, cx: &mut Context<'_>) -> Poll<Fut::Output> {
        let mut this = self.project();
        let last = this.ticket.call.is_last();
        let watch = Watch {
            ticket: this.ticket,
            outer,
        };
        if let StageProjection::Make { make } = this.stage.as_mut().project()
            && let Some(make) = make.take()
        {
            let future = make(last);
            this.stage.set(Stage::Run { future });
        }
        let StageProjection::Run { future } = this.stage.as_mut().project() else {
            panic!("an attempt was polled after a panic in the adapter")
        };
        let polled = future.poll(cx);
        if polled.is_ready() {
            *this.phase = Phase::Over;
            this.stage.set(Stage::Over);
        }
        watch.end();
        polled
    }

    /// Its time is over: drops the adapter's future.
    #[cold]
    fn cut(mut self: Pin<&mut Self>, cut: Cut, cx: &mut Context<'_>) -> Poll<Option<Fut::Output>> {
        let mut this = self.as_mut().project();
        *this.phase = Phase::Over;
        let began = matches!(this.stage.as_mut().project(), StageProjection::Run { .. });
        let watch = Watch::begin(this.ticket);
        this.stage.set(Stage::Over);
        watch.end();
        let cut = self.waits().cut(cut, began, cx);
        cut.map(|error| error.map(Self::answer))
    }

    /// The adapter answered with an error.
    #[cold]
    fn failed(
        mut self: Pin<&mut Self>,
        error: <Fut::Output as Outcome>::Error,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Fut::Output>> {
        let this = self.as_mut().project();
        let watch = Watch::begin(this.ticket);
        let class = M::classify(&error);
        watch.end();
        match self.waits().failed(&class, cx) {
            None => Poll::Ready(Some(Outcome::from_result(Err(error)))),
            Some(waited) => waited.map(|()| None),
        }
    }
}

impl<M, F, Fut> Future for AttemptFuture<'_, '_, M, F, Fut>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    type Output = Option<Fut::Output>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut could_answer = true;
        if self.phase == Phase::New && self.as_mut().project().ticket.admit_at_once() {
            *self.as_mut().project().phase = Phase::Running;
        } else {
            if !matches!(self.phase, Phase::Running | Phase::Overtime) {
                match ready!(self.as_mut().waits().poll_idle(cx)) {
                    Idle::Run => {}
                    Idle::Next => return Poll::Ready(None),
                    Idle::Refused(refusal) => {
                        let error = self.waits().refused(refusal);
                        return apart(Poll::Ready(Some(Self::answer(error))));
                    }
                }
            }
            // Read before the adapter may use the budget up, and only where time is running.
            could_answer = self.timer.is_none() || tokio::task::coop::has_budget_remaining();
        }
        let (outer, framed) = current::put(self.ticket.call.note);
        if framed && self.as_mut().is_late(outer) {
            return apart(self.cut(Cut::Deadline, cx));
        }
        let Poll::Ready(output) = self.as_mut().poll_adapter(outer, cx) else {
            let cut = ready!(self.as_mut().waits().poll_timeout(could_answer, cx));
            return apart(self.cut(cut, cx));
        };
        match output.into_result() {
            Ok(value) => {
                current::leave(false);
                self.project().ticket.success();
                Poll::Ready(Some(Outcome::from_result(Ok(value))))
            }
            Err(error) => apart(self.failed(error, cx)),
        }
    }
}

/// Takes an answer apart and puts it together again, which changes nothing. Without it the rare answers are written straight to
/// where the frequent one goes, the frequent one passes through memory for their sake, and is read in other widths than it
/// was written: a third of the time of a call.
#[inline]
fn apart<O: Outcome>(answer: Poll<Option<O>>) -> Poll<Option<O>> {
    match answer {
        Poll::Pending => Poll::Pending,
        Poll::Ready(None) => Poll::Ready(None),
        Poll::Ready(Some(answer)) => Poll::Ready(Some(match answer.into_result() {
            Ok(value) => O::from_result(Ok(value)),
            Err(error) => O::from_result(Err(error)),
        })),
    }
}

/// Stands by while code of the adapter's author runs. Its drop is reached only when that code panics.
pub(super) struct Watch<'t, 'c, 's> {
    ticket: &'t mut Ticket<'c, 's>,
    outer: Note,
}

impl<'t, 'c, 's> Watch<'t, 'c, 's> {
    #[inline]
    pub(super) fn begin(ticket: &'t mut Ticket<'c, 's>) -> Self {
        let (outer, framed) = current::put(ticket.call.note);
        if framed {
            ticket.call.enter(outer);
        }
        Self { ticket, outer }
    }

    #[inline]
    pub(super) fn end(self) {
        self.ticket.call.leave(self.outer);
        std::mem::forget(self);
    }
}

impl Drop for Watch<'_, '_, '_> {
    #[cold]
    fn drop(&mut self) {
        self.ticket.call.leave(self.outer);
        self.ticket.panicked();
    }
}

impl<M, F, Fut> fmt::Debug for AttemptFuture<'_, '_, M, F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttemptFuture")
            .field("phase", &self.phase)
            .field("ticket", &self.ticket)
            .finish_non_exhaustive()
    }
}
