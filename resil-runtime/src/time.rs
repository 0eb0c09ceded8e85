//! The one clock: tokio's, so that paused time drives everything.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::time::Instant;

/// A point on tokio's clock, as nanoseconds. What decides (breaker, budget) is given one and reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

/// Where counting starts: far from zero, since the clock of a paused runtime can lie before [`ORIGIN`].
const BASE: u64 = 1 << 62;
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Moment {
    /// Later than every moment that is ever read.
    #[cfg(test)]
    pub(crate) const FOREVER: Self = Self(u64::MAX);

    /// Reads the clock.
    pub(crate) fn now() -> Self {
        Instant::now().into()
    }

    /// A moment for tests of what is given one.
    #[cfg(test)]
    pub(crate) const fn at_ms(ms: u64) -> Self {
        Self(BASE + ms * 1_000_000)
    }

    /// Saturates at the end of time.
    pub(crate) fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(nanos(wait)))
    }

    /// Zero where `earlier` is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    pub(crate) const fn as_nanos(self) -> u64 {
        self.0
    }

    pub(crate) const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }
}

impl From<Instant> for Moment {
    fn from(instant: Instant) -> Self {
        let origin = *ORIGIN;
        match instant.checked_duration_since(origin) {
            Some(after) => Self(BASE.saturating_add(nanos(after))),
            None => Self(BASE.saturating_sub(nanos(origin - instant))),
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(u64::from(duration.subsec_nanos()))
}
