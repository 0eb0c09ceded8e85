//! What goes with one attempt from admission to outcome.

use std::task::{Poll, Waker};
use std::time::Duration;

use super::Call;
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::policy::bulkhead::{Joined, WaiterId};
use crate::policy::circuit_breaker::{Admission, Failure, Refused, Rules};
use crate::time::Moment;
use crate::{Classification, Code};

/// The circuit's admission, the bulkhead's place, and the one reading of the clock that all policies share.
///
/// Settled exactly once: by [`success`](Self::success), [`failure`](Self::failure) or [`no_evidence`](Self::no_evidence), or
/// else by its drop.
#[derive(Debug)]
pub(super) struct Ticket<'c, 's> {
    pub(super) call: &'c mut Call<'s>,
    admission: Admission,
    /// The admission is not settled. A flag, since an `Option` would make each call's future larger.
    open: bool,
    /// In the bulkhead's queue.
    waiter: Option<WaiterId>,
    /// Holds a place of the bulkhead.
    placed: bool,
    /// Something in observe mode would have refused it, so its outcome is no evidence.
    unjudged: bool,
    /// When the adapter's future was first pending.
    started: Moment,
}

/// Whether an attempt may start.
pub(super) enum Entry {
    Admitted,
    /// In the bulkhead's queue.
    Queued,
    CircuitOpen(Refused),
    BulkheadFull,
}

impl<'c, 's> Ticket<'c, 's> {
    #[inline]
    pub(super) const fn new(call: &'c mut Call<'s>) -> Self {
        let started = Moment::UNREAD;
        Self {
            call,
            admission: Admission::NONE,
            open: false,
            waiter: None,
            placed: false,
            unjudged: false,
            started,
        }
    }

