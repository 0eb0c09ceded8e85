//! How much may be repeated, so that an outage is not multiplied.

mod window;

use std::sync::atomic::Ordering::Relaxed;

use self::window::Window;
use super::config::Retry;
use crate::striped::Counter;
use crate::sync::{AtomicU64, Mutex, lock};
use crate::time::Moment;

/// Over the last ten seconds at most a share of calls may be repeated, or the minimum per second times ten where that is
/// more.
///
/// Calls are counted without a clock, so when they came is an estimate: what was counted between two looks at the clock
/// is taken to have come evenly between them. While calls read the clock, [`tick`](Self::tick) looks once a second, and
/// the estimate is as fine as the slots of the window. Before the first retry nobody looks: all calls of a budget younger
/// than ten seconds count, and an older one starts from its average since it was made, of which nothing is left ten
/// seconds later.
///
/// A slot is a second, and the running one counts, so the window reaches over the last nine to ten seconds, for calls and
/// retries alike. Under a steady load any stretch of ten seconds thus holds at most a slot's retries more than the share.
#[derive(Debug)]
pub(crate) struct Budget {
    calls: Counter,
    made: Moment,
    /// When the window moves on, in the terms of [`Moment`]; [`NEVER`] until there is a window.
    due: AtomicU64,
    /// `None` until the first retry is asked for.
    window: Mutex<Option<Box<Window>>>,
}

const NEVER: u64 = u64::MAX;

impl Budget {
    /// For calls from `now` on.
    pub(crate) fn new(now: Moment) -> Self {
        Self {
            calls: Counter::new(),
            made: now,
            due: AtomicU64::new(NEVER),
            window: Mutex::new(None),
        }
    }

    /// Counts a call; its retries and hedges are not calls.
    #[inline]
    pub(crate) fn count_call(&self) {
        self.calls.add();
    }

    /// For whoever knows the time anyway: notes, once a second, how many calls there were. Never waits for a lock.
    #[inline]
    pub(crate) fn tick(&self, now: impl FnOnce() -> Moment) {
        let due = self.due.load(Relaxed);
        if due == NEVER {
            return;
        }
        let now = now();
        if now.as_nanos() >= due {
            self.look(now);
        }
    }

    /// Asks for one retry or hedge. Its call must have been counted. Without a budget the answer is yes.
    pub(crate) fn withdraw(&self, retry: &Retry, now: Moment) -> bool {
        let Some(share) = retry.budget else { return true };
        let mut window = lock(&self.window);
        let window = window.get_or_insert_with(|| Box::new(Window::new(self.made)));
        self.advance(window, now);
        window.spend(|seen| {
            // Forgives what a product like 0.29 · 100 is short of a whole number.
            let by_share = share * f64::from(seen.calls) + 1e-6;
            let least = f64::from(retry.budget_min_per_s) * window::SECONDS;
            f64::from(seen.retries) + 1.0 <= by_share.max(least)
        })
    }

    /// How many retries were refused since the budget was made.
    pub(crate) fn refused(&self) -> u64 {
        lock(&self.window).as_ref().map_or(0, |window| window.refused())
    }

    #[cold]
    fn look(&self, now: Moment) {
        // Whoever holds the lock is looking.
        if let Ok(mut window) = self.window.try_lock()
            && let Some(window) = window.as_mut()
        {
            self.advance(window, now);
        }
    }

    fn advance(&self, window: &mut Window, now: Moment) {
        let due = window.advance(now, self.calls.sum());
        self.due.store(due.as_nanos(), Relaxed);
    }
}

#[cfg(all(test, not(resil_loom)))]
mod tests;

#[cfg(all(test, resil_loom))]
mod loom_tests;
