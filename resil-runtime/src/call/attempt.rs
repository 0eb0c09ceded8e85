//! One pass through circuit breaker, bulkhead, timeout and adapter.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep};

use super::current::{self, Note};
use super::extras::Limit;
use super::ticket::{Admitted, Refusal, Ticket};
use super::{Call, Outcome};
use crate::policy::Mode;
use crate::{Class, Code, ErrorMap, PolicyErrorKind};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not admitted yet.
    New,
    /// Until its turn by the rate limit.
    Limited,
    /// In the bulkhead's queue.
    Queued,
    /// The adapter's method is called, or its future polled.
    Running,
    /// As `Running`, past a timeout that is only observed.
    Overtime,
    /// Before the next attempt.
    Waiting,
    /// As `Waiting`, where there is nothing to wait for: lets other tasks run once.
    Yielding,
    Over,
}

/// What comes of waiting.
enum Step<O> {
    /// The attempt may run.
    Run,
    /// It is over, with the caller's answer; `None` where another attempt follows.
    Over(Option<O>),
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

    /// A policy says no.
    #[cold]
    fn refused(self: Pin<&mut Self>, refusal: Refusal) -> Fut::Output {
        let this = self.project();
        *this.phase = Phase::Over;
        current::leave(this.ticket.call.has_retry());
        let error = match refusal {
            Refusal::CircuitOpen(refused) => this.ticket.call.circuit_open(refused),
            Refusal::BulkheadFull => this.ticket.call.bulkhead_full(),
            Refusal::RateLimited(wait) => {
                let error = this.ticket.call.error(PolicyErrorKind::RateLimited);
                error.with_retry_after(wait)
            }
            Refusal::DeadlineExceeded => this.ticket.call.error(PolicyErrorKind::DeadlineExceeded),
        };
        Outcome::from_result(Err(M::policy(error)))
    }

    #[cold]
    fn begin_wait(self: Pin<&mut Self>, admitted: &Admitted) {
        let mut this = self.project();
        *this.phase = match *admitted {
            Admitted::Run => Phase::Running,
            Admitted::Limited(wait) => {
                this.timer.set(Some(tokio::time::sleep(wait)));
                Phase::Limited
            }
            Admitted::Queued => Phase::Queued,
        };
    }