    #[inline]
    const fn method(&self) -> &'s MethodState {
        self.call.method
    }

    /// Asks the circuit, then the bulkhead.
    #[inline]
    pub(super) fn admit(&mut self) -> Entry {
        if let Err(refused) = self.pass_circuit() {
            return Entry::CircuitOpen(refused);
        }
        match self.method().gate() {
            None => Entry::Admitted,
            Some(gate) if gate.try_enter() => {
                self.placed = true;
                Entry::Admitted
            }
            Some(_) => self.join(),
        }
    }

    #[inline]
    fn pass_circuit(&mut self) -> Result<(), Refused> {
        let rules = self.method().effective().breaker.as_ref();
        let admission = self.method().breaker().admit(rules, Moment::now)?;
        self.unjudged |= admission.is_shadow();
        self.admission = admission;
        self.open = true;
        Ok(())
    }

    /// There was no place at once.
    #[cold]
    fn join(&mut self) -> Entry {
        let Some(gate) = self.method().gate() else {
            return Entry::Admitted;
        };
        if self
            .method()
            .effective()
            .policies
            .bulkhead
            .is_some_and(|limits| limits.mode == Mode::Observe)
        {
            self.unjudged = true;
            return Entry::Admitted;
        }
        match gate.join() {
            Joined::Entered => {
                self.placed = true;
                Entry::Admitted
            }
            Joined::Queued(id) => {
                self.waiter = Some(id);
                Entry::Queued
            }
            Joined::Full => {
                self.no_evidence();
                Entry::BulkheadFull
            }
        }
    }

    /// Waits for the turn in the queue. A circuit that changed meanwhile is asked again.
    pub(super) fn poll_turn(&mut self, waker: &Waker) -> Poll<Entry> {
        if let (Some(id), Some(gate)) = (self.waiter, self.method().gate()) {
            if gate.poll_turn(id, waker).is_pending() {
                return Poll::Pending;
            }
            self.waiter = None;
            self.placed = true;
        }
        Poll::Ready(match self.pass_circuit_again() {
            Ok(()) => Entry::Admitted,
            Err(refused) => {
                self.give_place_back();
                Entry::CircuitOpen(refused)
            }
        })
    }

    /// The time for a place is up. A circuit that opened meanwhile is the better reason.
    pub(super) fn wait_is_over(&mut self) -> Entry {
        let circuit = self.pass_circuit_again();
        self.no_evidence();
        match circuit {
            Ok(()) => Entry::BulkheadFull,
            Err(refused) => Entry::CircuitOpen(refused),
        }
    }

    /// After a wait: nothing where the circuit is as it was.
    fn pass_circuit_again(&mut self) -> Result<(), Refused> {
        if self.method().breaker().holds(&self.admission) {
            return Ok(());
        }
        self.cancel();
        self.pass_circuit()
    }

    /// The adapter's future is pending for the first time.
    pub(super) fn start(&mut self, now: Moment) {
        self.started = now;
        if self.method().effective().policies.retry.is_some() {
            self.method().budget().tick(now);
        }
    }

    #[inline]
    pub(super) fn is_started(&self) -> bool {
        self.started != Moment::UNREAD
    }

    /// A timeout in observe mode would have cut it.
    pub(super) fn outlived_its_timeout(&mut self) {
        self.unjudged = true;
    }

    /// The dependency answered.
    #[inline]
    pub(super) fn success(&mut self) {
        self.open = false;
        let quiet = self.method().effective().quiet;
        if self.unjudged || !self.method().breaker().ignores_success(quiet, &self.admission) {
            self.record_success();
        }
        self.give_place_back();
    }

    #[cold]
    fn record_success(&self) {
        let breaker = self.method().breaker();
        let rules = self.method().effective().breaker.as_ref();
        if self.unjudged {
            breaker.cancel(self.admission);
        } else {
            let slow = rules.is_some_and(|rules| self.was_slow(rules));
            breaker.success(rules, self.admission, slow, Moment::now);
        }
    }

    /// The dependency failed.
    #[cold]
    pub(super) fn failure(&mut self, class: &Classification, timed_out: bool) {
        if std::mem::take(&mut self.open) {
            self.record_failure(class, timed_out);
        }
        self.give_place_back();
    }

    fn record_failure(&self, class: &Classification, timed_out: bool) {
        let breaker = self.method().breaker();
        let Some(rules) = self
            .method()
            .effective()
            .breaker
            .as_ref()
            .filter(|_| !self.unjudged)
        else {
            return breaker.cancel(self.admission);
        };
        let failure = Failure {
            slow: self.was_slow(rules),
            timed_out,
            code: class.get_code().cloned(),
            retry_after: class.get_retry_after(),
        };
        breaker.failure(Some(rules), self.admission, failure, Moment::now());
    }

    /// The attempt says nothing of the dependency.
    pub(super) fn no_evidence(&mut self) {
        self.cancel();
        self.give_place_back();
    }

    fn cancel(&mut self) {
        if std::mem::take(&mut self.open) {
            self.method().breaker().cancel(self.admission);
        }
    }

    fn was_slow(&self, rules: &Rules) -> bool {
        rules.slow.is_some_and(|slow| self.ran_for(slow.after))
    }

    /// The adapter panicked.
    #[cold]
    pub(super) fn panicked(&mut self) {
        self.failure(&crate::Class::Permanent.code("panicked"), false);
    }

    /// The caller is gone: a failure where the attempt had at least half of its time, no evidence otherwise.
    #[cold]
    fn dropped(&mut self) {
        let half = self
            .method()
            .effective()
            .policies
            .timeout
            .map(|timeout| timeout.limit / 2);
        if half.is_some_and(|half| self.is_started() && self.ran_for(half)) {
            self.failure(&crate::Class::Transient.code(Code::new("dropped")), false);
        } else {
            self.no_evidence();
        }
    }

    /// Whether it has been running for so long. What answered at once has not, and costs no reading of the clock.
    #[inline]
    fn ran_for(&self, time: Duration) -> bool {
        self.is_started() && Moment::now().since(self.started) >= time
    }

    #[inline]
    fn give_place_back(&mut self) {
        let Some(gate) = self.method().gate() else { return };
        if self.placed {
            self.placed = false;
            gate.leave();
        } else if let Some(id) = self.waiter.take() {
            gate.abandon(id);
        }
    }
}

impl Drop for Ticket<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        if self.open {
            self.dropped();
        }
    }
}
