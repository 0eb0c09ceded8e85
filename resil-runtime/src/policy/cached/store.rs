//! The values of one method, and the loads of them that are running.

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::fmt::{self, Debug, Formatter};
use std::hash::{BuildHasher, BuildHasherDefault};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter};
use tokio::time::Instant;

use super::entry::AnyEntry;
use super::flight::{Flight, Landing};
use super::flights::Flights;
use super::key::{Key, Lookup};
use super::nested;
use super::owned::{Hashed, OwnedKey, Wanted};
use crate::sync::{Mutex, MutexGuard, lock};

/// Keys and values are kept without their types, so that all this is compiled once and not for each method.
///
/// Two steps of different threads are ordered by the lock of the table of loads: to begin or to join a load, to end one, to forget a
/// key. A hit takes no part in that. Of the user's code no more than the `Eq` of a key runs under it.
pub(crate) struct Store {
    values: Cache<OwnedKey, Arc<AnyEntry>, UnitWeighter, BuildHasherDefault<Hashed>>,
    hasher: DefaultHashBuilder,
    loads: Mutex<Loads>,
}

#[derive(Default)]
struct Loads {
    flights: Flights,
    /// All that was ever asked for here.
    asked: Vec<TypeId>,
}

/// What a caller whose value is not at hand has to do.
#[derive(Debug)]
pub(crate) enum Joined<'s> {
    /// It is at hand after all.
    Hit(Arc<AnyEntry>),
    /// It loads the value.
    Lead(Lead<'s>),
    /// Somebody else does.
    Wait(Wait),
    /// This very task does, further out, and would wait for itself.
    Inside,
}

/// What a key of this type asks for.
pub(crate) fn asks<Q: Lookup, V: 'static, E: 'static>() -> TypeId {
    TypeId::of::<(Q::Owned, V, E)>()
}

impl Store {
    /// For at most so many values.
    pub(crate) fn new(capacity: u32) -> Self {
        let shards = shards(capacity);
        let each = u64::from(capacity) / shards;
        let mut options = OptionsBuilder::new();
        options
            .shards(usize::try_from(shards).unwrap_or(1))
            .estimated_items_capacity(usize::try_from(capacity).unwrap_or(usize::MAX))
            .weight_capacity(each.saturating_mul(shards));
        let options = options.build().expect("all that has no default was given");
        let (hasher, lifecycle) = (BuildHasherDefault::default(), DefaultLifecycle::default());
        Self {
            values: Cache::with_options(options, UnitWeighter, hasher, lifecycle),
            hasher: DefaultHashBuilder::default(),
            loads: Mutex::new(Loads::default()),
        }
    }

