//! The last calls, up to 32 of them, in one atomic word.

use std::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use super::Share;
use crate::policy::circuit_breaker::word::Word;
use crate::sync::AtomicU64;

/// 26 bits of epoch, 6 of length, 32 of calls: a shift register whose lowest bit is the last call, set where that failed
/// (or was slow). The epoch is cut off as in [`Run`](super::Run).
///
/// For a longer window it only says that the calls are in the [`Ring`](super::Ring), and whether that is clean.
#[derive(Debug)]
pub(in crate::policy::circuit_breaker) struct Register(AtomicU64);

/// What a register looks like that another miss would leave as it is, but for the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clean(u64);

impl Clean {
    /// For a window of so many calls.
    pub(in crate::policy::circuit_breaker) const fn of(window: u32) -> Self {
        let (length, calls) = if window <= Register::LONGEST {
            (window, 0)
        } else {
            (IN_CLEAN_RING, window)
        };
        Self(((length as u64) << LENGTH_AT) | calls as u64)
    }
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::circuit_breaker) enum Pushed {
    /// It is in.
    In(Share),
    /// Its epoch is over.
    Stale,
    /// The calls before it are in the ring.
    InRing,
}

const CALLS: u64 = u32::MAX as u64;
const LENGTH_AT: u32 = 32;
const EPOCH_AT: u32 = 38;
/// Lengths that are none.
const IN_RING: u32 = 62;
const IN_CLEAN_RING: u32 = 63;

const fn pack(word: Word, length: u32, calls: u32) -> u64 {
    (word.epoch() << EPOCH_AT) | ((length as u64) << LENGTH_AT) | calls as u64
}

fn length(register: u64) -> u32 {
    u32::try_from((register >> LENGTH_AT) & 0b11_1111).unwrap_or(0)
}

fn calls(register: u64) -> u32 {
    u32::try_from(register & CALLS).unwrap_or(0)
}

impl Register {
    /// The longest window that it holds by itself.
    pub(in crate::policy::circuit_breaker) const LONGEST: u32 = 32;

    pub(in crate::policy::circuit_breaker) fn new() -> Self {
        Self(AtomicU64::new(pack(Word::FIRST, 0, 0)))
    }

    /// For a new epoch.
    pub(in crate::policy::circuit_breaker) fn restart(&self, word: Word) {
        self.0.swap(pack(word, 0, 0), AcqRel);
    }

    /// Full, and another miss would change nothing.
    #[inline]
    pub(in crate::policy::circuit_breaker) fn is_clean(&self, word: Word, window: u32) -> bool {
        self.is(word, Clean::of(window))
    }

    #[inline]
    pub(in crate::policy::circuit_breaker) fn is(&self, word: Word, clean: Clean) -> bool {
        self.0.load(Relaxed) == (word.epoch() << EPOCH_AT) | clean.0
    }

    /// Adds one, of at most `window`.
    pub(in crate::policy::circuit_breaker) fn push(&self, word: Word, window: u32, hit: bool) -> Pushed {
        let window = window.clamp(1, Self::LONGEST);
        let mut seen = self.0.load(Relaxed);
        loop {
            if seen >> EPOCH_AT != pack(word, 0, 0) >> EPOCH_AT {
                return Pushed::Stale;
            }
            if length(seen) > Self::LONGEST {
                return Pushed::InRing;
            }
            let total = length(seen).saturating_add(1).min(window);
            let calls = ((calls(seen) << 1) | u32::from(hit)) & (u32::MAX >> (Self::LONGEST - window));
            let share = Share {
                hits: calls.count_ones(),
                total,
            };
            let next = pack(word, total, calls);
            if next == seen {
                return Pushed::In(share);
            }
            match self.0.compare_exchange_weak(seen, next, Release, Relaxed) {
                Ok(_) => return Pushed::In(share),
                Err(other) => seen = other,
            }
        }
    }

    /// Says where the calls are now. Only under the lock of the ring.
    pub(in crate::policy::circuit_breaker) fn point_to_ring(&self, word: Word, window: u32, clean: bool) {
        let pointer = if clean {
            pack(word, IN_CLEAN_RING, window)
        } else {
            pack(word, IN_RING, 0)
        };
        self.0.swap(pointer, AcqRel);
    }

