//! An identity for each call.

use std::cell::Cell;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Tells one call from all others, of this process and of others: 128 bits, printed as 32 hexadecimal digits.
///
/// It follows from secret keys of the process and a counter, so it cannot be guessed, and tells nothing of the call.
///
/// ```
/// use resil_runtime::{Attempt, CallId};
///
/// /// What a payment provider asks for.
/// fn idempotency_key() -> Option<String> {
///     let id: CallId = Attempt::current()?.call_id();
///     Some(id.to_string())
/// }
/// assert_eq!(idempotency_key(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u128);

/// The keys, and how many identities were made.
struct Source {
    high: RandomState,
    low: RandomState,
    made: AtomicU64,
}

static SOURCE: LazyLock<Source> = LazyLock::new(|| Source {
    high: RandomState::new(),
    low: RandomState::new(),
    made: AtomicU64::new(0),
});

thread_local! {
    /// A test asked for what follows from a seed.
    static SEEDED: Cell<bool> = const { Cell::new(false) };
}

impl CallId {
    /// The next one.
    pub(crate) fn next() -> Self {
        if SEEDED.get() {
            return Self(fastrand::u128(..));
        }
        let number = SOURCE.made.fetch_add(1, Relaxed);
        let half = |keys: &RandomState| u128::from(keys.hash_one(number));
        Self(half(&SOURCE.high) << 64 | half(&SOURCE.low))
    }

    /// From now on this thread's follow from the seed of its random numbers.
    pub(crate) fn follow_seed() {
        SEEDED.set(true);
    }

    /// As a number.
    #[must_use]
    pub const fn as_u128(self) -> u128 {
        self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_are_the_same_on_any_thread() {
        let threads =
            (0..4).map(|_| std::thread::spawn(|| (0..1000).map(|_| CallId::next()).collect::<Vec<_>>()));
        let threads: Vec<_> = threads.collect();
        let ids: HashSet<CallId> = threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no thread panics"))
            .collect();
        assert_eq!(ids.len(), 4000);
    }

    #[test]
    fn it_prints_all_its_digits() {
        assert_eq!(CallId(0xab).to_string(), format!("{}ab", "0".repeat(30)));
    }
}
