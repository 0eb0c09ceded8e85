//! When each attempt may start.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::config::RateLimit;
use crate::sync::AtomicU64;
use crate::time::Moment;

/// The generic cell rate algorithm: of all that was admitted only the moment is kept at which every permit will have come back.
///
/// That moment is the whole state. The numbers are given with each question, so that they can change without what was taken
/// being forgotten. Where it lies at most [`Rate::slack`] ahead, an attempt may start now, and puts it off by a
/// [`Rate::period`]; where it lies further ahead, one may start as soon as it does not.
///
/// Who has to wait takes the turn at once and waits exactly until then, rather than asking again later: turns come in the order of
/// the asking, nobody who comes later can overtake, each waiter needs one timer, and none is woken in vain. The price is a turn
/// that is given up while somebody took a later one: those keep their times, and it stays unused.
#[derive(Debug)]
pub(crate) struct Limiter {
    /// As in [`Moment`]. All decisions stand on this one word, so none needs an order with others.
    all_back: AtomicU64,
}

/// The numbers of a [`RateLimit`], in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// In which one permit comes back; at least 1. Rounded up, so that a quota is kept rather than passed: each permit comes less
    /// than a nanosecond late.
    period: u64,
    /// How far ahead the return of all permits may lie for one that starts now.
    slack: u64,
}

/// A permit, and when it may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    at: Moment,
    /// When all would have been back without it, and when they are with it.
    before: u64,
    after: u64,
}

/// No more than what comes back in two hundred years is kept for a burst, so that no sum with a [`Moment`] reaches the end of
/// time: there, nothing would be counted any longer.
const LONGEST: u128 = 200 * 365 * 24 * 60 * 60 * 1_000_000_000;

impl RateLimit {
    /// The same in the terms of a [`Limiter`].
    pub(crate) const fn rate(&self) -> Rate {
        // What was not checked yet must not divide by zero here.
        let permits = if self.permits == 0 { 1 } else { self.permits };
        let burst = match self.burst {
            Some(burst) => burst,
            None => permits,
        };
        let period = self.per.as_nanos().div_ceil(permits as u128);
        let period = if period == 0 { 1 } else { capped(period) };
        Rate {
            period,
            slack: capped((period as u128).saturating_mul(burst.saturating_sub(1) as u128)),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cap is below 2^63")]
const fn capped(nanos: u128) -> u64 {
    if nanos < LONGEST {
        nanos as u64
    } else {
        LONGEST as u64
    }
}

impl Turn {
    /// When the attempt may start: not after the moment it was asked for, where it need not wait.
    pub(crate) const fn at(&self) -> Moment {
        self.at
    }
}

impl Limiter {
    /// With all permits there.
    pub(crate) fn new() -> Self {
        Self {
            all_back: AtomicU64::new(0),
        }
    }

    /// Takes a permit where its turn comes within `max_wait`; who must wait for it does so until [`Turn::at`], and gives a turn
    /// that is not used [back](Self::give_back).
    ///
    /// # Errors
    ///
    /// How long until an attempt could start without a wait, provided that nobody asks before. Nothing is taken.
    pub(crate) fn admit(&self, rate: Rate, max_wait: Duration, now: Moment) -> Result<Turn, Duration> {
        let mut before = self.all_back.load(Relaxed);
        loop {
            let at = now.max(Moment::from_nanos(before.saturating_sub(rate.slack)));
            let wait = at.since(now);
            if wait > max_wait {
                return Err(wait);
            }
            let after = before.max(now.as_nanos()).saturating_add(rate.period);
            match self
                .all_back
                .compare_exchange_weak(before, after, Relaxed, Relaxed)
            {
                Ok(_) => return Ok(Turn { at, before, after }),
                Err(seen) => before = seen,
            }
        }
    }

    /// Takes back a turn that nobody used, once. Where somebody took a later one it is lost, and comes back with time only: too few
    /// may start then, never too many.
    ///
    /// No other turn has the same `after` while this one stands, since each lies after the one before it.
    pub(crate) fn give_back(&self, turn: Turn) {
        // A failure means that somebody came after.
        let _ = self
            .all_back
            .compare_exchange(turn.after, turn.before, Relaxed, Relaxed);
    }
}

#[cfg(all(test, not(resil_loom)))]
mod tests;

#[cfg(all(test, not(resil_loom)))]
mod model_tests;

#[cfg(all(test, resil_loom))]
mod loom_tests;
