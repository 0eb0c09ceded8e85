//! The values of one method of one instance, and the loads that are under way.

use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::UnitWeighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use tokio::time::Instant;

use super::flights::{Flight, Leader, Seat, is_led_here};
use super::key::Lookup;

/// A value and when it came.
#[derive(Debug)]
pub(crate) struct Entry<V> {
    pub(crate) value: V,
    pub(crate) loaded: Instant,
}

type Kept<K, V> = Cache<K, Arc<Entry<V>>, UnitWeighter, RandomState, DefaultLifecycle<K, Arc<Entry<V>>>>;

/// Values, and flights by key. Values are behind an `Arc`, so that none of the user's `clone` and `drop` runs under a lock.
///
/// Who stores or forgets a value holds the lock of the flights, so that a value that was forgotten while it was being loaded
/// is not stored afterwards. Who only reads takes no lock of ours.
#[derive(Debug)]
pub(crate) struct Values<K, V, E> {
    kept: Kept<K, V>,
    flights: Mutex<HashMap<K, Flight<V, E>>>,
}

impl<K, V, E> Values<K, V, E>
where
    K: Clone + Eq + std::hash::Hash,
{
    pub(super) fn new(capacity: u32) -> Self {
        let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
        Self {
            kept: Cache::with(
                capacity,
                capacity.try_into().unwrap_or(u64::MAX),
                UnitWeighter,
                RandomState::new(),
                DefaultLifecycle::default(),
            ),
            flights: Mutex::new(HashMap::new()),
        }
    }

    /// What is kept, however old it is.
    #[inline]
    pub(crate) fn get<L: Lookup<Key = K>>(&self, lookup: &L) -> Option<Arc<Entry<V>>> {
        self.kept.get(lookup)
    }

    /// A seat in the flight of this key, or at its head where there is none. A flight that has landed since somebody looked has left
    /// what it loaded.
    pub(crate) fn board(&self, key: &K, is_fresh: impl FnOnce(&Entry<V>) -> bool) -> Seat<'_, K, V, E> {
        let mut flights = self.lock();
        if let Some(flight) = flights.get(key) {
            if is_led_here(flight.id()) {
                return Seat::Inside;
            }
            return Seat::Passenger(flight.passenger());
        }
        if let Some(entry) = self.kept.get(key)
            && is_fresh(&entry)
        {
            return Seat::Landed(entry);
        }
        let (flight, sender) = Flight::new();
        let id = flight.id();
        flights.insert(key.clone(), flight);
        Seat::Leader(Leader::new(self, key.clone(), id, sender))
    }

    /// The flight has landed, or lost its leader. With a value this stores it, unless it was forgotten meanwhile.
    pub(super) fn land(&self, key: K, id: u64, entry: Option<Arc<Entry<V>>>) {
        let mut evicted = Default::default();
        let mut flights = self.lock();
        if flights.get(&key).is_some_and(|flight| flight.id() == id) {
            flights.remove(&key);
            if let Some(entry) = entry {
                self.kept.insert_with_lifecycle(key, entry, &mut evicted);
            }
        }
        drop(flights);
        // Not under the lock: dropping a value is the user's code.
        drop(evicted);
    }

    /// Forgets one key. Who loads it now still answers those that wait for it.
    pub(super) fn forget(&self, key: &K) {
        let mut flights = self.lock();
        flights.remove(key);
        let forgotten = self.kept.remove(key);
        drop(flights);
        drop(forgotten);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        let mut flights = self.lock();
        flights.clear();
        let forgotten: Vec<_> = self.kept.drain().collect();
        drop(flights);
        drop(forgotten);
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// No code runs under it that could leave it half-done but a key's own `Hash` and `Eq`.
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Flight<V, E>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
