//! How many failures came in a row.

use std::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use crate::policy::circuit_breaker::word::Word;
use crate::sync::AtomicU64;

/// 32 bits of epoch, 32 bits of count. The epoch is cut off, so an outcome would have to be held up between two
/// instructions for 2³² transitions to be taken for one of this epoch.
///
/// Reads are relaxed, here and in the other tagged words: all that a word says is in the word, and an outcome of a new epoch
/// has read that epoch (`Acquire`) after its tags were written (`Release`). A transition swaps its tag in, so that it comes
/// after every outcome that entered before.
#[derive(Debug)]
pub(in crate::policy::circuit_breaker) struct Run(AtomicU64);

const COUNT: u64 = u32::MAX as u64;

const fn empty(word: Word) -> u64 {
    word.epoch() << 32
}

impl Run {
    pub(in crate::policy::circuit_breaker) fn new() -> Self {
        Self(AtomicU64::new(empty(Word::FIRST)))
    }

    /// For a new epoch.
    pub(in crate::policy::circuit_breaker) fn restart(&self, word: Word) {
        self.0.swap(empty(word), AcqRel);
    }

    #[inline]
    pub(in crate::policy::circuit_breaker) fn is_empty(&self, word: Word) -> bool {
        self.0.load(Relaxed) == empty(word)
    }

    /// A failure: how many in a row that makes. Nothing if the epoch is over.
    pub(in crate::policy::circuit_breaker) fn failed(&self, word: Word) -> u32 {
        let mut seen = self.0.load(Relaxed);
        loop {
            if seen & !COUNT != empty(word) {
                return 0;
            }
            let count = count(seen).saturating_add(1);
            let next = empty(word) | u64::from(count);
            match self.0.compare_exchange_weak(seen, next, Release, Relaxed) {
                Ok(_) => return count,
                Err(other) => seen = other,
            }
        }
    }

    /// A success.
    pub(in crate::policy::circuit_breaker) fn broken(&self, word: Word) {
        let mut seen = self.0.load(Relaxed);
        while seen & !COUNT == empty(word) && count(seen) > 0 {
            match self.0.compare_exchange_weak(seen, empty(word), Release, Relaxed) {
                Ok(_) => return,
                Err(other) => seen = other,
            }
        }
    }

    /// How many it is now.
    pub(in crate::policy::circuit_breaker) fn count(&self) -> u32 {
        count(self.0.load(Relaxed))
    }
}

fn count(run: u64) -> u32 {
    u32::try_from(run & COUNT).unwrap_or(u32::MAX)
}

#[cfg(all(test, not(resil_loom)))]
mod tests {
    use super::*;
    use crate::policy::circuit_breaker::word::Phase;

    #[test]
    fn counts_in_a_row_and_only_in_its_epoch() {
        let run = Run::new();
        let old = Word::FIRST;
        assert_eq!((run.failed(old), run.failed(old)), (1, 2));
        run.broken(old);
        assert_eq!(run.failed(old), 1);

        let new = old.next(Phase::Closed);
        run.restart(new);
        assert_eq!(run.failed(old), 0);
        assert!(run.is_empty(new));
        assert_eq!(run.failed(new), 1);
        run.broken(old);
        assert_eq!(run.count(), 1);
    }

    #[test]
    fn saturates() {
        let run = Run(AtomicU64::new(u64::from(u32::MAX) - 1));
        assert_eq!(run.failed(Word::FIRST), u32::MAX);
        assert_eq!(run.failed(Word::FIRST), u32::MAX);
        assert_eq!(run.count(), u32::MAX);
    }
}
