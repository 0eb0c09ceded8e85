//! The places of a bulkhead, and the order in which they are given.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::task::{Poll, Waker};

use super::queue::{Granted, Left, Queue, Standing, WaiterId};
use crate::sync::{AtomicU32, AtomicU64, Mutex, lock};

/// One who runs, in the lower half of the numbers.
const PLACE: u64 = 1;
/// One who waits, in the upper half.
const TURN: u64 = 1 << 32;

/// Lets at most `max_concurrent` in; beyond them at most `max_queued` wait, in order.
///
/// Who runs and who waits stand in one word, so that each decision is made on one truth: somebody waits only from a moment
/// on in which no place is free or others wait already, and every later [`leave`](Self::leave) sees them. A place that was
/// granted and not yet polled for counts as taken.
///
/// Who waits is counted before they stand in the queue and until they have left it, so the queue is never longer than
/// that number, and nobody overtakes one who is on the way to it.
#[derive(Debug)]
pub(crate) struct Gate {
    numbers: AtomicU64,
    max_concurrent: AtomicU32,
    max_queued: AtomicU32,
    /// `None` until somebody waits.
    queue: Mutex<Option<Box<Queue>>>,
}

/// What became of one who did not get in at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// A place came free meanwhile, and was taken.
    Entered,
    /// Waits. Must be polled until it is ready, or abandoned.
    Queued(WaiterId),
    /// There is no place in the queue either.
    Full,
}

impl Gate {
    /// `max_concurrent` is at least one.
    pub(crate) fn new(max_concurrent: u32, max_queued: u32) -> Self {
        Self {
            numbers: AtomicU64::new(0),
            max_concurrent: AtomicU32::new(max_concurrent),
            max_queued: AtomicU32::new(max_queued),
            queue: Mutex::new(None),
        }
    }

    /// Takes a place where one is free and nobody waits for it. Who gets `true` owes a [`leave`](Self::leave).
    #[inline]
    pub(crate) fn try_enter(&self) -> bool {
        // A guess in place of a load: who finds nobody here is in, and who does not has the cache line by then, to write it.
        // A load would fetch it to be read, and the exchange once more.
        let Err(mut seen) = self.numbers.compare_exchange(0, PLACE, Acquire, Relaxed) else {
            return true;
        };
        while waiting(seen) == 0 && self.has_room(seen) {
            match self
                .numbers
                .compare_exchange_weak(seen, seen + PLACE, Acquire, Relaxed)
            {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Gives a place back, to the first waiter where there is one. Only for who holds a place.
    #[inline]
    pub(crate) fn leave(&self) {
        let before = self.numbers.fetch_sub(PLACE, Release);
        debug_assert!(running(before) > 0, "only a place that was taken is given back");
        if waiting(before) > 0 {
            self.serve();
        }
    }

    /// Asks for a place in the queue, after [`try_enter`](Self::try_enter) found no free one.
    pub(crate) fn join(&self) -> Joined {
        let mut seen = self.numbers.load(Relaxed);
        loop {
            let room = waiting(seen) == 0 && self.has_room(seen);
            if !room && waiting(seen) >= u64::from(self.max_queued.load(Relaxed)) {
                return Joined::Full;
            }
            let next = if room { seen + PLACE } else { seen + TURN };
            match self.numbers.compare_exchange_weak(seen, next, AcqRel, Relaxed) {
                Ok(_) if room => return Joined::Entered,
                Ok(_) => break,
                Err(now) => seen = now,
            }
        }
        let id = lock(&self.queue).get_or_insert_default().join();
        // Whoever left between the two steps above found nobody in the queue.
        self.serve();
        Joined::Queued(id)
    }

    /// Ready once the place is the caller's, who then owes a [`leave`](Self::leave) and waits no longer. For ever pending
    /// for an `id` that is out of date.
    pub(crate) fn poll_turn(&self, id: WaiterId, waker: &Waker) -> Poll<()> {
        // Wakers are cloned and dropped outside the lock: that is foreign code.
        let mut fresh = None;
        loop {
            let mut queue = lock(&self.queue);
            let standing = queue
                .as_mut()
                .map_or(Standing::Unknown, |queue| queue.standing(id));
            match standing {
                Standing::Granted => return Poll::Ready(()),
                Standing::Unknown => return Poll::Pending,
                Standing::Waiting(Some(stored)) if stored.will_wake(waker) => return Poll::Pending,
                Standing::Waiting(stored) if fresh.is_some() => {
                    std::mem::swap(stored, &mut fresh);
                    return Poll::Pending;
                }
                Standing::Waiting(_) => {}
            }
            drop(queue);
            fresh = Some(waker.clone());
        }
    }

    /// Leaves the queue. A place that was granted meanwhile goes to the next. Nothing for an `id` that is out of date.
    pub(crate) fn abandon(&self, id: WaiterId) {
        let mut queue = lock(&self.queue);
        let left = queue.as_mut().map_or(Left::Unknown, |queue| queue.leave(id));
        drop(queue);
        match left {
            Left::Granted => self.leave(),
            Left::Waiting(waker) => {
                self.numbers.fetch_sub(TURN, Relaxed);
                drop(waker);
            }
            Left::Unknown => {}
        }
    }

    /// How many hold a place, those included who do not know it yet.
    pub(crate) fn running(&self) -> u32 {
        half(running(self.numbers.load(Relaxed)))
    }

    /// How many wait for one.
    pub(crate) fn waiting(&self) -> u32 {
        half(waiting(self.numbers.load(Relaxed)))
    }

    #[inline]
    fn has_room(&self, numbers: u64) -> bool {
        running(numbers) < u64::from(self.max_concurrent.load(Relaxed))
    }

    /// Gives free places to waiters for as long as there are both.
    ///
    /// One at a time, so that each is woken outside the lock and nothing need be collected. Should a waker panic, nobody
    /// is forgotten: each `leave` serves for the place it gave back.
    #[cold]
    fn serve(&self) {
        while let Some(granted) = self.grant_first() {
            granted.tell();
        }
    }

    fn grant_first(&self) -> Option<Granted> {
        let due = |seen: u64| waiting(seen) > 0 && self.has_room(seen);
        if !due(self.numbers.load(Relaxed)) {
            return None;
        }
        lock(&self.queue).as_mut()?.grant_first(|| {
            self.numbers
                .fetch_update(AcqRel, Relaxed, |seen| due(seen).then(|| seen - TURN + PLACE))
                .is_ok()
        })
    }
}

#[inline]
const fn running(numbers: u64) -> u64 {
    numbers % TURN
}

#[inline]
const fn waiting(numbers: u64) -> u64 {
    numbers / TURN
}

/// A half as what it is; it never holds more than its limit.
fn half(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(all(test, not(resil_loom)))]
mod tests;

#[cfg(all(test, not(resil_loom)))]
mod model_tests;

#[cfg(all(test, resil_loom))]
mod loom_tests;
