//! The last calls, where there are too many for a register.

use std::collections::VecDeque;

use super::{Call, Share, Shares};

/// A ring of calls, the oldest first, that knows how many of them failed or were slow.
#[derive(Debug, Default)]
pub(in crate::policy::circuit_breaker) struct Ring {
    calls: VecDeque<Call>,
    failed: u32,
    slow: u32,
}

impl Ring {
    pub(in crate::policy::circuit_breaker) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(in crate::policy::circuit_breaker) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds one, of at most `window`.
    pub(in crate::policy::circuit_breaker) fn push(&mut self, call: Call, window: u32) {
        let window = usize::try_from(window).unwrap_or(usize::MAX).max(1);
        while self.calls.len() >= window {
            self.leave();
        }
        self.failed += u32::from(call.failed);
        self.slow += u32::from(call.slow);
        self.calls.push_back(call);
    }

    fn leave(&mut self) {
        if let Some(oldest) = self.calls.pop_front() {
            self.failed -= u32::from(oldest.failed);
            self.slow -= u32::from(oldest.slow);
        }
    }

    pub(in crate::policy::circuit_breaker) fn shares(&self) -> Shares {
        let total = self.len();
        Shares {
            failed: Share {
                hits: self.failed,
                total,
            },
            slow: Share {
                hits: self.slow,
                total,
            },
        }
    }

    /// Full, and another quick success would change nothing.
    pub(in crate::policy::circuit_breaker) fn is_clean(&self, window: u32) -> bool {
        self.len() == window && self.failed == 0 && self.slow == 0
    }

    /// The last so many, the oldest first.
    pub(in crate::policy::circuit_breaker) fn last(&self, calls: u32) -> impl Iterator<Item = Call> + '_ {
        let calls = usize::try_from(calls).unwrap_or(usize::MAX);
        self.calls
            .iter()
            .skip(self.calls.len().saturating_sub(calls))
            .copied()
    }

    fn len(&self) -> u32 {
        u32::try_from(self.calls.len()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leaves_and_a_smaller_window_keeps_the_last() {
        let mut ring = Ring::default();
        for n in 0..50 {
            ring.push(
                Call {
                    failed: n < 10,
                    slow: n == 49,
                },
                40,
            );
        }
        assert_eq!(ring.shares().failed, Share { hits: 0, total: 40 });
        assert_eq!(ring.shares().slow, Share { hits: 1, total: 40 });
        assert!(!ring.is_clean(40));
        ring.push(Call::default(), 35);
        assert_eq!(ring.shares().slow, Share { hits: 1, total: 35 });
        assert_eq!(
            ring.last(2).map(|call| call.slow).collect::<Vec<_>>(),
            [true, false]
        );
        for _ in 0..35 {
            ring.push(Call::default(), 35);
        }
        assert!(ring.is_clean(35));
    }
}
