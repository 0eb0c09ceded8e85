//! A counter that threads do not fight over.

use std::cell::Cell;
use std::sync::OnceLock;
// From std under a model too: additions commute, so there is no order of them to check.
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How many stripes there are at most; a power of two.
const STRIPES: usize = 8;

/// Counts up, from any thread.
///
/// It belongs to the thread that counts first, which then needs no atomic addition. Once another thread comes, each thread has a
/// cache line of its own, shared only where there are more threads than stripes. The count goes round at 2^64.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    /// Of the owner, and written by nobody else.
    first: AtomicU64,
    /// The thread that owns it; [`NOBODY`] until it is used, [`EVERYBODY`] once a second thread has come.
    owner: AtomicUsize,
    stripes: OnceLock<Box<[Stripe; STRIPES]>>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicU64);

const NOBODY: usize = 0;
const EVERYBODY: usize = usize::MAX;

impl Counter {
    pub(crate) const fn new() -> Self {
        Self {
            first: AtomicU64::new(0),
            owner: AtomicUsize::new(NOBODY),
            stripes: OnceLock::new(),
        }
    }

    /// Adds one.
    #[inline]
    pub(crate) fn add(&self) {
        if self.owner.load(Relaxed) == MINE.get() {
            self.add_as_owner();
        } else {
            self.add_as_other();
        }
    }

    /// A thread's number is never given to another one, so this is the only one that ever writes here.
    #[inline]
    fn add_as_owner(&self) {
        self.first
            .store(self.first.load(Relaxed).wrapping_add(1), Relaxed);
    }

    fn add_as_other(&self) {
        if let Some(stripes) = self.stripes.get() {
            stripes[thread() % STRIPES].0.fetch_add(1, Relaxed);
        } else {
            self.add_as_newcomer();
        }
    }

    #[cold]
    fn add_as_newcomer(&self) {
        match self.owner.compare_exchange(NOBODY, thread(), Relaxed, Relaxed) {
            Ok(_) => self.add_as_owner(),
            Err(owner) if owner == thread() => self.add_as_owner(),
            Err(_) => {
                self.owner.store(EVERYBODY, Relaxed);
                self.stripes.get_or_init(Box::default)[thread() % STRIPES]
                    .0
                    .fetch_add(1, Relaxed);
            }
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
}

thread_local! {
    /// No thread's number until the thread first counts, and then its own.
    static MINE: Cell<usize> = const { Cell::new(UNKNOWN) };
}

const UNKNOWN: usize = usize::MAX - 1;

/// This thread's number, which picks its stripe. Threads take them in turn as they first count.
fn thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(NOBODY + 1);
    if MINE.get() == UNKNOWN {
        MINE.set(NEXT.fetch_add(1, Relaxed));
    }
    MINE.get()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{Counter, NOBODY, Relaxed, STRIPES, Stripe};

    #[test]
    fn is_small_for_one_thread() {
        assert!(size_of::<Counter>() <= 32, "{}", size_of::<Counter>());
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
    fn keeps_what_was_counted_before_a_second_thread_came() {
        let counter = Counter::new();
        counter.add();
        thread::scope(|scope| scope.spawn(|| counter.add()).join()).expect("no panic");
        assert!(counter.stripes.get().is_some());
        counter.add();
        assert_eq!(counter.sum(), 3);
        assert_eq!(counter.first.load(Relaxed), 1, "no longer written");
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
    fn a_thread_keeps_its_number_and_no_other_gets_it() {
        let mine = super::thread();
        assert_ne!(mine, NOBODY);
        let theirs = thread::spawn(|| (super::thread(), super::thread())).join();
        assert!(theirs.is_ok_and(|(first, second)| first == second && first != mine));
        assert_eq!(super::thread(), mine);
    }

    #[test]
    fn goes_round_rather_than_panics() {
        let counter = Counter {
            first: u64::MAX.into(),
            ..Counter::new()
        };
        counter.add();
        counter.add();
        assert_eq!(counter.sum(), 1);
    }
}
