//! What an operator sees and does.

use super::breaker::Breaker;
use super::machine::{Counts, Machine};
use super::publish::Transitions;
use super::state::{Cause, CircuitState, Transition};
use crate::Code;
use crate::sync::lock;
use crate::time::Moment;

/// What operators see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) state: CircuitState,
    pub(crate) forced: bool,
    /// `None`: from the beginning.
    pub(crate) since: Option<Moment>,
    /// Of the last transition.
    pub(crate) cause: Option<Cause>,
    /// Of the error that opened it, while it is not closed.
    pub(crate) code: Option<Code>,
    /// Failures in a row: now, or where it is not closed, when it ceased to be.
    pub(crate) failures: u32,
    /// How often it opened from closed.
    pub(crate) opened: u64,
    /// How often it opened again from half-open.
    pub(crate) reopened: u64,
    /// How many calls it refused, or would have.
    pub(crate) refused: u64,
}

impl Status {
    const fn of_one_never_in_trouble(failures: u32) -> Self {
        Self {
            state: CircuitState::Closed,
            forced: false,
            since: None,
            cause: None,
            code: None,
            failures,
            opened: 0,
            reopened: 0,
            refused: 0,
        }
    }
}

impl Breaker {
    /// What it does now.
    #[cfg(test)]
    pub(crate) fn state(&self) -> CircuitState {
        self.word().phase().state()
    }

    /// All that is known of it, of one moment.
    pub(crate) fn status(&self) -> Status {
        let Some(rare) = self.rare.get() else {
            return Status::of_one_never_in_trouble(self.run.count());
        };
        let inner = lock(&rare.inner);
        let phase = inner.machine.phase();
        let Counts { opened, reopened } = inner.machine.counts;
        Status {
            state: phase.state(),
            forced: phase.is_forced(),
            since: inner.machine.since(),
            cause: inner.machine.cause(),
            code: inner.machine.code().cloned(),
            failures: if self.word().judges() {
                self.run.count()
            } else {
                inner.failures
            },
            opened,
            reopened,
            refused: inner.refused,
        }
    }

    /// Closed, fresh, and by its own rules, whatever it was and whoever forced it.
    #[cold]
    pub(crate) fn reset(&self, now: Moment) {
        let mut inner = self.lock();
        let transition = inner.machine.reset(now);
        if transition.is_none() {
            self.renew(&mut inner);
        }
        self.note(&mut inner, transition);
        self.publish(inner);
    }

    /// Refuses everything until it is released or reset.
    pub(crate) fn force_open(&self, now: Moment) {
        self.command(|machine| machine.force_open(now));
    }

    /// Lets everything through, and judges nothing, until it is released or reset.
    pub(crate) fn force_closed(&self, now: Moment) {
        self.command(|machine| machine.force_closed(now));
    }

    /// Ends what was forced: closed, fresh, and by its own rules. Nothing where nothing was forced.
    pub(crate) fn release(&self, now: Moment) {
        self.command(|machine| machine.release(now));
    }

    #[cold]
    fn command(&self, command: impl FnOnce(&mut Machine) -> Option<Transition>) {
        let mut inner = self.lock();
        let transition = command(&mut inner.machine);
        self.note(&mut inner, transition);
        self.publish(inner);
    }

    /// Its transitions from now on.
    pub(crate) fn subscribe(&self) -> Transitions {
        self.lock().outbox.subscribe()
    }
}
