//! The calls of the last so much time, in ten parts.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::time::Duration;

use super::{Call, Share, Shares};
use crate::policy::circuit_breaker::word::Word;
use crate::sync::AtomicU64;
use crate::time::Moment;

/// Time is cut into slots of a tenth of the window; the calls of slot `n` are counted in bucket `n % 10`, under the tag
/// `n / 10`. The window is the current slot and the nine before it.
#[derive(Debug)]
pub(in crate::policy::circuit_breaker) struct TimeWindow {
    /// Nanoseconds of a slot; zero where nothing was counted in this epoch.
    width: AtomicU64,
    buckets: [Bucket; PARTS],
}

/// Each counter by itself: 6 bits of epoch, 26 of round, 32 of count.
///
/// An epoch of 6 bits is enough for an outcome that is held up between two instructions, and all counters are cleared at
/// each transition. A round comes again after 2²⁶ windows, nearly two years of windows of one second: whoever was idle
/// for exactly that long finds one old bucket.
#[derive(Debug)]
struct Bucket {
    calls: AtomicU64,
    failed: AtomicU64,
    slow: AtomicU64,
}

/// Ten. A model is checked with fewer, or it would not end: each is like the others.
const PARTS: usize = if cfg!(resil_loom) { 2 } else { 10 };
const COUNT: u64 = u32::MAX as u64;
const ROUND_AT: u32 = 32;
const ROUNDS: u64 = (1 << 26) - 1;
const EPOCH_AT: u32 = 58;

/// Where a moment is counted, and under which tag.
#[derive(Clone, Copy)]
struct Slot {
    number: u64,
    bucket: usize,
    tag: u64,
}

impl Slot {
    fn of(word: Word, width: u64, now: Moment) -> Self {
        Self::number(word, now.as_nanos() / width.max(1))
    }

    fn number(word: Word, number: u64) -> Self {
        let parts = PARTS as u64;
        Self {
            number,
            bucket: usize::try_from(number % parts).unwrap_or(0),
            tag: (word.epoch() << EPOCH_AT) | (((number / parts) & ROUNDS) << ROUND_AT),
        }
    }
}

/// The width of a slot of this window.
fn width(window: Duration) -> u64 {
    let nanos = u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
    nanos.div_ceil(PARTS as u64).max(1)
}

impl TimeWindow {
    pub(in crate::policy::circuit_breaker) fn new(word: Word) -> Self {
        Self {
            width: AtomicU64::new(0),
            buckets: std::array::from_fn(|_| Bucket {
                calls: empty(word),
                failed: empty(word),
                slow: empty(word),
            }),
        }
    }

    /// For a new epoch. Only under the lock of transitions.
    pub(in crate::policy::circuit_breaker) fn restart(&self, word: Word) {
        self.width.store(0, Relaxed);
        self.clear(word);
    }

    fn clear(&self, word: Word) {
        let empty = word.epoch() << EPOCH_AT;
        for bucket in &self.buckets {
            bucket.calls.swap(empty, AcqRel);
            bucket.failed.swap(empty, AcqRel);
            bucket.slow.swap(empty, AcqRel);
        }
    }

    /// Makes it a window of this length: what it holds stays, as if it had all happened now. Only under the lock of transitions.
    pub(in crate::policy::circuit_breaker) fn fit(&self, word: Word, window: Duration, now: Moment) {
        let old = self.width.load(Acquire);
        let new = width(window);
        if old == new {
            return;
        }
        let kept = if old == 0 {
            Shares::default()
        } else {
            self.sum(word, old, now)
        };
        self.clear(word);
        let slot = Slot::of(word, new, now);
        let bucket = &self.buckets[slot.bucket];
        bucket
            .calls
            .store(slot.tag | u64::from(kept.failed.total), Release);
        bucket
            .failed
            .store(slot.tag | u64::from(kept.failed.hits), Release);
        bucket.slow.store(slot.tag | u64::from(kept.slow.hits), Release);
        self.width.store(new, Release);
    }

