//! From the circuit to the bulkhead: whether an attempt may start.

use std::sync::atomic::Ordering::Relaxed;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::{Flags, Ticket};
use crate::call::current;
use crate::policy::Mode;
use crate::policy::bulkhead::Joined;
use crate::policy::circuit_breaker::Refused;
use crate::policy::rate_limit::{Limiter, Rate};
use crate::time::Moment;

/// That an attempt may start, or what it waits for.
#[derive(Debug)]
pub(in crate::call) enum Admitted {
    Run,
    /// Its turn by the rate limit, in so long.
    Limited(Duration),
    /// A place of the bulkhead.
    Queued,
}

/// Why an attempt may not start.
#[derive(Debug)]
pub(in crate::call) enum Refusal {
    CircuitOpen(Refused),
    BulkheadFull,
    /// With the time until a call could start without a wait.
    RateLimited(Duration),
    DeadlineExceeded,
}

impl Ticket<'_, '_> {
    /// Through a closed circuit, past no rate limit, to a free place: all that most attempts need. `false`: [`pass_unless_passed`](Self::pass_unless_passed) and
    /// [`admit`](Self::admit) go on where this stopped.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(in crate::call) fn admit_at_once(&mut self) -> bool {
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
    pub(in crate::call) fn pass_unless_passed(&mut self) -> Result<(), Refused> {
        if self.call.flags.has(Flags::OPEN) {
            return Ok(());
        }
        self.pass_guarded()
    }

    /// Asks the rate limit, then the bulkhead.
    pub(in crate::call) fn admit(&mut self) -> Result<Admitted, Refusal> {
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
    pub(in crate::call) fn turn_has_come(&mut self) -> Result<Admitted, Refusal> {
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

    pub(in crate::call) fn pass_circuit(&mut self) -> Result<(), Refused> {
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
    pub(in crate::call) fn examines(&self) -> bool {
        self.method().breaker().examines(&self.call.holdings.admission)
    }

    /// The dependency is well, and the attempt that follows takes the place.
    pub(in crate::call) fn examined(&mut self) {
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
    pub(in crate::call) fn poll_turn(&mut self, waker: &Waker) -> Poll<Result<(), Refusal>> {
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
    pub(in crate::call) fn wait_is_over(&mut self) -> Refusal {
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
}