    /// Waits for its turn by the rate limit, for a place in the bulkhead, or for the time of the next attempt.
    #[cold]
    fn poll_idle(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Step<Fut::Output>> {
        let mut this = self.as_mut().project();
        if *this.phase == Phase::Limited {
            ready!(poll_timer(this.timer.as_mut(), cx));
            this.timer.set(None);
            match this.ticket.turn_has_come() {
                Ok(waits) => self.as_mut().begin_wait(&waits),
                Err(refusal) => return Poll::Ready(Step::Over(Some(self.refused(refusal)))),
            }
            this = self.as_mut().project();
        }
        match *this.phase {
            Phase::Running => return Poll::Ready(Step::Run),
            Phase::Queued => {
                let turn = if let Poll::Ready(turn) = this.ticket.poll_turn(cx.waker()) {
                    turn
                } else {
                    ready!(Self::poll_wait(this.ticket, this.timer.as_mut(), cx));
                    Err(this.ticket.wait_is_over())
                };
                this.timer.set(None);
                return Poll::Ready(match turn {
                    Ok(()) => {
                        *this.phase = Phase::Running;
                        Step::Run
                    }
                    Err(refusal) => Step::Over(Some(self.refused(refusal))),
                });
            }
            Phase::Waiting => ready!(poll_timer(this.timer.as_mut(), cx)),
            Phase::Yielding => {}
            Phase::New | Phase::Limited | Phase::Overtime | Phase::Over => {
                panic!("an attempt was polled after it had ended")
            }
        }
        *this.phase = Phase::Over;
        this.ticket.call.go_on();
        Poll::Ready(Step::Over(None))
    }

    /// The end of the wait for a place in the bulkhead: by its own bound, or by the deadline.
    fn poll_wait(
        ticket: &mut Ticket<'c, 's>,
        mut timer: Pin<&mut Option<Sleep>>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if timer.is_none() {
            ticket.call.begin_time(current::deadline());
            let bound = ticket
                .call
                .max_wait()
                .and_then(|wait| Instant::now().checked_add(wait));
            match current::earlier(bound, ticket.call.deadline()) {
                Some(end) => timer.set(Some(tokio::time::sleep_until(end))),
                None => return Poll::Pending,
            }
        }
        poll_timer(timer, cx)
    }

    /// Puts more in place than that it is an attempt. Whether it is too late to call the adapter, and nothing is in place.
    #[cold]
    fn is_late(self: Pin<&mut Self>, outer: Note) -> bool {
        let this = self.project();
        this.ticket.call.enter(outer);
        let late = matches!(this.stage.project(), StageProjection::Make { .. }) && this.ticket.call.is_late();
        if late {
            this.ticket.call.leave(outer);
        }
        late
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

    /// The adapter is not ready: time runs from now on, or is up.
    ///
    /// `could_answer`: tokio's budget of work per poll was not used up before the adapter was polled. Where it was, by others
    /// in the same task, the adapter may have an answer that it could not give, so its time is not up yet.
    fn poll_timeout(
        mut self: Pin<&mut Self>,
        could_answer: bool,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Fut::Output>> {
        if self.ticket.call.extras.is_some() {
            return self.poll_limits(could_answer, cx);
        }
        let mut this = self.as_mut().project();
        let effective = this.ticket.call.method.effective();
        let Some(timeout) = &effective.policies.timeout else {
            if effective.breaker.is_some_and(|rules| rules.slow.is_some()) && !this.ticket.is_started() {
                this.ticket.start(Instant::now());
            }
            return Poll::Pending;
        };
        if *this.phase == Phase::Overtime {
            return Poll::Pending;
        }
        if !this.ticket.is_started() {
            let now = Instant::now();
            this.ticket.start(now);
            // A limit beyond the end of the clock is never reached.
            let Some(end) = now.checked_add(timeout.limit) else {
                return Poll::Pending;
            };
            this.timer.set(Some(tokio::time::sleep_until(end)));
        }
        if this.timer.is_none() {
            return Poll::Pending;
        }
        if could_answer {
            ready!(poll_timer(this.timer.as_mut(), cx));
        } else if let Some(timer) = this.timer.as_mut().as_pin_mut() {
            ready!(timer.poll(cx));
        }
        if timeout.mode == Mode::Observe {
            *this.phase = Phase::Overtime;
            this.ticket.outlived_its_timeout();
            return Poll::Pending;
        }
        self.timed_out(cx)
    }

    /// As `poll_timeout`, for a call that may have deadlines.
    #[cold]
    fn poll_limits(
        mut self: Pin<&mut Self>,
        could_answer: bool,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Fut::Output>> {
        loop {
            let mut this = self.as_mut().project();
            let started = this.ticket.started_or(Instant::now);
            let timeout = this.ticket.call.method.effective().policies.timeout;
            let timeout = timeout.filter(|_| *this.phase != Phase::Overtime);
            let by_timeout = timeout
                .and_then(|timeout| started.checked_add(timeout.limit))
                .map(|end| (end, Limit::Timeout));
            let limits = by_timeout.into_iter().chain(this.ticket.call.next_deadline());
            let Some((end, limit)) = limits.min_by_key(|(end, _)| *end) else {
                return Poll::Pending;
            };
            if this
                .timer
                .as_ref()
                .as_pin_ref()
                .is_none_or(|timer| timer.deadline() != end)
            {
                this.timer.set(Some(tokio::time::sleep_until(end)));
            }
            if could_answer {
                ready!(poll_timer(this.timer.as_mut(), cx));
            } else if let Some(timer) = this.timer.as_mut().as_pin_mut() {
                ready!(timer.poll(cx));
            }
            match limit {
                Limit::Deadline => return self.cut_by_deadline(),
                Limit::Timeout if timeout.is_some_and(|timeout| timeout.mode == Mode::Enforce) => {
                    return self.timed_out(cx);
                }
                Limit::Timeout => {
                    *this.phase = Phase::Overtime;
                    this.ticket.outlived_its_timeout();
                }
                Limit::Observed => this.ticket.outlived_its_deadline(),
            }
        }
    }

    /// The time of the whole call is over.
    #[cold]
    fn cut_by_deadline(mut self: Pin<&mut Self>) -> Poll<Option<Fut::Output>> {
        let mut this = self.as_mut().project();
        *this.phase = Phase::Over;
        let began = matches!(this.stage.as_mut().project(), StageProjection::Run { .. });
        let watch = Watch::begin(this.ticket);
        this.stage.set(Stage::Over);
        watch.end();
        this.ticket.call.sent |= began;
        this.ticket
            .cut(Code::new(PolicyErrorKind::DeadlineExceeded.as_str()));
        current::leave(this.ticket.call.is_spent() || this.ticket.call.has_retry());
        let error = this.ticket.call.error(PolicyErrorKind::DeadlineExceeded);
        Poll::Ready(Some(Outcome::from_result(Err(M::policy(error)))))
    }

    #[cold]
    fn timed_out(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Fut::Output>> {
        let mut this = self.as_mut().project();
        *this.phase = Phase::Over;
        let watch = Watch::begin(this.ticket);
        this.stage.set(Stage::Over);
        watch.end();
        this.ticket.call.sent = true;
        this.ticket.call.abandon();
        let class = Class::Transient.code(PolicyErrorKind::TimedOut.as_str());
        this.ticket.failure(&class, true);
        if let Some(wait) = this.ticket.call.wait_after(&class) {
            return self.wait(wait, cx);
        }
        current::leave(this.ticket.call.is_spent() || this.ticket.call.has_retry());
        let error = this.ticket.call.error(PolicyErrorKind::TimedOut);
        Poll::Ready(Some(Outcome::from_result(Err(M::policy(error)))))
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
        this.ticket.call.sent |= !class.is_not_sent();
        let refusal = class.class() == Class::Refusal;
        if !class.is_evidence() {
            this.ticket.no_evidence();
        } else if refusal {
            this.ticket.success();
        } else {
            this.ticket.failure(&class, false);
        }
        if let Some(wait) = this.ticket.call.wait_after(&class) {
            drop(error);
            return self.wait(wait, cx);
        }
        current::leave(!refusal && (this.ticket.call.is_spent() || this.ticket.call.has_retry()));
        Poll::Ready(Some(Outcome::from_result(Err(error))))
    }

    /// Another attempt follows after `wait`.
    fn wait(self: Pin<&mut Self>, wait: Duration, cx: &mut Context<'_>) -> Poll<Option<Fut::Output>> {
        let mut this = self.project();
        // Only a first attempt can do without a frame, since its number is known.
        this.ticket.call.note = Note::ATTEMPT.with(Note::FRAMED);
        if wait.is_zero() {
            *this.phase = Phase::Yielding;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        *this.phase = Phase::Waiting;
        this.timer.set(Some(tokio::time::sleep(wait)));
        ready!(poll_timer(this.timer.as_mut(), cx));
        *this.phase = Phase::Over;
        this.ticket.call.go_on();
        Poll::Ready(None)
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
        if self.phase == Phase::New {
            match self.as_mut().project().ticket.admit() {
                Ok(Admitted::Run) => *self.as_mut().project().phase = Phase::Running,
                Ok(waits) => {
                    self.as_mut().begin_wait(&waits);
                    if let Step::Over(answer) = ready!(self.as_mut().poll_idle(cx)) {
                        return apart(Poll::Ready(answer));
                    }
                }
                Err(error) => return apart(Poll::Ready(Some(self.refused(error)))),
            }
        } else {
            if !matches!(self.phase, Phase::Running | Phase::Overtime)
                && let Step::Over(answer) = ready!(self.as_mut().poll_idle(cx))
            {
                return apart(Poll::Ready(answer));
            }
            // Read before the adapter may use the budget up, and only where time is running.
            could_answer = self.timer.is_none() || tokio::task::coop::has_budget_remaining();
        }
        let (outer, framed) = current::put(self.ticket.call.note);
        if framed && self.as_mut().is_late(outer) {
            return apart(self.cut_by_deadline());
        }
        let Poll::Ready(output) = self.as_mut().poll_adapter(outer, cx) else {
            return apart(self.poll_timeout(could_answer, cx));
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

/// Outside tokio's budget of work per poll: an adapter that uses the budget up must not keep its own timeout from being seen.
pub(super) fn poll_timer(timer: Pin<&mut Option<Sleep>>, cx: &mut Context<'_>) -> Poll<()> {
    match timer.as_pin_mut() {
        Some(sleep) => Pin::new(&mut tokio::task::unconstrained(sleep)).poll(cx),
        None => Poll::Ready(()),
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