    /// Which of its calls were hits, the oldest first.
    pub(in crate::policy::circuit_breaker) fn hits(&self) -> impl DoubleEndedIterator<Item = bool> + use<> {
        let register = self.0.load(Relaxed);
        let length = Some(length(register)).filter(|length| *length <= Self::LONGEST);
        (0..length.unwrap_or(0))
            .rev()
            .map(move |age| (calls(register) >> age) & 1 == 1)
    }
}

#[cfg(all(test, not(resil_loom)))]
mod tests {
    use super::*;
    use crate::policy::circuit_breaker::word::Phase;

    fn push(register: &Register, window: u32, hits: &[bool]) -> Share {
        let mut last = Share::default();
        for hit in hits {
            let Pushed::In(share) = register.push(Word::FIRST, window, *hit) else {
                panic!("stale, or in the ring");
            };
            last = share;
        }
        last
    }

    /// 196
    #[test]
    fn fixed_size_sliding_window_evicts_the_oldest() {
        let register = Register::new();
        assert_eq!(push(&register, 4, &[true]), Share { hits: 1, total: 1 });
        assert_eq!(push(&register, 4, &[false]), Share { hits: 1, total: 2 });
        assert_eq!(push(&register, 4, &[false]), Share { hits: 1, total: 3 });
        assert_eq!(push(&register, 4, &[false]), Share { hits: 1, total: 4 });
        assert!(!register.is_clean(Word::FIRST, 4));
        assert_eq!(push(&register, 4, &[false]), Share { hits: 0, total: 4 });
        assert!(register.is_clean(Word::FIRST, 4));
    }

    /// 197
    #[test]
    fn two_registers_keep_failed_and_slow_apart() {
        let (failed, slow) = (Register::new(), Register::new());
        assert_eq!(push(&failed, 2, &[true]).hits, 1);
        assert_eq!(push(&slow, 2, &[true]).hits, 1);
        assert_eq!(push(&failed, 2, &[false]).hits, 1);
        assert_eq!(push(&slow, 2, &[true]).hits, 2);
        assert_eq!(push(&failed, 2, &[false]).hits, 0);
        assert_eq!(push(&slow, 2, &[false]).hits, 1);
    }

    #[test]
    fn holds_its_longest_window() {
        let register = Register::new();
        assert_eq!(push(&register, 32, &[true; 40]), Share { hits: 32, total: 32 });
        assert_eq!(push(&register, 32, &[false; 31]), Share { hits: 1, total: 32 });
        assert_eq!(register.hits().filter(|hit| *hit).count(), 1);
        assert!(
            register.hits().next().expect("it is full"),
            "the oldest comes first"
        );
    }

    #[test]
    fn a_window_that_changes_keeps_the_last_calls() {
        let register = Register::new();
        push(&register, 10, &[true, true, false, true]);
        assert_eq!(push(&register, 3, &[false]), Share { hits: 1, total: 3 });
        assert_eq!(push(&register, 10, &[true]), Share { hits: 2, total: 4 });
    }

    #[test]
    fn another_epoch_cannot_enter() {
        let register = Register::new();
        let new = Word::FIRST.next(Phase::Closed);
        register.restart(new);
        assert_eq!(register.push(Word::FIRST, 4, true), Pushed::Stale);
        assert_eq!(register.hits().count(), 0);
        assert_eq!(
            register.push(new, 4, true),
            Pushed::In(Share { hits: 1, total: 1 })
        );
        register.restart(new.next(Phase::Closed));
        assert!(!register.is_clean(new, 4));
        assert_eq!(register.push(new, 4, true), Pushed::Stale);
    }

    #[test]
    fn a_pointer_to_the_ring_takes_no_calls() {
        let register = Register::new();
        register.point_to_ring(Word::FIRST, 50, false);
        assert_eq!(register.push(Word::FIRST, 4, true), Pushed::InRing);
        assert!(!register.is_clean(Word::FIRST, 50));
        register.point_to_ring(Word::FIRST, 50, true);
        assert!(register.is_clean(Word::FIRST, 50));
        assert!(!register.is_clean(Word::FIRST, 51));
        assert_eq!(register.hits().count(), 0);
    }
}