    fn loads(&self) -> MutexGuard<'_, Loads> {
        lock(&self.loads)
    }

    #[inline]
    pub(crate) fn hash<Q: Lookup>(&self, key: &Key<Q>) -> u64 {
        self.hasher.hash_one(key)
    }

    /// What is kept, however old it is. Compiled for each type of keys, which is what makes a hit fast.
    #[inline]
    pub(crate) fn get<Q: Lookup>(&self, hash: u64, asks: TypeId, key: &Key<Q>) -> Option<Arc<AnyEntry>> {
        self.values
            .get(&Wanted::new(hash, asks, &|known: &dyn Any| key.is(known)))
    }

    /// Leads where nobody does, and takes the key for that.
    pub(crate) fn join(&self, key: &mut Option<OwnedKey>, now: Instant) -> Joined<'_> {
        let Some(wanted) = key.take() else {
            return Joined::Inside;
        };
        let mut loads = self.loads();
        if let Some(flight) = loads.flights.find(&wanted) {
            let joined = if nested::is_polled(address(flight)) {
                Joined::Inside
            } else {
                Joined::Wait(Wait {
                    place: flight.join(),
                    flight: Arc::clone(flight),
                })
            };
            drop(loads);
            *key = Some(wanted);
            return joined;
        }
        // A load that ended since this caller has looked.
        if let Some(entry) = self.values.get(&wanted).filter(|entry| entry.is_fresh(now)) {
            drop(loads);
            return Joined::Hit(entry);
        }
        if !loads.asked.contains(&wanted.asks()) {
            loads.asked.push(wanted.asks());
        }
        let (hash, flight) = (wanted.hash(), Arc::new(Flight::new()));
        loads.flights.insert(wanted, Arc::clone(&flight));
        Joined::Lead(Lead {
            store: self,
            flight,
            hash,
        })
    }

    /// What may be served for `longer` after it was fresh.
    pub(crate) fn stale(&self, key: &OwnedKey, longer: Duration, now: Instant) -> Option<Arc<AnyEntry>> {
        self.values.get(key).filter(|entry| entry.is_usable(now, longer))
    }

    /// The dependency says that there is no value any more, so what is past its `ttl` must not be served again.
    fn refused(&self, key: &OwnedKey, now: Instant) {
        let removed = self.values.remove_if(key, |entry| !entry.is_fresh(now));
        drop(removed);
    }

    /// Forgets a key, whatever is asked for by it. A load of it that is running is not kept, and who comes later does not join it.
    pub(crate) fn forget(&self, hash: u64, is: &dyn Fn(&dyn Any) -> bool) {
        let mut forgotten = Vec::new();
        // A panic goes on where no lock is held, since it would close those of the cache crate for ever.
        let panicked = Cell::new(None);
        let is = |known: &dyn Any| {
            catch_unwind(AssertUnwindSafe(|| is(known))).unwrap_or_else(|panic| {
                panicked.set(Some(panic));
                false
            })
        };
        let mut loads = self.loads();
        for index in 0..loads.asked.len() {
            let wanted = Wanted::new(hash, loads.asked[index], &is as &dyn Fn(&dyn Any) -> bool);
            let flight = loads.flights.remove(&wanted);
            forgotten.push((flight, self.values.remove(&wanted)));
        }
        drop(loads);
        drop(forgotten);
        if let Some(panic) = panicked.take() {
            resume_unwind(panic);
        }
    }

    /// Forgets all. What is loaded meanwhile may or may not be kept.
    pub(crate) fn clear(&self) {
        let flights = mem::take(&mut self.loads().flights);
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
        self.loads().flights.len()
    }
}

/// The one who loads. Those who wait learn that it is lost where it is dropped.
pub(crate) struct Lead<'s> {
    store: &'s Store,
    flight: Arc<Flight>,
    hash: u64,
}

impl Lead<'_> {
    /// From here on nobody joins. The key, unless it was forgotten meanwhile.
    fn close(&self) -> Option<OwnedKey> {
        let mut loads = self.store.loads();
        let closed = loads.flights.remove_this(self.hash, &self.flight);
        drop(loads);
        closed.map(|(key, _)| key)
    }

    /// It was loaded: kept, unless the key was forgotten meanwhile, and given to all who wait.
    pub(crate) fn keep(self, entry: Arc<AnyEntry>) {
        let mut evicted = Default::default();
        let mut loads = self.store.loads();
        let closed = loads.flights.remove_this(self.hash, &self.flight);
        let flight = closed.map(|(key, flight)| {
            let values = &self.store.values;
            values.insert_with_lifecycle(key, Arc::clone(&entry), &mut evicted);
            flight
        });
        drop(loads);
        drop((flight, evicted));
        self.flight.land(Landing::Value(entry));
    }

    /// It failed. What may be served for `longer` after it was fresh is; nothing is after a refusal.
    pub(crate) fn fail(&self, refused: bool, longer: Duration, now: Instant) -> Option<Arc<AnyEntry>> {
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
    pub(crate) fn land(&self, landing: Landing) {
        self.flight.land(landing);
    }

    /// Says, for as long as it lives, that this thread polls the load.
    pub(crate) fn polled(&self) -> nested::Polled {
        nested::Polled::enter(address(&self.flight))
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        // Before the others wake, so that they find no trace of it.
        let key = self.close();
        self.flight.land(Landing::Lost);
        drop(key);
    }
}

impl Debug for Lead<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lead").finish_non_exhaustive()
    }
}

/// One who waits, and leaves where it is dropped.
pub(crate) struct Wait {
    flight: Arc<Flight>,
    place: usize,
}

impl Wait {
    pub(crate) fn poll(&self, waker: &Waker) -> Poll<Landing> {
        self.flight.poll(self.place, waker)
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.flight.leave(self.place);
    }
}

impl Debug for Wait {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").finish_non_exhaustive()
    }
}

impl Debug for Store {
    /// Keys and values are none of anybody's business.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

fn address(flight: &Arc<Flight>) -> usize {
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
