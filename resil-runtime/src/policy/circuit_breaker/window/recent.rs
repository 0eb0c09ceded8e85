//! When the last failures were.

use std::collections::VecDeque;
use std::time::Duration;

use crate::time::Moment;

/// For `within_ms`: the moments of the last `failure_threshold` failures, the oldest first.
#[derive(Debug, Default)]
pub(in crate::policy::circuit_breaker) struct Recent(VecDeque<Moment>);

impl Recent {
    pub(in crate::policy::circuit_breaker) fn clear(&mut self) {
        self.0.clear();
    }

    /// A failure: whether the last `threshold` of them lie within that time.
    pub(in crate::policy::circuit_breaker) fn failed(
        &mut self,
        threshold: u32,
        within: Duration,
        now: Moment,
    ) -> bool {
        let threshold = usize::try_from(threshold).unwrap_or(usize::MAX);
        self.0.push_back(now);
        while self.0.len() > threshold {
            self.0.pop_front();
        }
        self.0.len() == threshold && self.0.front().is_some_and(|first| now.since(*first) <= within)
    }
}
