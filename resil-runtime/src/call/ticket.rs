//! What goes with one attempt from admission to outcome.

mod admission;

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::Instant;

pub(super) use self::admission::{Admitted, Refusal};
use super::{Call, current};
use crate::instance::MethodState;
use crate::policy::bulkhead::WaiterId;
use crate::policy::circuit_breaker::{Admission, Failure, Rules};
use crate::time::Moment;
use crate::{Classification, Code};

/// The circuit's admission, the bulkhead's place, and the one reading of the clock that all policies share.
///
/// Settled exactly once: by [`success`](Self::success), [`failure`](Self::failure) or [`no_evidence`](Self::no_evidence), or
/// else by its drop.
///
/// What it holds stands in the call, so that beginning an attempt writes it where it stays: moved with the attempt, its
/// words are read in other widths than they were written, and the processor waits for that.
#[derive(Debug)]
pub(super) struct Ticket<'c, 's> {
    pub(super) call: &'c mut Call<'s>,
}

/// What a ticket holds.
#[derive(Debug)]
pub(super) struct Holdings {
    admission: Admission,
    /// In the bulkhead's queue.
    waiter: Option<WaiterId>,
    /// When the adapter's future was first pending.
    started: Option<Instant>,
}

/// What there is to settle or to give back, in one byte, so that one look tells that there is nothing. It stands in the call
/// beside other small things, where it needs no room of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const NONE: Self = Self(0);
    /// The admission is not settled.
    const OPEN: Self = Self(1);
    /// Holds a place of the bulkhead.
    const PLACED: Self = Self(2);
    /// Something in observe mode would have refused it, so its outcome is no evidence.
    const UNJUDGED: Self = Self(4);
    /// The call has extras.
    pub(super) const EXTRAS: Self = Self(8);

    #[inline]
    const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    #[inline]
    pub(super) fn add(&mut self, flag: Self) {
        self.0 |= flag.0;
    }

    /// What there was; only that the call has extras stays.
    #[inline]
    pub(super) fn settle(&mut self) -> Self {
        let before = *self;
        self.0 &= Self::EXTRAS.0;
        before
    }

    /// Whether it was there.
    #[inline]
    fn take(&mut self, flag: Self) -> bool {
        let had = self.has(flag);
        self.0 &= !flag.0;
        had
    }
}

impl Holdings {
    pub(super) const NOTHING: Self = Self {
        admission: Admission::NONE,
        waiter: None,
        started: None,
    };
}

