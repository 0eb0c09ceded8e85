//! What a circuit does, decided from what it is told: no clock, no lock, no counter of outcomes.

use std::time::Duration;

use super::admission::{Failure, ProbeId, Refused};
use super::config::Rules;
use super::probes::Probes;
use super::state::{Cause, Transition};
use super::word::Phase;
use crate::Code;
use crate::time::Moment;

/// How far beyond `reset_after` the dependency may keep its circuit open where no `max_reset_after` says so.
const LONGEST_WISH: u32 = 10;

/// Closed, open or half-open, and everything that is only needed to leave that state.
#[derive(Debug)]
pub(super) struct Machine {
    phase: Phase,
    since: Option<Moment>,
    cause: Option<Cause>,
    /// Of the error that opened it.
    code: Option<Code>,
    /// When it stops refusing, where it is open; `None` waits for an operator.
    until: Option<Moment>,
    /// Since it was last closed.
    reopenings: u32,
    pub(super) probes: Probes,
    pub(super) counts: Counts,
}

/// How often a circuit changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) opened: u64,
    pub(super) reopened: u64,
}

/// What becomes of a call.
#[derive(Debug)]
pub(super) enum Verdict {
    Pass,
    Probe(ProbeId),
    Refuse(Refused),
}

impl Machine {
    pub(super) const fn new() -> Self {
        Self {
            phase: Phase::Closed,
            since: None,
            cause: None,
            code: None,
            until: None,
            reopenings: 0,
            probes: Probes::new(),
            counts: Counts {
                opened: 0,
                reopened: 0,
            },
        }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    /// Since when and why it is what it is; `None` where it has been so from the beginning.
    pub(super) const fn since(&self) -> Option<Moment> {
        self.since
    }

    pub(super) const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    pub(super) const fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// Whether it refuses whoever comes, and will not change for it.
    pub(super) fn refuses(&self, now: Moment) -> Option<Refused> {
        let retry_after = match (self.phase, self.until) {
            (Phase::ForcedOpen, _) | (Phase::Open, None) => None,
            (Phase::Open, Some(until)) if now < until => Some(until.since(now)),
            _ => return None,
        };
        Some(Refused {
            retry_after,
            code: self.code.clone(),
        })
    }

    pub(super) fn admit(&mut self, rules: Option<&Rules>, now: Moment) -> (Verdict, Option<Transition>) {
        let Some(rules) = rules else {
            return match self.phase {
                Phase::Closed | Phase::ForcedClosed => (Verdict::Pass, None),
                Phase::ForcedOpen => (self.refuse(None), None),
                Phase::Open | Phase::HalfOpen => (Verdict::Pass, Some(self.close(Cause::PolicyRemoved, now))),
            };
        };
        if let Some(refused) = self.refuses(now) {
            return (Verdict::Refuse(refused), None);
        }
        let transition = match self.phase {
            Phase::Closed | Phase::ForcedClosed => return (Verdict::Pass, None),
            Phase::Open | Phase::ForcedOpen => Some(self.half_open(rules, now)),
            Phase::HalfOpen => None,
        };
        let verdict = match self.probes.take(rules, now) {
            Some(probe) => Verdict::Probe(probe),
            None => self.refuse(None),
        };
        (verdict, transition)
    }

    fn refuse(&self, retry_after: Option<Duration>) -> Verdict {
        Verdict::Refuse(Refused {
            retry_after,
            code: self.code.clone(),
        })
    }

    /// Opens a closed circuit.
    pub(super) fn open(&mut self, rules: &Rules, cause: Cause, last: Failure, now: Moment) -> Transition {
        self.reopenings = 0;
        self.refuse_from(rules, cause, last, now)
    }

    /// A probe that lost its place says nothing.
    pub(super) fn probe_succeeded(
        &mut self,
        rules: &Rules,
        probe: ProbeId,
        slow: bool,
        now: Moment,
    ) -> Option<Transition> {
        if !self.probes.give_back(probe) {
            None
        } else if slow && rules.slow.is_some() {
            Some(self.reopen(rules, Cause::ProbeSlow, Failure::default(), now))
        } else if self.probes.succeeded() >= rules.success_threshold {
            Some(self.close(Cause::ProbesSucceeded, now))
        } else {
            None
        }
    }

    /// As [`Self::probe_succeeded`].
    pub(super) fn probe_failed(
        &mut self,
        rules: &Rules,
        probe: ProbeId,
        failure: Failure,
        now: Moment,
    ) -> Option<Transition> {
        self.probes
            .give_back(probe)
            .then(|| self.reopen(rules, Cause::ProbeFailed, failure, now))
    }

    fn reopen(&mut self, rules: &Rules, cause: Cause, last: Failure, now: Moment) -> Transition {
        self.reopenings = self.reopenings.saturating_add(1);
        self.refuse_from(rules, cause, last, now)
    }

    fn refuse_from(&mut self, rules: &Rules, cause: Cause, last: Failure, now: Moment) -> Transition {
        self.until = (!rules.manual).then(|| now.after(open_time(rules, self.reopenings, &last)));
        self.go(Phase::Open, cause, last.code, now)
    }

    fn half_open(&mut self, rules: &Rules, now: Moment) -> Transition {
        let code = self.code.clone();
        let transition = self.go(Phase::HalfOpen, Cause::ResetTime, code, now);
        if rules.examine && !rules.observe {
            self.probes.examine_first();
        }
        transition
    }

    fn close(&mut self, cause: Cause, now: Moment) -> Transition {
        self.go(Phase::Closed, cause, None, now)
    }

    /// Closed, whatever it was: `None` where it is so already, by its own rules.
    pub(super) fn reset(&mut self, now: Moment) -> Option<Transition> {
        self.command(Phase::Closed, now)
    }

    /// Refuses until released.
    pub(super) fn force_open(&mut self, now: Moment) -> Option<Transition> {
        self.command(Phase::ForcedOpen, now)
    }

    /// Lets everything through, and judges nothing, until released.
    pub(super) fn force_closed(&mut self, now: Moment) -> Option<Transition> {
        self.command(Phase::ForcedClosed, now)
    }

    /// Ends what was forced: closed, and by its own rules again.
    pub(super) fn release(&mut self, now: Moment) -> Option<Transition> {
        if self.phase.is_forced() {
            self.command(Phase::Closed, now)
        } else {
            None
        }
    }

    fn command(&mut self, phase: Phase, now: Moment) -> Option<Transition> {
        (self.phase != phase).then(|| self.go(phase, Cause::Operator, None, now))
    }

    /// The one place where anything changes its state.
    fn go(&mut self, phase: Phase, cause: Cause, code: Option<Code>, now: Moment) -> Transition {
        let transition = Transition {
            from: self.phase.state(),
            to: phase.state(),
            forced: phase.is_forced(),
            cause,
            code,
        };
        self.counts.count(&transition);
        self.phase = phase;
        self.since = Some(now);
        self.cause = Some(cause);
        self.code.clone_from(&transition.code);
        self.probes.clear();
        transition
    }
}

impl Counts {
    fn count(&mut self, transition: &Transition) {
        use super::state::CircuitState::{Closed, HalfOpen, Open};
        let counter = match (transition.from, transition.to) {
            (Closed, Open) => &mut self.opened,
            (HalfOpen, Open) => &mut self.reopened,
            _ => return,
        };
        *counter = counter.saturating_add(1);
    }
}

/// How long the circuit refuses: its own time, doubled for each reopening where that is bounded, and at least what the
/// dependency asked for, within reason.
fn open_time(rules: &Rules, reopenings: u32, last: &Failure) -> Duration {
    let base = if last.timed_out {
        rules.reset_after_timeout
    } else {
        rules.reset_after
    };
    let own = match rules.max_reset_after {
        Some(max) => {
            let times = 1_u32.checked_shl(reopenings).unwrap_or(u32::MAX);
            base.saturating_mul(times).min(max)
        }
        None => base,
    };
    let longest_wish = rules
        .max_reset_after
        .unwrap_or_else(|| rules.reset_after.saturating_mul(LONGEST_WISH));
    own.max(last.retry_after.unwrap_or_default().min(longest_wish))
}
