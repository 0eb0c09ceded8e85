//! A counter that threads do not fight over.

use std::cell::Cell;
use std::sync::OnceLock;
// From std under a model too: additions commute, so there is no order of them to check.
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How many stripes there are at most; a power of two.
const STRIPES: usize = 8;

/// Counts up, from any thread.
///
/// One word until two threads are seen to write it at once; from then on each thread has a cache line of its own, shared
/// only where there are more threads than stripes. The count goes round at 2^64.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    first: AtomicU64,
    stripes: OnceLock<Box<[Stripe; STRIPES]>>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicU64);

impl Counter {
    pub(crate) const fn new() -> Self {
        Self {
            first: AtomicU64::new(0),
            stripes: OnceLock::new(),
        }
    }

    /// Adds one.
    #[inline]
    pub(crate) fn add(&self) {
        if let Some(stripes) = self.stripes.get() {
            stripes[stripe() % STRIPES].0.fetch_add(1, Relaxed);
            return;
        }
        let seen = self.first.load(Relaxed);
        // Not the weak exchange: that one also fails where nobody else writes.
        if self
            .first
            .compare_exchange(seen, seen.wrapping_add(1), Relaxed, Relaxed)
            .is_err()
        {
            self.add_contended();
        }
    }

    /// What was added: all that happened before, and any part of what happens meanwhile.
    pub(crate) fn sum(&self) -> u64 {
        self.stripes
            .get()
            .into_iter()
            .flat_map(|stripes| stripes.iter())
            .fold(self.first.load(Relaxed), |sum, stripe| {
                sum.wrapping_add(stripe.0.load(Relaxed))
            })
    }

    #[cold]
    fn add_contended(&self) {
        let stripes = self.stripes.get_or_init(Box::default);
        stripes[stripe() % STRIPES].0.fetch_add(1, Relaxed);
    }
}

/// This thread's number, which picks its stripe. Threads take them in turn as they first count.
#[inline]
fn stripe() -> usize {
    thread_local! {
        static MINE: Cell<Option<usize>> = const { Cell::new(None) };
    }
    static THREADS: AtomicUsize = AtomicUsize::new(0);

    MINE.with(|mine| {
        mine.get().unwrap_or_else(|| {
            let next = THREADS.fetch_add(1, Relaxed);
            mine.set(Some(next));
            next
        })
    })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{Counter, STRIPES, Stripe, stripe};

    #[test]
    fn is_small_until_threads_meet() {
        assert!(size_of::<Counter>() <= 24, "{}", size_of::<Counter>());
        assert_eq!((size_of::<Stripe>(), align_of::<Stripe>()), (64, 64));
        let counter = Counter::new();
        assert_eq!(counter.sum(), 0);
        for _ in 0..1000 {
            counter.add();
        }
        assert_eq!(counter.sum(), 1000);
        assert!(counter.stripes.get().is_none(), "nobody else wrote it");
    }

    #[test]
    fn keeps_what_was_counted_before_threads_met() {
        let counter = Counter::new();
        counter.add();
        counter.add_contended();
        assert!(counter.stripes.get().is_some());
        counter.add();
        assert_eq!(counter.sum(), 3);
        assert_eq!(counter.first.into_inner(), 1, "no longer written");
    }

    #[test]
    fn loses_nothing_whoever_counts() {
        let counter = Counter::new();
        thread::scope(|scope| {
            for _ in 0..STRIPES + 4 {
                scope.spawn(|| (0..10_000).for_each(|_| counter.add()));
            }
        });
        assert_eq!(counter.sum(), 120_000);
    }

    #[test]
    fn a_thread_keeps_its_stripe() {
        let mine = stripe();
        let theirs = thread::spawn(|| (stripe(), stripe())).join();
        assert!(theirs.is_ok_and(|(first, second)| first == second && first != mine));
        assert_eq!(stripe(), mine);
    }

    #[test]
    fn goes_round_rather_than_panics() {
        let counter = Counter {
            first: u64::MAX.into(),
            ..Counter::new()
        };
        counter.add();
        counter.add_contended();
        assert_eq!(counter.sum(), 1);
    }
}