    /// Counts a call, and says what the window holds now: nothing if the epoch is over. `None` where it is not a window of
    /// this length yet.
    pub(in crate::policy::circuit_breaker) fn push(
        &self,
        word: Word,
        window: Duration,
        now: Moment,
        call: Call,
    ) -> Option<Shares> {
        let width = width(window);
        if self.width.load(Acquire) != width {
            return None;
        }
        let slot = Slot::of(word, width, now);
        let bucket = &self.buckets[slot.bucket];
        // First the call, then that it failed: whoever sees the failure sees its call, so no share is too large.
        if !count(&bucket.calls, slot) {
            return Some(Shares::default());
        }
        if call.failed {
            count(&bucket.failed, slot);
        }
        if call.slow {
            count(&bucket.slow, slot);
        }
        Some(self.sum(word, width, now))
    }

    /// What lies less than a window from `now`, in both directions: the clock reading of another thread may be a little
    /// later than this one.
    fn sum(&self, word: Word, width: u64, now: Moment) -> Shares {
        let parts = PARTS as u64;
        let current = Slot::of(word, width, now).number;
        let mut shares = Shares::default();
        for behind in 0..parts.min(current.saturating_add(1)) {
            let past = Slot::number(word, current - behind);
            let ahead = Slot::number(word, past.number.saturating_add(parts));
            let bucket = &self.buckets[past.bucket];
            let failed = bucket.failed.load(Acquire);
            let slow = bucket.slow.load(Acquire);
            let calls = bucket.calls.load(Acquire);
            let tag = calls & !COUNT;
            if tag == past.tag || (behind > 0 && tag == ahead.tag) {
                add(&mut shares.failed, tag, failed, calls);
                add(&mut shares.slow, tag, slow, calls);
            }
        }
        shares
    }
}

fn empty(word: Word) -> AtomicU64 {
    AtomicU64::new(word.epoch() << EPOCH_AT)
}

/// A counter of hits whose tag is another one is left from an earlier round.
fn add(share: &mut Share, tag: u64, hits: u64, calls: u64) {
    if hits & !COUNT == tag {
        share.hits = share.hits.saturating_add(number(hits));
    }
    share.total = share.total.saturating_add(number(calls));
}

fn number(counter: u64) -> u32 {
    u32::try_from(counter & COUNT).unwrap_or(u32::MAX)
}

/// False where the epoch is over, or this moment's slot has left the window.
fn count(counter: &AtomicU64, slot: Slot) -> bool {
    let mut seen = counter.load(Relaxed);
    loop {
        let next = if seen >> EPOCH_AT != slot.tag >> EPOCH_AT {
            return false;
        } else if seen & !COUNT == slot.tag {
            slot.tag | (seen & COUNT).saturating_add(1).min(COUNT)
        } else if seen & COUNT > 0 && is_just_after(seen, slot.tag) {
            return false;
        } else {
            slot.tag | 1
        };
        match counter.compare_exchange_weak(seen, next, Release, Relaxed) {
            Ok(_) => return true,
            Err(other) => seen = other,
        }
    }
}

/// Whether another thread has gone on to the next round or the one after. Anything further is no clock that runs a little
/// ahead, but a width that changed, and must not keep its bucket.
fn is_just_after(seen: u64, tag: u64) -> bool {
    let ahead = (seen >> ROUND_AT).wrapping_sub(tag >> ROUND_AT) & ROUNDS;
    (1..=2).contains(&ahead)
}

#[cfg(all(test, not(resil_loom)))]
mod tests {
    use super::*;
    use crate::policy::circuit_breaker::word::Phase;

    const FAILED: Call = Call {
        failed: true,
        slow: false,
    };
    const OK: Call = Call {
        failed: false,
        slow: false,
    };

    struct Rig {
        times: TimeWindow,
        window: Duration,
    }

    impl Rig {
        fn new(window_ms: u64) -> Self {
            let rig = Self {
                times: TimeWindow::new(Word::FIRST),
                window: Duration::from_millis(window_ms),
            };
            rig.times.fit(Word::FIRST, rig.window, Moment::at_ms(0));
            rig
        }

        fn push(&self, at_ms: u64, call: Call) -> (u32, u32) {
            let shares = self
                .times
                .push(Word::FIRST, self.window, Moment::at_ms(at_ms), call)
                .expect("it fits");
            (shares.failed.total, shares.failed.hits)
        }

        fn at(&self, at_ms: u64) -> (u32, u32) {
            let shares = self
                .times
                .sum(Word::FIRST, width(self.window), Moment::at_ms(at_ms));
            (shares.failed.total, shares.failed.hits)
        }
    }

