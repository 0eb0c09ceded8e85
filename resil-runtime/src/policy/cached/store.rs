//! The values of one method, and the loads of them that are running.

use std::fmt::{self, Debug, Formatter};
use std::hash::{BuildHasher, Hash};
use std::mem;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter};
use tokio::time::Instant;

use super::entry::Entry;
use super::flight::{Flight, Landing};
use super::flights::Flights;
use super::key::{Key, Lookup};
use super::nested;
use crate::sync::{Mutex, MutexGuard, lock};

/// Keys `K`, values `V`, errors `E`.
///
/// Two steps of different threads are ordered by the lock of the table of loads: to begin or to join a load, to end one, to forget a
/// key. A hit takes no part in that. Under the lock run no more than `Hash` and `Eq` of a key.
pub(crate) struct Store<K, V, E> {
    values: Cache<K, Arc<Entry<V>>>,
    hasher: DefaultHashBuilder,
    flights: Mutex<Table<K, V, E>>,
}

type Table<K, V, E> = Flights<K, Flight<V, E>>;

/// What a caller whose value is not at hand has to do.
#[derive(Debug)]
pub(crate) enum Joined<'s, K: Eq + Hash, V, E> {
    /// It is at hand after all.
    Hit(Arc<Entry<V>>),
    /// It loads the value.
    Lead(Lead<'s, K, V, E>),
    /// Somebody else does.
    Wait(Wait<V, E>),
    /// This very task does, further out, and would wait for itself.
    Inside,
}

impl<K: Eq + Hash, V, E> Store<K, V, E> {
    /// For at most so many values.
    pub(crate) fn new(capacity: u32) -> Self {
        let hasher = DefaultHashBuilder::default();
        let shards = shards(capacity);
        let each = u64::from(capacity) / shards;
        let mut options = OptionsBuilder::new();
        options
            .shards(usize::try_from(shards).unwrap_or(1))
            .estimated_items_capacity(usize::try_from(capacity).unwrap_or(usize::MAX))
            .weight_capacity(each.saturating_mul(shards));
        let options = options.build().expect("all that has no default was given");
        Self {
            values: Cache::with_options(options, UnitWeighter, hasher.clone(), DefaultLifecycle::default()),
            hasher,
            flights: Mutex::new(Flights::default()),
        }
    }

    fn flights(&self) -> MutexGuard<'_, Table<K, V, E>> {
        lock(&self.flights)
    }

    /// What is kept, however old it is.
    #[inline]
    pub(crate) fn get<Q: Lookup<Owned = K>>(&self, key: &Key<Q>) -> Option<Arc<Entry<V>>> {
        self.values.get(key)
    }

    /// Leads where nobody does, and takes the key for that.
    pub(crate) fn join(&self, key: &mut Option<K>, now: Instant) -> Joined<'_, K, V, E> {
        let Some(wanted) = key.take() else {
            return Joined::Inside;
        };
        let hash = self.hasher.hash_one(&wanted);
        let mut flights = self.flights();
        if let Some(flight) = flights.find(hash, |known| *known == wanted) {
            let joined = if nested::is_polled(address(flight)) {
                Joined::Inside
            } else {
                Joined::Wait(Wait {
                    place: flight.join(),
                    flight: Arc::clone(flight),
                })
            };
            drop(flights);
            *key = Some(wanted);
            return joined;
        }
        // A load that ended since this caller has looked.
        if let Some(entry) = self.values.get(&wanted).filter(|entry| entry.is_fresh(now)) {
            drop(flights);
            return Joined::Hit(entry);
        }
        let flight = Arc::new(Flight::new());
        flights.insert(hash, wanted, Arc::clone(&flight));
        Joined::Lead(Lead {
            store: self,
            flight,
            hash,
        })
    }

    /// What may be served for `longer` after it was fresh.
    pub(crate) fn stale(&self, key: &K, longer: Duration, now: Instant) -> Option<Arc<Entry<V>>> {
        self.values.get(key).filter(|entry| entry.is_usable(now, longer))
    }

    /// The dependency says that there is no value any more, so what is past its `ttl` must not be served again.
    fn refused(&self, key: &K, now: Instant) {
        let removed = self.values.remove_if(key, |entry| !entry.is_fresh(now));
        drop(removed);
    }

    /// Forgets a key. A load of it that is running is not kept, and who comes later does not join it.
    pub(crate) fn forget(&self, key: &K) {
        let hash = self.hasher.hash_one(key);
        let mut flights = self.flights();
        let flight = flights.remove(hash, |known, _| known == key);
        let value = self.values.remove(key);
        drop(flights);
        drop((flight, value));
    }

    /// Forgets all. What is loaded meanwhile may or may not be kept.
    pub(crate) fn clear(&self) {
        let flights = mem::take(&mut *self.flights());
        drop(flights);
        // One by one, so that nothing is dropped under a lock.
        self.values.drain().for_each(drop);
    }

    /// How many values are kept, those past their time included.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// How many loads are running.
    pub(crate) fn loading(&self) -> usize {
        self.flights().len()
    }
}

