//! An attempt without its adapter: what each call does of it. What only some do is in [`waits`](super::waits).

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use super::Call;
use super::current::{self, Note};
use super::ticket::Ticket;
use super::waits::{Idle, Phase};
use crate::ErrorMap;

/// What comes of a poll before the adapter is reached. `E` is the adapter's error.
pub(super) enum Begin<E> {
    /// It is the adapter's turn, and the note of the attempt is in place.
    Run {
        /// The note that was there before.
        outer: Note,
        /// See [`Waits::poll_timeout`].
        could_answer: bool,
    },
    /// It waits.
    Pending,
    /// It is over, and another one follows.
    Next,
    /// It is over, since a policy says no.
    Refused(E),
    /// It is too late to call the adapter.
    Late,
}

pin_project! {
    /// An attempt without its adapter.
    #[project = Waits]
    #[repr(C)]
    pub(super) struct Held<'c, 's> {
        pub(super) ticket: Ticket<'c, 's>,
        pub(super) phase: Phase,
        // For the place in the bulkhead, then for the timeout, then for the wait before the next attempt. Inline, since a call
        // that has to wait is no exception; made only then.
        #[pin]
        pub(super) timer: Option<Sleep>,
    }
}

impl<'c, 's> Held<'c, 's> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(call: &'c mut Call<'s>) -> Self {
        call.number = call.number.wrapping_add(1);
        Self {
            ticket: Ticket { call },
            phase: Phase::New,
            timer: None,
        }
    }

    /// Made anew for each use: what all calls do needs no more than the one pointer.
    #[inline]
    pub(super) fn waits(self: Pin<&mut Self>) -> Waits<'_, 'c, 's> {
        self.project()
    }

    /// All that precedes the adapter.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn begin<M: ErrorMap<E>, E>(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Begin<E> {
        let (mut new, mut could_answer) = (true, true);
        if self.phase == Phase::New && self.as_mut().project().ticket.admit_at_once() {
            *self.as_mut().project().phase = Phase::Running;
        } else {
            new = !matches!(self.phase, Phase::Running | Phase::Overtime);
            if new {
                match self.as_mut().poll_idle::<M, E>(cx) {
                    Poll::Pending => return Begin::Pending,
                    Poll::Ready(Ok(Idle::Run)) => {}
                    Poll::Ready(Ok(Idle::Next)) => return Begin::Next,
                    Poll::Ready(Err(error)) => return Begin::Refused(error),
                }
            }
            // Read before the adapter may use the budget up, and only where time is running.
            could_answer = self.timer.is_none() || tokio::task::coop::has_budget_remaining();
        }
        let (outer, framed) = current::put(self.ticket.call.note);
        if framed && self.project().ticket.call.enter_unless_late(outer, new) {
            return Begin::Late;
        }
        Begin::Run { outer, could_answer }
    }

    /// As that of [`Waits`], but an open circuit is asked here: what it says is moved no more than it has to be.
    #[cold]
    fn poll_idle<M: ErrorMap<E>, E>(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Idle, E>> {
        if self.phase == Phase::New
            && let Err(refused) = self.as_mut().project().ticket.pass_unless_passed()
        {
            return Poll::Ready(Err(M::policy(self.waits().refuses().circuit_open(refused))));
        }
        let mut waits = self.waits();
        match waits.poll_idle(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(idle)) => Poll::Ready(Ok(idle)),
            Poll::Ready(Err(refusal)) => Poll::Ready(Err(M::policy(waits.refused(refusal)))),
        }
    }

    /// It is the adapter's turn.
    #[inline]
    pub(super) fn running(self: Pin<&mut Self>) -> &mut Ticket<'c, 's> {
        self.project().ticket
    }

    /// The adapter is not polled again.
    #[inline]
    pub(super) fn over(self: Pin<&mut Self>) -> &mut Ticket<'c, 's> {
        let this = self.project();
        *this.phase = Phase::Over;
        this.ticket
    }

    /// The adapter answered with a value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn succeeded(self: Pin<&mut Self>) {
        current::leave(false);
        self.over().success();
    }
}