    /// 198
    #[test]
    fn sliding_time_window_drops_what_is_older() {
        let rig = Rig::new(5_000);
        assert_eq!(rig.push(0, FAILED), (1, 1));
        assert_eq!(rig.push(100, OK), (2, 1));
        assert_eq!(rig.push(200, OK), (3, 1));
        assert_eq!(rig.push(1_200, OK), (4, 1));
        assert_eq!(rig.push(2_200, OK), (5, 1));
        assert_eq!(rig.push(3_200, FAILED), (6, 2));
        assert_eq!(rig.push(4_200, OK), (7, 2));
        assert_eq!(rig.push(5_200, OK), (5, 1));
    }

    /// 221
    #[test]
    fn all_is_gone_after_a_window() {
        let rig = Rig::new(100);
        rig.push(0, FAILED);
        for _ in 0..3 {
            rig.push(0, OK);
        }
        assert_eq!(rig.push(0, OK), (5, 1));
        assert_eq!(rig.at(100), (0, 0));
    }

    /// 222
    #[test]
    fn rolling_window_is_respected() {
        let rig = Rig::new(10_000);
        let mut seen = Vec::new();
        for i in 0..5 {
            rig.push(i * 2_000, if i < 2 { FAILED } else { OK });
            rig.push(i * 2_000, OK);
            seen.push(rig.at((i + 1) * 2_000));
        }
        seen.push(rig.at(12_000));
        assert_eq!(seen, [(2, 1), (4, 2), (6, 2), (8, 2), (8, 1), (6, 0)]);
    }

    #[test]
    fn another_epoch_cannot_enter() {
        let rig = Rig::new(1_000);
        rig.push(0, FAILED);
        let new = Word::FIRST.next(Phase::Closed);
        rig.times.restart(new);
        assert!(rig.times.push(new, rig.window, Moment::at_ms(0), OK).is_none());
        rig.times.fit(new, rig.window, Moment::at_ms(0));
        for total in 1..3 {
            assert_eq!(rig.push(0, FAILED), (0, 0));
            let shares = rig.times.push(new, rig.window, Moment::at_ms(0), OK);
            assert_eq!(shares.expect("it fits").failed, Share { hits: 0, total });
        }
    }

    #[test]
    fn a_window_that_changes_keeps_what_it_holds() {
        let rig = Rig::new(1_000);
        rig.push(0, FAILED);
        rig.push(500, OK);
        let longer = Duration::from_secs(60);
        rig.times.fit(Word::FIRST, longer, Moment::at_ms(600));
        let shares = rig.times.push(Word::FIRST, longer, Moment::at_ms(30_000), OK);
        assert_eq!(shares.expect("it fits").failed, Share { hits: 1, total: 3 });
    }

    #[test]
    fn a_clock_reading_that_came_late_is_counted_while_its_slot_lasts() {
        let rig = Rig::new(1_000);
        rig.push(5_000, OK);
        assert_eq!(rig.push(4_900, FAILED), (2, 1));
        assert_eq!(rig.push(5_000, OK), (3, 1));
        assert_eq!(
            rig.push(3_900, FAILED),
            (0, 0),
            "its bucket belongs to later calls"
        );
        assert_eq!(rig.at(5_000), (3, 1));
    }

    #[test]
    fn what_lies_far_ahead_does_not_keep_its_bucket() {
        let rig = Rig::new(1_000);
        rig.push(1_000_000, FAILED);
        assert_eq!(rig.push(0, OK), (1, 0));
    }

    #[test]
    fn saturates_at_the_ends() {
        let rig = Rig::new(1_000);
        for now in [Moment::FOREVER, Moment::from_nanos(0)] {
            let shares = rig.times.push(Word::FIRST, rig.window, now, FAILED);
            assert_eq!(shares.expect("it fits").failed, Share { hits: 1, total: 1 });
        }
        assert_eq!(width(Duration::MAX), u64::MAX.div_ceil(10));
        assert_eq!(width(Duration::from_nanos(1)), 1);
        let counter = AtomicU64::new(COUNT);
        assert!(count(&counter, Slot::number(Word::FIRST, 0)));
        assert_eq!(counter.load(Relaxed), COUNT);
    }
}
