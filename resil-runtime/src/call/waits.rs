//! The rest of an attempt without its adapter: waits, limits, and ends. It is compiled once, and not for every method.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::Call;
use super::current::{self, Note};
use super::extras::Limit;
use super::held::Waits;
use super::ticket::{Admitted, Refusal};
use crate::policy::Mode;
use crate::{Class, Classification, Code, PolicyError, PolicyErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
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
pub(super) enum Idle {
    /// The attempt may run.
    Run,
    /// It is over, and another one follows.
    Next,
}

/// Why a running attempt ends before its adapter answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Timeout,
    Deadline,
    /// The deadline, before the adapter was called.
    Late,
}

impl<'s> Waits<'_, '_, 's> {
    /// A policy says no: the call that it says it to.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn refuses(&mut self) -> &Call<'s> {
        *self.phase = Phase::Over;
        let call = &*self.ticket.call;
        current::leave(call.has_retry());
        call
    }

    #[cold]
    pub(super) fn refused(&mut self, refusal: Refusal) -> PolicyError {
        let call = self.refuses();
        match refusal {
            Refusal::CircuitOpen(refused) => call.circuit_open(refused),
            Refusal::BulkheadFull => call.error(PolicyErrorKind::BulkheadFull),
            Refusal::RateLimited(wait) => call.error(PolicyErrorKind::RateLimited).with_retry_after(wait),
            Refusal::DeadlineExceeded => call.error(PolicyErrorKind::DeadlineExceeded),
        }
    }

    fn admitted(&mut self, admitted: &Admitted) {
        *self.phase = match *admitted {
            Admitted::Run => Phase::Running,
            Admitted::Limited(wait) => {
                self.timer.set(Some(tokio::time::sleep(wait)));
                Phase::Limited
            }
            Admitted::Queued => Phase::Queued,
        };
    }

    /// Waits for its turn by the rate limit, for a place in the bulkhead, or for the time of the next attempt.
    pub(super) fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<Result<Idle, Refusal>> {
        if *self.phase == Phase::New {
            match self.ticket.admit() {
                Ok(admitted) => self.admitted(&admitted),
                Err(refusal) => return Poll::Ready(Err(refusal)),
            }
        }
        if *self.phase == Phase::Limited {
            ready!(poll_timer(self.timer.as_mut(), cx));
            self.timer.set(None);
            match self.ticket.turn_has_come() {
                Ok(waits) => self.admitted(&waits),
                Err(refusal) => return Poll::Ready(Err(refusal)),
            }
        }
        match *self.phase {
            Phase::Running => return Poll::Ready(Ok(Idle::Run)),
            Phase::Queued => return self.poll_queue(cx),
            Phase::Waiting => ready!(poll_timer(self.timer.as_mut(), cx)),
            Phase::Yielding => {}
            Phase::New | Phase::Limited | Phase::Overtime | Phase::Over => {
                panic!("an attempt was polled after it had ended")
            }
        }
        self.next();
        Poll::Ready(Ok(Idle::Next))
    }

    fn poll_queue(&mut self, cx: &mut Context<'_>) -> Poll<Result<Idle, Refusal>> {
        let turn = if let Poll::Ready(turn) = self.ticket.poll_turn(cx.waker()) {
            turn
        } else {
            ready!(self.poll_patience(cx));
            Err(self.ticket.wait_is_over())
        };
        self.timer.set(None);
        Poll::Ready(turn.map(|()| {
            *self.phase = Phase::Running;
            Idle::Run
        }))
    }

    /// The end of the wait for a place in the bulkhead: by its own bound, or by the deadline.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.timer.is_none() {
            let call = &mut *self.ticket.call;
            call.begin_time(current::deadline());
            let bound = call.max_wait().and_then(|wait| Instant::now().checked_add(wait));
            match current::earlier(bound, call.deadline()) {
                Some(end) => self.timer.set(Some(tokio::time::sleep_until(end))),
                None => return Poll::Pending,
            }
        }
        poll_timer(self.timer.as_mut(), cx)
    }

    /// The adapter is not ready: time runs from now on, or is up.
    ///
    /// `could_answer`: tokio's budget of work per poll was not used up before the adapter was polled. Where it was, by others
    /// in the same task, the adapter may have an answer that it could not give, so its time is not up yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn poll_timeout(&mut self, could_answer: bool, cx: &mut Context<'_>) -> Poll<Cut> {
        if self.ticket.call.extras.is_some() {
            return self.poll_limits(could_answer, cx);
        }
        let effective = self.ticket.call.method.effective();
        let Some(timeout) = &effective.policies.timeout else {
            if effective.breaker.is_some_and(|rules| rules.slow.is_some()) && !self.ticket.is_started() {
                self.ticket.start(Instant::now());
            }
            return Poll::Pending;
        };
        if *self.phase == Phase::Overtime {
            return Poll::Pending;
        }
        if !self.ticket.is_started() {
            let now = Instant::now();
            self.ticket.start(now);
            // A limit beyond the end of the clock is never reached.
            let Some(end) = now.checked_add(timeout.limit) else {
                return Poll::Pending;
            };
            self.timer.set(Some(tokio::time::sleep_until(end)));
        }
        if self.timer.is_none() {
            return Poll::Pending;
        }
        ready!(self.poll_end(could_answer, cx));
        if timeout.mode == Mode::Observe {
            *self.phase = Phase::Overtime;
            self.ticket.outlived_its_timeout();
            return Poll::Pending;
        }
        Poll::Ready(Cut::Timeout)
    }

    /// As `poll_timeout`, for a call that may have deadlines.
    #[cold]
    fn poll_limits(&mut self, could_answer: bool, cx: &mut Context<'_>) -> Poll<Cut> {
        loop {
            let started = self.ticket.started_or(Instant::now);
            let timeout = self.ticket.call.method.effective().policies.timeout;
            let timeout = timeout.filter(|_| *self.phase != Phase::Overtime);
            let by_timeout = timeout
                .and_then(|timeout| started.checked_add(timeout.limit))
                .map(|end| (end, Limit::Timeout));
            let limits = by_timeout.into_iter().chain(self.ticket.call.next_deadline());
            let Some((end, limit)) = limits.min_by_key(|(end, _)| *end) else {
                return Poll::Pending;
            };
            let timer = self.timer.as_ref().as_pin_ref();
            if timer.is_none_or(|timer| timer.deadline() != end) {
                self.timer.set(Some(tokio::time::sleep_until(end)));
            }
            ready!(self.poll_end(could_answer, cx));
            match limit {
                Limit::Deadline => return Poll::Ready(Cut::Deadline),
                Limit::Timeout if timeout.is_some_and(|timeout| timeout.mode == Mode::Enforce) => {
                    return Poll::Ready(Cut::Timeout);
                }
                Limit::Timeout => {
                    *self.phase = Phase::Overtime;
                    self.ticket.outlived_its_timeout();
                }
                Limit::Observed => self.ticket.outlived_its_deadline(),
            }
        }
    }

    #[inline]
    fn poll_end(&mut self, could_answer: bool, cx: &mut Context<'_>) -> Poll<()> {
        match self.timer.as_mut().as_pin_mut() {
            Some(timer) if could_answer => Pin::new(&mut tokio::task::unconstrained(timer)).poll(cx),
            Some(timer) => timer.poll(cx),
            None => Poll::Ready(()),
        }
    }

    /// The adapter's future was dropped. The error is the caller's answer, `None` that another attempt follows.
    #[cold]
    pub(super) fn cut(&mut self, cut: Cut, cx: &mut Context<'_>) -> Poll<Option<PolicyError>> {
        let call = &mut *self.ticket.call;
        call.sent |= cut != Cut::Late;
        let kind = match cut {
            Cut::Timeout => {
                call.abandon();
                let class = Class::Transient.code(PolicyErrorKind::TimedOut.as_str());
                self.ticket.failure(&class, true);
                if let Some(wait) = self.ticket.call.wait_after(&class) {
                    return self.wait(wait, cx).map(|()| None);
                }
                PolicyErrorKind::TimedOut
            }
            Cut::Deadline | Cut::Late => {
                let kind = PolicyErrorKind::DeadlineExceeded;
                self.ticket.cut(Code::new(kind.as_str()));
                kind
            }
        };
        let call = &self.ticket.call;
        current::leave(call.is_spent() || call.has_retry());
        Poll::Ready(Some(call.error(kind)))
    }

    /// The adapter answered with an error of this class. `None`: it is the caller's answer; else another attempt follows.
    #[cold]
    pub(super) fn failed(&mut self, class: &Classification, cx: &mut Context<'_>) -> Option<Poll<()>> {
        self.ticket.call.sent |= !class.is_not_sent();
        let refusal = class.class() == Class::Refusal;
        if !class.is_evidence() {
            self.ticket.no_evidence();
        } else if refusal {
            self.ticket.success();
        } else {
            self.ticket.failure(class, false);
        }
        if let Some(wait) = self.ticket.call.wait_after(class) {
            return Some(self.wait(wait, cx));
        }
        let call = &self.ticket.call;
        current::leave(!refusal && (call.is_spent() || call.has_retry()));
        None
    }

    /// Another attempt follows after `wait`.
    fn wait(&mut self, wait: Duration, cx: &mut Context<'_>) -> Poll<()> {
        // Only a first attempt can do without a frame, since its number is known.
        self.ticket.call.note = Note::ATTEMPT.with(Note::FRAMED);
        if wait.is_zero() {
            *self.phase = Phase::Yielding;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        *self.phase = Phase::Waiting;
        self.timer.set(Some(tokio::time::sleep(wait)));
        ready!(poll_timer(self.timer.as_mut(), cx));
        self.next();
        Poll::Ready(())
    }

    fn next(&mut self) {
        *self.phase = Phase::Over;
        self.ticket.call.go_on();
    }
}

/// Outside tokio's budget of work per poll: an adapter that uses the budget up must not keep its own timeout from being seen.
pub(super) fn poll_timer(timer: Pin<&mut Option<Sleep>>, cx: &mut Context<'_>) -> Poll<()> {
    match timer.as_pin_mut() {
        Some(sleep) => Pin::new(&mut tokio::task::unconstrained(sleep)).poll(cx),
        None => Poll::Ready(()),
    }
}
