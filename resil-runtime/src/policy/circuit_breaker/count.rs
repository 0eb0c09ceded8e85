//! How a closed circuit counts an outcome, and finds that it has to open.

use std::time::Duration;

use super::admission::Failure;
use super::breaker::Breaker;
use super::config::{Rules, Window};
use super::state::Cause;
use super::window::{Call, Pushed, Register, Share, Shares, TimeWindow};
use super::word::Word;
use crate::time::Moment;

impl Breaker {
    #[inline(never)]
    pub(super) fn count_success(&self, rules: &Rules, word: Word, slow: bool, now: impl FnOnce() -> Moment) {
        if self.word() != word {
            return;
        }
        self.run.broken(word);
        if !rules.keep_window() {
            return;
        }
        let call = rules.call(false, slow);
        match rules.window {
            Window::Calls(window) => {
                let shares = self.count_in_calls(rules, word, window, call);
                if let Some(cause) = rules.judge(&shares) {
                    self.trip(rules, word, cause, None, now());
                }
            }
            Window::Time(window) => {
                let now = now();
                let shares = self.count_in_time(word, window, call, now);
                if let Some(cause) = rules.judge(&shares) {
                    self.trip(rules, word, cause, None, now);
                }
            }
        }
    }

    pub(super) fn count_failure(&self, rules: &Rules, word: Word, failure: Failure, now: Moment) {
        if self.word() != word {
            return;
        }
        let cause = self
            .count_against_threshold(rules, word, now)
            .or_else(|| self.count_against_rates(rules, word, &failure, now));
        if let Some(cause) = cause {
            self.trip(rules, word, cause, Some(failure), now);
        }
    }

    fn count_against_threshold(&self, rules: &Rules, word: Word, now: Moment) -> Option<Cause> {
        let in_a_row = self.run.failed(word);
        let threshold = rules.failure_threshold?;
        let Some(within) = rules.within else {
            return (in_a_row >= threshold).then_some(Cause::ConsecutiveFailures);
        };
        let mut inner = self.lock();
        let reached = self.word() == word && inner.recent.failed(threshold, within, now);
        reached.then_some(Cause::FailuresWithin)
    }

    fn count_against_rates(
        &self,
        rules: &Rules,
        word: Word,
        failure: &Failure,
        now: Moment,
    ) -> Option<Cause> {
        if !rules.keep_window() {
            return None;
        }
        if rules.failure_rate.is_some() && failure.code.is_some() {
            let mut inner = self.lock();
            if self.word() == word {
                inner.last_code.clone_from(&failure.code);
            }
        }
        let call = rules.call(true, failure.slow);
        let shares = match rules.window {
            Window::Calls(window) => self.count_in_calls(rules, word, window, call),
            Window::Time(window) => self.count_in_time(word, window, call, now),
        };
        rules.judge(&shares)
    }

    fn count_in_calls(&self, rules: &Rules, word: Word, window: u32, call: Call) -> Shares {
        if window > Register::LONGEST {
            return self.count_in_ring(word, window, call);
        }
        let mut shares = Shares::default();
        if rules.failure_rate.is_some() {
            shares.failed = self.push(&self.failed, word, window, call.failed);
        }
        if rules.slow.is_some() {
            shares.slow = self.push(&self.slow, word, window, call.slow);
        }
        shares
    }

    fn push(&self, register: &Register, word: Word, window: u32, hit: bool) -> Share {
        loop {
            match register.push(word, window, hit) {
                Pushed::In(share) => return share,
                Pushed::Stale => return Share::default(),
                Pushed::InRing => self.leave_ring(word, window),
            }
        }
    }

    /// Where the window was longer before: its last calls move into the registers.
    #[cold]
    fn leave_ring(&self, word: Word, window: u32) {
        let mut inner = self.lock();
        if self.word() != word {
            return;
        }
        self.failed.restart(word);
        self.slow.restart(word);
        for call in inner.ring.last(window) {
            self.failed.push(word, window, call.failed);
            self.slow.push(word, window, call.slow);
        }
        inner.ring.clear();
    }

    /// Under the lock; calls that would change nothing do not come here.
    fn count_in_ring(&self, word: Word, window: u32, call: Call) -> Shares {
        let mut inner = self.lock();
        if self.word() != word {
            return Shares::default();
        }
        if inner.ring.is_empty() {
            for call in self.calls_in_registers() {
                inner.ring.push(call, window);
            }
        }
        inner.ring.push(call, window);
        let clean = inner.ring.is_clean(window);
        self.failed.point_to_ring(word, window, clean);
        self.slow.point_to_ring(word, window, clean);
        inner.ring.shares()
    }

    /// Where the window was shorter before: its calls, the oldest first.
    fn calls_in_registers(&self) -> impl Iterator<Item = Call> + use<> {
        let mut failed = self.failed.hits().rev();
        let mut slow = self.slow.hits().rev();
        let newest_first = std::iter::from_fn(move || match (failed.next(), slow.next()) {
            (None, None) => None,
            (failed, slow) => Some(Call {
                failed: failed.unwrap_or_default(),
                slow: slow.unwrap_or_default(),
            }),
        });
        let mut calls: Vec<_> = newest_first.collect();
        calls.reverse();
        calls.into_iter()
    }

    fn count_in_time(&self, word: Word, window: Duration, call: Call, now: Moment) -> Shares {
        let times = self.times();
        times.push(word, window, now, call).unwrap_or_else(|| {
            let inner = self.lock();
            if self.word() == word {
                times.fit(word, window, now);
            }
            drop(inner);
            times.push(word, window, now, call).unwrap_or_default()
        })
    }

    /// Made under the lock, so that no transition comes between reading the epoch and being there to be emptied.
    fn times(&self) -> &TimeWindow {
        let times = &self.rare().times;
        times.get().unwrap_or_else(|| {
            let _guard = self.lock();
            times.get_or_init(|| Box::new(TimeWindow::new(self.word())))
        })
    }
}
