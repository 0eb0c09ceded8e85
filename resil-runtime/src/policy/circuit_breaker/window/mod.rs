//! What the outcomes of a closed circuit are kept in, and when that opens it.
//!
//! Every part that an attempt which succeeded may write is one atomic word, tagged with the epoch it belongs to: an outcome
//! of an earlier epoch finds another tag and cannot enter, however it races with the transition that ended its epoch.

mod recent;
mod register;
mod ring;
mod run;
mod time;

pub(super) use self::recent::Recent;
pub(crate) use self::register::Clean;
pub(super) use self::register::{Pushed, Register};
pub(super) use self::ring::Ring;
pub(super) use self::run::Run;
pub(super) use self::time::TimeWindow;

use super::config::Rules;
use super::state::Cause;

/// An outcome, as far as a window cares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) failed: bool,
    pub(super) slow: bool,
}

/// How many of how many calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) hits: u32,
    pub(super) total: u32,
}

/// The shares that are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) failed: Share,
    pub(super) slow: Share,
}

impl Share {
    /// At or above `rate`, once there are enough calls to say so.
    ///
    /// `rate` times `total` can come out one rounding error above the whole number that is meant (0.07 of 100 gives
    /// 7.000000000000001), which relatively is below 2⁻⁵². The slack is four thousand times that, and a billionth of
    /// one call in a window of a thousand: too small to let in a share that is really below.
    pub(super) fn reaches(self, rate: f64, min_calls: u32) -> bool {
        const SLACK: f64 = 1.0 - 1e-12;
        self.total >= min_calls.max(1) && f64::from(self.hits) >= rate * f64::from(self.total) * SLACK
    }
}

impl Rules {
    /// Whether any outcome enters a window.
    pub(super) const fn keep_window(&self) -> bool {
        self.failure_rate.is_some() || self.slow.is_some()
    }

    /// An outcome as far as it is judged.
    pub(super) const fn call(&self, failed: bool, slow: bool) -> Call {
        Call {
            failed: failed && self.failure_rate.is_some(),
            slow: slow && self.slow.is_some(),
        }
    }

    /// What the shares say.
    pub(super) fn judge(&self, shares: &Shares) -> Option<Cause> {
        if let Some(rate) = self.failure_rate
            && shares.failed.reaches(rate, self.min_calls)
        {
            return Some(Cause::FailureRate);
        }
        let slow = self.slow?;
        shares
            .slow
            .reaches(slow.rate, self.min_calls)
            .then_some(Cause::SlowRate)
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn shares_are_compared_at_or_above_and_exactly() {
        for (hits, total, rate) in [
            (3, 4, 0.75),
            (8, 10, 0.8),
            (1, 3, 1.0 / 3.0),
            (2, 3, 2.0 / 3.0),
            (7, 100, 0.07),
            (29, 100, 0.29),
            (1_000_000, 1_000_000, 1.0),
            (1, 1_000_000, 0.000_001),
        ] {
            assert!(Share { hits, total }.reaches(rate, 1), "{hits} of {total}");
            let hits = hits - 1;
            assert!(!Share { hits, total }.reaches(rate, 1), "{hits} of {total}");
        }
    }

    /// Every whole percentage of every window up to a hundred calls, against whole numbers.
    #[test]
    fn percentages_agree_with_whole_numbers() {
        for percent in 1..=100_u32 {
            let rate = f64::from(percent) / 100.0;
            for total in 1..=100_u32 {
                for hits in 0..=total {
                    let reached = Share { hits, total }.reaches(rate, 1);
                    assert_eq!(
                        reached,
                        hits * 100 >= percent * total,
                        "{hits} of {total} at {rate}"
                    );
                }
            }
        }
    }

    #[test]
    fn too_few_calls_say_nothing() {
        let all = Share { hits: 3, total: 3 };
        assert!(!all.reaches(0.5, 4));
        assert!(all.reaches(0.5, 3));
    }
}
