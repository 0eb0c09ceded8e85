//! The place of a cache among the states of a wrapper.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::OnceLock;

use super::Cached;
use super::key::{Key, Lookup};
use super::store::Store;

/// What one `cached` method keeps.
///
/// States that wrappers of several types share, as a generic wrapper allows, keep the values of each of them here.
///
/// ```
/// use resil_runtime::CacheSlot;
///
/// // `#[adapter]` writes this beside the state of the method.
/// static FIND_FOR_DAY: CacheSlot = CacheSlot::new();
/// assert_eq!((FIND_FOR_DAY.len(), FIND_FOR_DAY.loading()), (0, 0));
/// ```
#[derive(Default)]
pub struct CacheSlot {
    /// Made by the first call, which knows how much it may keep.
    store: OnceLock<Box<Store>>,
}

impl CacheSlot {
    /// Keeps nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            store: OnceLock::new(),
        }
    }

    /// Forgets all. What is being loaded meanwhile is not kept.
    pub fn clear(&self) {
        if let Some(store) = self.store.get() {
            store.clear();
        }
    }

    /// How many values are kept, those past their `ttl` included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.get().map_or(0, |store| store.len())
    }

    /// Whether no value is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many loads are running.
    #[must_use]
    pub fn loading(&self) -> usize {
        self.store.get().map_or(0, |store| store.loading())
    }

    /// Forgets one key, whatever is asked for by it.
    pub(crate) fn forget<Q: Lookup>(&self, key: &Key<Q>) {
        if let Some(store) = self.store.get() {
            store.forget(store.hash(key), &|known: &dyn Any| key.is(known));
        }
    }

    #[inline]
    pub(crate) fn store(&self, policy: &Cached) -> &Store {
        self.store.get_or_init(|| Box::new(Store::new(policy.capacity)))
    }
}

impl Debug for CacheSlot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheSlot")
            .field("len", &self.len())
            .field("loading", &self.loading())
            .finish()
    }
}
