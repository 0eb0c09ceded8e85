//! The place of a cache among the states of a wrapper, which knows no types.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::hash::Hash;
use std::iter;
use std::sync::OnceLock;

use super::Cached;
use super::store::Store;

/// What one `cached` method keeps. The first call says of which types, by what the method takes and answers.
///
/// States that wrappers of several types share, as a generic wrapper allows, have a cache for each of them here.
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
    first: OnceLock<Box<Node<dyn Erased>>>,
}

struct Node<S: ?Sized> {
    next: OnceLock<Box<Node<dyn Erased>>>,
    store: S,
}

/// A cache of whatever types.
trait Erased: Any + Send + Sync {
    /// Nothing where the key is of another type.
    fn forget(&self, key: &dyn Any);
    fn clear(&self);
    fn len(&self) -> usize;
    fn loading(&self) -> usize;
}

impl<K, V, E> Erased for Store<K, V, E>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    fn forget(&self, key: &dyn Any) {
        if let Some(key) = key.downcast_ref() {
            Self::forget(self, key);
        }
    }

    fn clear(&self) {
        Self::clear(self);
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn loading(&self) -> usize {
        Self::loading(self)
    }
}

impl CacheSlot {
    /// Keeps nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            first: OnceLock::new(),
        }
    }

    /// Forgets all. What is being loaded meanwhile is not kept.
    pub fn clear(&self) {
        self.stores().for_each(Erased::clear);
    }

    /// How many values are kept, those past their `ttl` included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stores().map(Erased::len).sum()
    }

    /// Whether no value is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many loads are running.
    #[must_use]
    pub fn loading(&self) -> usize {
        self.stores().map(Erased::loading).sum()
    }

    /// Forgets one key.
    pub(crate) fn forget(&self, key: &dyn Any) {
        self.stores().for_each(|store| store.forget(key));
    }

    /// The one with these types.
    #[inline]
    pub(crate) fn store<K, V, E>(&self, policy: &Cached) -> &Store<K, V, E>
    where
        K: Eq + Hash + Send + Sync + 'static,
        V: Send + Sync + 'static,
        E: Send + Sync + 'static,
    {
        let mut place = &self.first;
        loop {
            let node = place.get_or_init(|| {
                Box::new(Node {
                    next: OnceLock::new(),
                    store: Store::<K, V, E>::new(policy.capacity),
                })
            });
            if let Some(store) = (&node.store as &dyn Any).downcast_ref() {
                return store;
            }
            place = &node.next;
        }
    }

    fn stores(&self) -> impl Iterator<Item = &dyn Erased> {
        let nodes = iter::successors(self.first.get(), |node| node.next.get());
        nodes.map(|node| &node.store)
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
