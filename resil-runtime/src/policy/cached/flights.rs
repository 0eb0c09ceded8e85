//! The loads that are running, by the keys of their values.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::flight::Flight;
use super::owned::{AnyWanted, Hashed, OwnedKey};

/// A table of what is running.
#[derive(Debug, Default)]
pub(super) struct Flights {
    /// A key is moved in and out again, so it need not be `Clone`.
    by_hash: HashMap<u64, SameHash, BuildHasherDefault<Hashed>>,
}

type SameHash = Vec<(OwnedKey, Arc<Flight>)>;

impl Flights {
    pub(super) fn find(&self, wanted: &OwnedKey) -> Option<&Arc<Flight>> {
        let found = self
            .by_hash
            .get(&wanted.hash())?
            .iter()
            .find(|(key, _)| key == wanted);
        found.map(|(_, flight)| flight)
    }

    pub(super) fn insert(&mut self, key: OwnedKey, flight: Arc<Flight>) {
        self.by_hash.entry(key.hash()).or_default().push((key, flight));
    }

    /// Takes out the load of this key.
    pub(super) fn remove(&mut self, wanted: &AnyWanted<'_>) -> Option<(OwnedKey, Arc<Flight>)> {
        self.take(wanted.hash(), |key, _| wanted.is(key))
    }

    /// Takes out this one, if it is there still.
    pub(super) fn remove_this(&mut self, hash: u64, this: &Arc<Flight>) -> Option<(OwnedKey, Arc<Flight>)> {
        self.take(hash, |_, flight| Arc::ptr_eq(flight, this))
    }

    fn take(
        &mut self,
        hash: u64,
        is: impl Fn(&OwnedKey, &Arc<Flight>) -> bool,
    ) -> Option<(OwnedKey, Arc<Flight>)> {
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
