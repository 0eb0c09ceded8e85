//! Asks the dependency whether it is well, before the first call after the reset time.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::time::Instant;

use super::attempt::Watch;
use super::current::Note;
use super::ticket::Ticket;
use super::waits::poll_timer;
use super::{Call, Outcome, current};
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::{Class, Code, PolicyError, PolicyErrorKind};

/// What an examination found.
enum Found {
    Well,
    Unwell,
    TimedOut,
    DeadlineExceeded,
}

impl Call<'_> {
    /// As [`examine`](Self::examine), for attempts that race: each of them is a call of its own.
    pub(crate) async fn examine_for<P, Fut>(method: &MethodState, probe: P) -> Option<PolicyError>
    where
        P: FnOnce() -> Fut,
        Fut: Future<Output: Outcome>,
    {
        let mut call = Call::uncounted(method);
        let refused = call.examine(probe).await;
        // No attempt of this one follows.
        call.extras.take();
        refused
    }

    /// Before each attempt of a method with a `probe`: nothing, unless the circuit waits for the first call after its reset time. Then this
    /// call asks the dependency, while others are refused. Where it is well, the attempt that follows is the half-open probe;
    /// where not, the circuit reopens, and the call gets this error.
    ///
    /// Dropped while it asks, it leaves that to the next call. A panic of the adapter's code goes through unchanged.
    pub(crate) async fn examine<P, Fut>(&mut self, probe: P) -> Option<PolicyError>
    where
        P: FnOnce() -> Fut,
        Fut: Future<Output: Outcome>,
    {
        let rules = self.method.effective().breaker.as_ref()?;
        if self.method.breaker().pass().is_some() || !rules.examine || rules.observe {
            return None;
        }
        self.begin_time(current::deadline());
        let mut ticket = Ticket { call: self };
        if ticket.call.is_late() {
            return Some(ticket.call.error(PolicyErrorKind::DeadlineExceeded));
        }
        if let Err(refused) = ticket.pass_circuit() {
            return Some(ticket.call.circuit_open(refused));
        }
        if !ticket.examines() {
            ticket.no_evidence();
            ticket.call.go_on();
            return None;
        }
        let failed = match ticket.ask(probe).await {
            Found::Well => {
                ticket.examined();
                ticket.call.go_on();
                return None;
            }
            Found::DeadlineExceeded => {
                ticket.cut(Code::new(PolicyErrorKind::DeadlineExceeded.as_str()));
                return Some(ticket.call.error(PolicyErrorKind::DeadlineExceeded));
            }
            Found::TimedOut => Class::Transient.code(PolicyErrorKind::TimedOut.as_str()),
            Found::Unwell => Class::Transient.code("probe_failed"),
        };
        let timed_out =
            matches!(failed.get_code(), Some(code) if code.as_str() == PolicyErrorKind::TimedOut.as_str());
        ticket.failure(&failed, timed_out);
        // Refused by the circuit that has just reopened, so with its words.
        let refused = ticket.pass_circuit().err();
        ticket.no_evidence();
        if refused.is_none() {
            ticket.call.go_on();
        }
        refused.map(|refused| ticket.call.circuit_open(refused))
    }
}

impl Ticket<'_, '_> {
    /// Runs the adapter's probe, bounded by the timeout of an attempt and the deadline of the call.
    async fn ask<P, Fut>(&mut self, probe: P) -> Found
    where
        P: FnOnce() -> Fut,
        Fut: Future<Output: Outcome>,
    {
        let timeout = self.call.method.effective().policies.timeout;
        let limit = timeout.filter(|timeout| timeout.mode == Mode::Enforce);
        let now = Instant::now();
        self.start(now);
        let by_timeout = limit.and_then(|timeout| now.checked_add(timeout.limit));
        let deadline = self.call.deadline();
        let end = current::earlier(by_timeout, deadline);
        let watch = Watch::begin(self);
        let mut asking = pin!(probe());
        watch.end();
        let mut timer = pin!(end.map(tokio::time::sleep_until));
        let answer = poll_fn(|cx| {
            let watch = Watch::begin(self);
            let polled = asking.as_mut().poll(cx);
            watch.end();
            if let Poll::Ready(answer) = polled {
                return Poll::Ready(Some(answer));
            }
            match end {
                Some(_) => poll_timer(timer.as_mut(), cx).map(|()| None),
                None => Poll::Pending,
            }
        });
        let answer = answer.await;
        // What it called is no part of the attempts.
        self.call.note = self.call.note.without(Note::SPENT);
        match answer.map(Outcome::into_result) {
            Some(Ok(_)) => Found::Well,
            Some(Err(_)) => Found::Unwell,
            None if end == deadline => Found::DeadlineExceeded,
            None => Found::TimedOut,
        }
    }
}
