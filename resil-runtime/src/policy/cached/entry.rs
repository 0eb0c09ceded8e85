//! A value that is kept.

use std::any::Any;
use std::time::Duration;

use tokio::time::Instant;

/// A value, and since when it is known.
#[derive(Debug)]
pub(crate) struct Entry<V: ?Sized> {
    loaded: Instant,
    /// Computed once, since a comparison is all that a hit can afford. `None`: beyond the end of the clock.
    fresh_until: Option<Instant>,
    pub(crate) value: V,
}

/// Of whatever type. What keeps it is compiled once, and not for each method.
pub(crate) type AnyEntry = Entry<dyn Any + Send + Sync>;

impl<V> Entry<V> {
    pub(crate) fn new(value: V, loaded: Instant, ttl: Duration) -> Self {
        Self {
            loaded,
            fresh_until: loaded.checked_add(ttl),
            value,
        }
    }
}

impl<V: ?Sized> Entry<V> {
    #[inline]
    pub(crate) fn is_fresh(&self, now: Instant) -> bool {
        self.fresh_until.is_none_or(|end| now < end)
    }

    /// Whether it may be served where nothing better can be had: for `longer` after it was fresh.
    pub(super) fn is_usable(&self, now: Instant, longer: Duration) -> bool {
        let end = self.fresh_until.and_then(|end| end.checked_add(longer));
        end.is_none_or(|end| now < end)
    }

    /// Zero where it was loaded later than `now`, which another thread has read.
    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.loaded)
    }
}
