//! The loads that are running, by the keys of their values.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// A table of what is running. Keys are found by their hash and compared by value.
#[derive(Debug)]
pub(super) struct Flights<K, F> {
    /// A key is moved in and out again, so it need not be `Clone`.
    by_hash: HashMap<u64, SameHash<K, F>, BuildHasherDefault<Hashed>>,
}

type SameHash<K, F> = Vec<(K, Arc<F>)>;

impl<K, F> Default for Flights<K, F> {
    fn default() -> Self {
        Self {
            by_hash: HashMap::default(),
        }
    }
}

impl<K, F> Flights<K, F> {
    pub(super) fn find(&self, hash: u64, is: impl Fn(&K) -> bool) -> Option<&Arc<F>> {
        let found = self.by_hash.get(&hash)?.iter().find(|(key, _)| is(key));
        found.map(|(_, flight)| flight)
    }

    pub(super) fn insert(&mut self, hash: u64, key: K, flight: Arc<F>) {
        self.by_hash.entry(hash).or_default().push((key, flight));
    }

    /// Takes out the one that `is` says.
    pub(super) fn remove(&mut self, hash: u64, is: impl Fn(&K, &Arc<F>) -> bool) -> Option<(K, Arc<F>)> {
        let same_hash = self.by_hash.get_mut(&hash)?;
        let index = same_hash.iter().position(|(key, flight)| is(key, flight))?;
        let removed = same_hash.swap_remove(index);
        if same_hash.is_empty() {
            self.by_hash.remove(&hash);
        }
        Some(removed)
    }

    /// Of all keys.
    pub(super) fn len(&self) -> usize {
        self.by_hash.values().map(Vec::len).sum()
    }
}

/// What is hashed already.
#[derive(Debug, Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
