//! What goes with one attempt from admission to outcome.

use std::sync::atomic::Ordering::Relaxed;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::{Call, current};
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::policy::bulkhead::{Joined, WaiterId};
use crate::policy::circuit_breaker::{Admission, Failure, Refused, Rules};
use crate::policy::rate_limit::{Limiter, Rate};
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

/// That an attempt may start, or what it waits for.
#[derive(Debug)]
pub(super) enum Admitted {
    Run,
    /// Its turn by the rate limit, in so long.
    Limited(Duration),
    /// A place of the bulkhead.
    Queued,
}

/// Why an attempt may not start.
#[derive(Debug)]
pub(super) enum Refusal {
    CircuitOpen(Refused),
    BulkheadFull,
    /// With the time until a call could start without a wait.
    RateLimited(Duration),
    DeadlineExceeded,
}

impl<'s> Ticket<'_, 's> {
    #[inline]
    const fn method(&self) -> &'s MethodState {
        self.call.method
    }

    /// Through a closed circuit, past no rate limit, to a free place: all that most attempts need. `false`: [`pass_unless_passed`](Self::pass_unless_passed) and
    /// [`admit`](Self::admit) go on where this stopped.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn admit_at_once(&mut self) -> bool {
        let Some(admission) = self.method().breaker().pass() else {
            return false;
        };
        self.call.holdings.admission = admission;
        self.call.flags.add(Flags::OPEN);
        if self.method().limiter().is_some() {
            return false;
        }
        match self.method().gate() {
            None => true,
            Some(gate) if gate.try_enter() => {
                self.call.flags.add(Flags::PLACED);
                true
            }
            Some(_) => false,
        }
    }

    /// Asks the circuit, where [`admit_at_once`](Self::admit_at_once) found that it is not closed.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn pass_unless_passed(&mut self) -> Result<(), Refused> {
        if self.call.flags.has(Flags::OPEN) {
            return Ok(());
        }
        self.pass_guarded()
    }

    /// Asks the rate limit, then the bulkhead.
    pub(super) fn admit(&mut self) -> Result<Admitted, Refusal> {
        match self.method().limiter() {
            None => self.enter(),
            Some((limiter, rate)) => self.take_permit(limiter, rate),
        }
    }

    /// Asks the bulkhead.
    fn enter(&mut self) -> Result<Admitted, Refusal> {
        match self.method().gate() {
            None => Ok(Admitted::Run),
            Some(gate) if gate.try_enter() => {
                self.call.flags.add(Flags::PLACED);
                Ok(Admitted::Run)
            }
            Some(_) => self.join(),
        }
    }

    /// Asks the rate limit, then the bulkhead.
    #[cold]
    fn take_permit(&mut self, limiter: &Limiter, rate: Rate) -> Result<Admitted, Refusal> {
        let policies = &self.method().effective().policies;
        let observes = policies
            .rate_limit
            .is_some_and(|limit| limit.mode == Mode::Observe);
        let max_wait = policies.rate_limit.map(|limit| limit.max_wait);
        let now = Instant::now();
        let max_wait = match max_wait {
            Some(wait) if !observes && !wait.is_zero() => {
                self.call.begin_time(current::deadline());
                let left = self.call.deadline().map(|end| end.saturating_duration_since(now));
                left.map_or(wait, |left| left.min(wait))
            }
            _ => Duration::ZERO,
        };
        match limiter.admit(rate, max_wait, now.into()) {
            Ok(turn) => {
                let wait = turn.at().since(now.into());
                if !wait.is_zero() {
                    self.call.keep_turn(turn);
                    return Ok(Admitted::Limited(wait));
                }
                let admitted = self.enter();
                match &admitted {
                    Ok(Admitted::Queued) => self.call.keep_turn(turn),
                    Ok(_) => {}
                    Err(_) => limiter.give_back(turn),
                }
                admitted
            }
            Err(_) if observes => {
                self.method().observed.limited.fetch_add(1, Relaxed);
                self.call.flags.add(Flags::UNJUDGED);
                self.enter()
            }
            Err(retry_after) => {
                self.no_evidence();
                Err(Refusal::RateLimited(retry_after))
            }
        }
    }

    /// The rate limit's wait is over. A circuit that changed meanwhile is asked again.
    pub(super) fn turn_has_come(&mut self) -> Result<Admitted, Refusal> {
        if let Err(refused) = self.pass_circuit_again() {
            self.call.give_turn_back();
            return Err(Refusal::CircuitOpen(refused));
        }
        let admitted = self.enter()?;
        if matches!(admitted, Admitted::Run) {
            self.call.use_turn();
        }
        Ok(admitted)
    }

    pub(super) fn pass_circuit(&mut self) -> Result<(), Refused> {
        let Some(admission) = self.method().breaker().pass() else {
            return self.pass_guarded();
        };
        self.call.holdings.admission = admission;
        self.call.flags.add(Flags::OPEN);
        Ok(())
    }

    /// The circuit is not closed.
    #[inline]
    fn pass_guarded(&mut self) -> Result<(), Refused> {
        let rules = self.method().effective().breaker.as_ref();
        let admission = self.method().breaker().admit(rules, Moment::now())?;
        if admission.is_shadow() {
            self.call.flags.add(Flags::UNJUDGED);
        }
        self.call.holdings.admission = admission;
        self.call.flags.add(Flags::OPEN);
        Ok(())
    }

    /// Whether it was let through to ask the dependency whether it is well.
    pub(super) fn examines(&self) -> bool {
        self.method().breaker().examines(&self.call.holdings.admission)
    }

    /// The dependency is well, and the attempt that follows takes the place.
    pub(super) fn examined(&mut self) {
        if self.call.flags.take(Flags::OPEN) {
            self.method().breaker().examined(self.call.holdings.admission);
        }
    }

    /// There was no place at once.
    #[cold]
    fn join(&mut self) -> Result<Admitted, Refusal> {
        let Some(gate) = self.method().gate() else {
            return Ok(Admitted::Run);
        };
        let bulkhead = self.method().effective().policies.bulkhead;
        if bulkhead.is_some_and(|limits| limits.mode == Mode::Observe) {
            self.method().observed.overflows.fetch_add(1, Relaxed);
            self.call.flags.add(Flags::UNJUDGED);
            return Ok(Admitted::Run);
        }
        match gate.join() {
            Joined::Entered => {
                self.call.flags.add(Flags::PLACED);
                Ok(Admitted::Run)
            }
            Joined::Queued(id) => {
                self.call.holdings.waiter = Some(id);
                Ok(Admitted::Queued)
            }
            Joined::Full => {
                self.no_evidence();
                Err(Refusal::BulkheadFull)
            }
        }
    }

    /// Waits for the turn in the queue. A circuit that changed meanwhile is asked again.
    pub(super) fn poll_turn(&mut self, waker: &Waker) -> Poll<Result<(), Refusal>> {
        if let (Some(id), Some(gate)) = (self.call.holdings.waiter, self.method().gate()) {
            if gate.poll_turn(id, waker).is_pending() {
                return Poll::Pending;
            }
            self.call.holdings.waiter = None;
            self.call.flags.add(Flags::PLACED);
            self.call.use_turn();
        }
        Poll::Ready(self.pass_circuit_again().map_err(|refused| {
            self.give_place_back();
            Refusal::CircuitOpen(refused)
        }))
    }

    /// The time for a place is up. A circuit that opened meanwhile is the better reason.
    pub(super) fn wait_is_over(&mut self) -> Refusal {
        let circuit = self.pass_circuit_again();
        self.no_evidence();
        match circuit {
            Err(refused) => Refusal::CircuitOpen(refused),
            Ok(()) if self.call.is_late() => Refusal::DeadlineExceeded,
            Ok(()) => Refusal::BulkheadFull,
        }
    }

    /// After a wait: nothing where the circuit is as it was.
    fn pass_circuit_again(&mut self) -> Result<(), Refused> {
        if self.method().breaker().holds(&self.call.holdings.admission) {
            return Ok(());
        }
        self.cancel();
        self.pass_circuit()
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