/// The one who loads. Those who wait learn that it is lost where it is dropped.
pub(crate) struct Lead<'s, K: Eq + Hash, V, E> {
    store: &'s Store<K, V, E>,
    flight: Arc<Flight<V, E>>,
    hash: u64,
}

impl<K: Eq + Hash, V, E> Lead<'_, K, V, E> {
    /// From here on nobody joins. The key, unless it was forgotten meanwhile.
    fn close(&self) -> Option<K> {
        let mut flights = self.store.flights();
        let closed = flights.remove(self.hash, |_, flight| Arc::ptr_eq(flight, &self.flight));
        drop(flights);
        closed.map(|(key, _)| key)
    }

    /// It was loaded: kept, unless the key was forgotten meanwhile, and given to all who wait.
    pub(crate) fn keep(self, entry: &Arc<Entry<V>>) {
        let mut evicted = Default::default();
        let mut flights = self.store.flights();
        let closed = flights.remove(self.hash, |_, flight| Arc::ptr_eq(flight, &self.flight));
        let flight = closed.map(|(key, flight)| {
            let values = &self.store.values;
            values.insert_with_lifecycle(key, Arc::clone(entry), &mut evicted);
            flight
        });
        drop(flights);
        drop((flight, evicted));
        self.flight.land(Landing::Value(Arc::clone(entry)));
    }

    /// It failed. What may be served for `longer` after it was fresh is; nothing is after a refusal.
    pub(crate) fn fail(&self, refused: bool, longer: Duration, now: Instant) -> Option<Arc<Entry<V>>> {
        let key = self.close()?;
        if refused {
            self.store.refused(&key, now);
            return None;
        }
        let serves = !longer.is_zero();
        serves.then(|| self.store.stale(&key, longer, now)).flatten()
    }

    /// Whether somebody waits. Nobody else will, once it has failed.
    pub(crate) fn has_waiters(&self) -> bool {
        self.flight.has_waiters()
    }

    /// What those who wait get.
    pub(crate) fn land(&self, landing: Landing<V, E>) {
        self.flight.land(landing);
    }

    /// Says, for as long as it lives, that this thread polls the load.
    pub(crate) fn polled(&self) -> nested::Polled {
        nested::Polled::enter(address(&self.flight))
    }
}

impl<K: Eq + Hash, V, E> Drop for Lead<'_, K, V, E> {
    fn drop(&mut self) {
        // Before the others wake, so that they find no trace of it.
        let key = self.close();
        self.flight.land(Landing::Lost);
        drop(key);
    }
}

impl<K: Eq + Hash, V, E> Debug for Lead<'_, K, V, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lead").finish_non_exhaustive()
    }
}

/// One who waits, and leaves where it is dropped.
pub(crate) struct Wait<V, E> {
    flight: Arc<Flight<V, E>>,
    place: usize,
}

impl<V, E> Wait<V, E> {
    pub(crate) fn poll(&self, waker: &Waker) -> Poll<Landing<V, E>> {
        self.flight.poll(self.place, waker)
    }
}

impl<V, E> Drop for Wait<V, E> {
    fn drop(&mut self) {
        self.flight.leave(self.place);
    }
}

impl<V, E> Debug for Wait<V, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").finish_non_exhaustive()
    }
}

impl<K, V, E> Debug for Store<K, V, E> {
    /// Keys and values are none of anybody's business.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

fn address<F>(flight: &Arc<F>) -> usize {
    Arc::as_ptr(flight).addr()
}

/// Into how many parts the values are divided, each with its own lock: a power of two that divides the capacity into parts of 64 at
/// the least, since each part evicts by itself.
fn shards(capacity: u32) -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let wanted = u64::try_from(threads.saturating_mul(4))
        .unwrap_or(64)
        .next_power_of_two()
        .min(256);
    let mut shards = wanted;
    while shards > 1 && u64::from(capacity) / shards < 64 {
        shards /= 2;
    }
    shards
}

#[cfg(all(test, resil_loom))]
mod loom_tests;
#[cfg(all(test, not(resil_loom)))]
mod model_tests;
