//! The last ten seconds, in slots of one.

use crate::time::Moment;

const SLOTS: u64 = 10;
const SLOT_NANOS: u64 = 1_000_000_000;

/// What the window reaches over.
pub(super) const SECONDS: f64 = 10.0;

/// What was counted in a slot, or in the whole window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) calls: u32,
    pub(super) retries: u32,
}

/// How many calls and retries there were in the slot of the latest look and the nine before it.
#[derive(Debug)]
pub(super) struct Window {
    /// Slot n of all time is at n modulo their number.
    slots: [Counts; SLOTS as usize],
    /// Up to when calls are accounted for, and how many those are.
    seen: Moment,
    counted: u64,
    refused: u64,
}

impl Window {
    /// Nothing has happened before `start`.
    pub(super) fn new(start: Moment) -> Self {
        Self {
            slots: Default::default(),
            seen: start,
            counted: 0,
            refused: 0,
        }
    }

    /// Moves on to `now`, by when `counted` calls had been made in all, and says when the next slot begins.
    ///
    /// Stays where it is for a moment that lies before an earlier one.
    pub(super) fn advance(&mut self, now: Moment, counted: u64) -> Moment {
        let now = now.max(self.seen);
        let newest = slot(now);
        let unseen = newest - slot(self.seen);
        for past in 0..unseen.min(SLOTS) {
            *self.at(newest - past) = Counts::default();
        }
        self.spread(counted.wrapping_sub(self.counted), now);
        self.seen = now;
        self.counted = counted;
        start(newest.saturating_add(1))
    }

    /// Counts a retry if `allows` says so of what the window holds, a refusal otherwise.
    pub(super) fn spend(&mut self, allows: impl FnOnce(Counts) -> bool) -> bool {
        let spent = self.slots.iter().fold(Counts::default(), |all, slot| Counts {
            calls: all.calls.saturating_add(slot.calls),
            retries: all.retries.saturating_add(slot.retries),
        });
        let granted = allows(spent);
        if granted {
            let slot = self.at(slot(self.seen));
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
    fn spread(&mut self, calls: u64, now: Moment) {
        let from = self.seen;
        let newest = slot(now);
        let oldest = slot(from).max(newest.saturating_sub(SLOTS - 1));
        // How many had come by then; at `now`, all of them, even if no time has passed.
        let by = |then: Moment| {
            let part = u128::from(calls) * then.since(from).as_nanos();
            part.checked_div(now.since(from).as_nanos())
                .map_or(calls, |part| u64::try_from(part).unwrap_or(calls))
        };
        let mut before = if start(oldest) > from {
            by(start(oldest))
        } else {
            0
        };
        for number in oldest..=newest {
            let until = by(start(number.saturating_add(1)).min(now));
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

fn slot(moment: Moment) -> u64 {
    moment.as_nanos() / SLOT_NANOS
}

fn start(slot: u64) -> Moment {
    Moment::from_nanos(slot.saturating_mul(SLOT_NANOS))
}
