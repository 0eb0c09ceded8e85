//! Who waits for a place, in order of arrival.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

/// One waiter. Never given out twice, so one that is out of date names nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaiterId(NonZeroU64);

/// Waiters, and those who got a place and do not know it yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    joined: u64,
    waiting: BTreeMap<WaiterId, Option<Waker>>,
    granted: BTreeSet<WaiterId>,
}

/// Somebody got a place and must be told, outside the lock.
#[derive(Debug)]
#[must_use]
pub(super) struct Granted(Option<Waker>);

impl Granted {
    /// Wakes them, unless they never asked.
    pub(super) fn tell(self) {
        if let Some(waker) = self.0 {
            // Whoever gives a place back has an answer of their own, which a stranger's waker must not take from them.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}

/// How somebody who asks stands.
#[derive(Debug)]
pub(super) enum Standing<'a> {
    /// A place was theirs; they are forgotten here.
    Granted,
    /// With whom to wake when their turn comes.
    Waiting(&'a mut Option<Waker>),
    /// Nobody of that name.
    Unknown,
}

/// What somebody who left had.
#[derive(Debug)]
pub(super) enum Left {
    /// A place, which must be passed on.
    Granted,
    /// A turn. The waker is the caller's to drop, outside the lock.
    Waiting(Option<Waker>),
    /// Nothing: there was nobody of that name.
    Unknown,
}

impl Queue {
    /// Adds somebody at the end.
    pub(super) fn join(&mut self) -> WaiterId {
        let id = WaiterId(NonZeroU64::MIN.saturating_add(self.joined));
        self.joined = self.joined.wrapping_add(1);
        self.waiting.insert(id, None);
        id
    }

    /// Makes a place the first waiter's if `take` gets one. `None` where it does not, or nobody waits.
    pub(super) fn grant_first(&mut self, take: impl FnOnce() -> bool) -> Option<Granted> {
        let first = self.waiting.first_entry().filter(|_| take())?;
        let (id, waker) = first.remove_entry();
        self.granted.insert(id);
        Some(Granted(waker))
    }

    pub(super) fn standing(&mut self, id: WaiterId) -> Standing<'_> {
        if self.granted.remove(&id) {
            return Standing::Granted;
        }
        self.waiting
            .get_mut(&id)
            .map_or(Standing::Unknown, Standing::Waiting)
    }

    pub(super) fn leave(&mut self, id: WaiterId) -> Left {
        if self.granted.remove(&id) {
            return Left::Granted;
        }
        self.waiting.remove(&id).map_or(Left::Unknown, Left::Waiting)
    }
}
