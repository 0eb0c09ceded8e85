//! The last ten seconds, in slots of one.

use crate::time::Moment;

const SLOTS: u64 = 10;
const SLOT_NANOS: u64 = 1_000_000_000;

/// What the window reaches over.
pub(super) const SECONDS: f64 = 10.0;

/// What came in a slot, or in the whole window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) calls: u32,
    pub(super) retries: u32,
}

/// How many calls and retries came in the slot of the latest look and the nine before it.
///
/// Time is in nanoseconds since the window's start, where the first slot begins.
#[derive(Debug)]
pub(super) struct Window {
    start: Moment,
    /// Slot n of all time is at n modulo their number.
    slots: [Counts; 10],
    /// Up to when calls are accounted for, and how many those are.
    seen: u64,
    counted: u64,
    refused: u64,
}

impl Window {
    /// Nothing has come before `start`.
    pub(super) fn new(start: Moment) -> Self {
        Self {
            start,
            slots: Default::default(),
            seen: 0,
            counted: 0,
            refused: 0,
        }
    }

    /// Moves on to `now`, by when `counted` calls had come in all, and says when the next slot begins.
    ///
    /// Stays where it is for a moment that lies before an earlier one.
    pub(super) fn advance(&mut self, now: Moment, counted: u64) -> Moment {
        let start = self.start.as_nanos();
        let now = now.as_nanos().saturating_sub(start).max(self.seen);
        let newest = now / SLOT_NANOS;
        let new = newest - self.seen / SLOT_NANOS;
        for back in 0..new.min(SLOTS) {
            *self.at(newest - back) = Counts::default();
        }
        self.spread(counted.wrapping_sub(self.counted), now);
        self.seen = now;
        self.counted = counted;
        Moment::from_nanos(start.saturating_add(beginning(newest + 1)))
    }

    /// Counts a retry if `allows` says so of what the window holds, a refusal otherwise.
    pub(super) fn spend(&mut self, allows: impl FnOnce(Counts) -> bool) -> bool {
        let total = self.slots.iter().fold(Counts::default(), |sum, slot| Counts {
            calls: sum.calls.saturating_add(slot.calls),
            retries: sum.retries.saturating_add(slot.retries),
        });
        let granted = allows(total);
        if granted {
            let slot = self.at(self.seen / SLOT_NANOS);
            slot.retries = slot.retries.saturating_add(1);
        } else {
            self.refused = self.refused.saturating_add(1);
        }
        granted
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Accounts for `calls` as if they had come evenly since the last look; drops what fell before the window.
    fn spread(&mut self, calls: u64, now: u64) {
        let seen = self.seen;
        let newest = now / SLOT_NANOS;
        let oldest = (seen / SLOT_NANOS).max(newest.saturating_sub(SLOTS - 1));
        // How many of them had come by a moment in between; all, where no time has passed.
        let by = |then: u64| {
            (u128::from(calls) * u128::from(then - seen))
                .checked_div(u128::from(now - seen))
                .and_then(|part| u64::try_from(part).ok())
                .unwrap_or(calls)
        };
        let begin = beginning(oldest);
        let mut before = if begin > seen { by(begin) } else { 0 };
        for number in oldest..=newest {
            let until = by(beginning(number + 1).min(now));
            let slot = self.at(number);
            let came = u32::try_from(until - before).unwrap_or(u32::MAX);
            slot.calls = slot.calls.saturating_add(came);
            before = until;
        }
    }

    fn at(&mut self, number: u64) -> &mut Counts {
        let index = usize::try_from(number % SLOTS).unwrap_or_default();
        &mut self.slots[index]
    }
}

/// When the slot with this number begins.
fn beginning(slot: u64) -> u64 {
    slot.saturating_mul(SLOT_NANOS)
}
