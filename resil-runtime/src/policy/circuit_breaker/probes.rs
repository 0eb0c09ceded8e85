//! The places of a half-open circuit.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use super::admission::ProbeId;
use super::config::Rules;
use crate::time::Moment;

/// The probes that are under way, the oldest first, and how many succeeded in a row.
#[derive(Debug)]
pub(super) struct Probes {
    running: VecDeque<Probe>,
    successes: u32,
    next: ProbeId,
    /// Nobody has asked the dependency whether it is well. One caller at a time does, before any of them calls it.
    unexamined: bool,
}

#[derive(Debug)]
struct Probe {
    id: ProbeId,
    started: Moment,
}

impl Probes {
    pub(super) const fn new() -> Self {
        Self {
            running: VecDeque::new(),
            successes: 0,
            next: NonZeroU64::MIN,
            unexamined: false,
        }
    }

    /// Nobody holds a place any more. Ids go on, so that a probe of an earlier time is never taken for one of this.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.successes = 0;
        self.unexamined = false;
    }

    /// The first place is for an examination.
    pub(super) fn examine_first(&mut self) {
        self.unexamined = true;
    }

    /// Whether this place is for an examination.
    pub(super) fn examines(&self, id: ProbeId) -> bool {
        self.unexamined && self.holds(id)
    }

    /// The dependency is well: from now on places are for calls.
    pub(super) fn examined(&mut self, id: ProbeId) {
        if self.give_back(id) {
            self.unexamined = false;
        }
    }

    /// A place, free or of the oldest probe if that has had its time. What ends late finds its place gone.
    pub(super) fn take(&mut self, rules: &Rules, now: Moment) -> Option<ProbeId> {
        let limit = if self.unexamined { 1 } else { rules.half_open_calls };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if self.running.len() >= limit {
            let oldest = self.running.front()?;
            if now.since(oldest.started) < rules.half_open_max {
                return None;
            }
            self.running.pop_front();
        }
        let id = self.next;
        self.next = id.saturating_add(1);
        self.running.push_back(Probe { id, started: now });
        Some(id)
    }

    pub(super) fn holds(&self, id: ProbeId) -> bool {
        self.position(id).is_some()
    }

    /// False where the place was lost before.
    pub(super) fn give_back(&mut self, id: ProbeId) -> bool {
        self.position(id)
            .and_then(|position| self.running.remove(position))
            .is_some()
    }

    /// Counts a success: how many in a row that makes.
    pub(super) fn succeeded(&mut self) -> u32 {
        self.successes = self.successes.saturating_add(1);
        self.successes
    }

    /// Ids only grow, so they are in order.
    fn position(&self, id: ProbeId) -> Option<usize> {
        self.running.binary_search_by_key(&id, |probe| probe.id).ok()
    }
}