impl<'s> Ticket<'_, 's> {
    #[inline]
    const fn method(&self) -> &'s MethodState {
        self.call.method
    }

    /// The adapter's future is pending for the first time.
    pub(super) fn start(&mut self, now: Instant) {
        self.call.holdings.started = Some(now);
        if self.method().effective().policies.retry.is_some() {
            self.method().budget().tick(|| now.into());
        }
    }

    /// When it was first pending: now, where that is not known yet.
    pub(super) fn started_or(&mut self, now: impl FnOnce() -> Instant) -> Instant {
        if let Some(started) = self.call.holdings.started {
            return started;
        }
        let now = now();
        self.start(now);
        now
    }

    /// A deadline in observe mode would have ended its call.
    pub(super) fn outlived_its_deadline(&mut self) {
        self.call.outlived_its_deadline();
        self.call.flags.add(Flags::UNJUDGED);
    }

    #[inline]
    pub(super) fn is_started(&self) -> bool {
        self.call.holdings.started.is_some()
    }

    /// A timeout in observe mode would have cut it.
    pub(super) fn outlived_its_timeout(&mut self) {
        self.method().observed.timeouts.fetch_add(1, Relaxed);
        self.call.flags.add(Flags::UNJUDGED);
    }

    /// The dependency answered.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a twentieth of a call's instructions")]
    pub(super) fn success(&mut self) {
        let flags = self.call.flags.settle();
        let quiet = self.method().effective().quiet;
        if flags.has(Flags::UNJUDGED)
            || !self
                .method()
                .breaker()
                .ignores_success(quiet, &self.call.holdings.admission)
        {
            self.record_success(flags);
        }
        if flags.has(Flags::PLACED)
            && let Some(gate) = self.method().gate()
        {
            gate.leave();
        }
    }

    #[cold]
    fn record_success(&self, flags: Flags) {
        let breaker = self.method().breaker();
        let rules = self.method().effective().breaker.as_ref();
        if flags.has(Flags::UNJUDGED) {
            breaker.cancel(self.call.holdings.admission);
        } else {
            let slow = rules.is_some_and(|rules| self.was_slow(rules));
            breaker.success(rules, self.call.holdings.admission, slow, Moment::now);
        }
    }

    /// The dependency failed.
    #[cold]
    pub(super) fn failure(&mut self, class: &Classification, timed_out: bool) {
        if self.call.flags.take(Flags::OPEN) {
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
            .filter(|_| !self.call.flags.has(Flags::UNJUDGED))
        else {
            return breaker.cancel(self.call.holdings.admission);
        };
        let failure = Failure {
            slow: self.was_slow(rules),
            timed_out,
            code: class.get_code().cloned(),
            retry_after: class.get_retry_after(),
        };
        breaker.failure(Some(rules), self.call.holdings.admission, failure, Moment::now());
    }

    /// The attempt says nothing of the dependency.
    pub(super) fn no_evidence(&mut self) {
        self.cancel();
        self.call.give_turn_back();
        self.give_place_back();
    }

    fn cancel(&mut self) {
        if self.call.flags.take(Flags::OPEN) {
            self.method().breaker().cancel(self.call.holdings.admission);
        }
    }

    fn was_slow(&self, rules: &Rules) -> bool {
        rules.slow.is_some_and(|slow| self.ran_for(slow.after))
    }

    /// The adapter panicked. Its place stays taken until its future is dropped.
    #[cold]
    pub(super) fn panicked(&mut self) {
        self.call.abandon();
        if self.call.flags.take(Flags::OPEN) {
            self.record_failure(&crate::Class::Permanent.code("panicked"), false);
        }
    }

    /// The caller is gone.
    #[cold]
    fn dropped(&mut self) {
        if self.call.has_lost() {
            self.call.abandon();
            return self.no_evidence();
        }
        if self.call.number > 1 {
            // Cut by a layer further out while it repeated: that one must not begin anew.
            current::leave(true);
        }
        self.cut(Code::new("dropped"));
    }

    /// It ends without an answer, by no fault of the dependency that is known: a failure where the attempt had at least half of
    /// its time, no evidence otherwise.
    #[cold]
    pub(super) fn cut(&mut self, code: Code) {
        self.call.abandon();
        let half = self
            .method()
            .effective()
            .policies
            .timeout
            .map(|timeout| timeout.limit / 2);
        if half.is_some_and(|half| self.ran_for(half)) {
            self.failure(&crate::Class::Transient.code(code), false);
        } else {
            self.no_evidence();
        }
    }

    /// Whether it has been running for so long. What answered at once has not, and costs no reading of the clock.
    #[inline]
    fn ran_for(&self, time: Duration) -> bool {
        self.call
            .holdings
            .started
            .is_some_and(|started| started.elapsed() >= time)
    }

    /// What was not settled or given back before the end.
    #[cold]
    fn give_back(&mut self) {
        if self.call.flags.has(Flags::OPEN) {
            self.dropped();
        } else {
            self.give_place_back();
        }
        if self.call.flags.has(Flags::EXTRAS) {
            self.call.end_extras();
        }
    }

    #[inline]
    fn give_place_back(&mut self) {
        let Some(gate) = self.method().gate() else { return };
        if self.call.flags.take(Flags::PLACED) {
            gate.leave();
        } else if let Some(id) = self.call.holdings.waiter.take() {
            gate.abandon(id);
        }
    }
}

impl Drop for Ticket<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        if self.call.flags != Flags::NONE {
            self.give_back();
        }
    }
}
