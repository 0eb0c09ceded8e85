//! Where a wrapper keeps the values of one method, whose types only the method's own code knows.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::sync::OnceLock;

use super::values::Values;

/// The cache of one method of one instance. Its types are those of the first use; a wrapper that is generic over them has one
/// for each.
///
/// Generated code holds one beside the method's state. It grows with what is kept, up to the policy's `capacity`.
///
/// ```
/// use resil_runtime::CacheSlot;
///
/// static HOURS: CacheSlot = CacheSlot::new();
/// assert!(format!("{HOURS:?}").contains("len: 0"));
/// ```
#[derive(Default)]
pub struct CacheSlot {
    first: OnceLock<Box<Node>>,
}

struct Node {
    values: Box<dyn Untyped>,
    next: OnceLock<Box<Node>>,
}

/// What needs no types but the key's.
trait Untyped: Any + Send + Sync {
    fn clear(&self);
    fn len(&self) -> usize;
    fn forget(&self, key: &dyn Any);
}

impl<K, V, E> Untyped for Values<K, V, E>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    fn clear(&self) {
        self.clear();
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn forget(&self, key: &dyn Any) {
        if let Some(key) = key.downcast_ref() {
            self.forget(key);
        }
    }
}

impl CacheSlot {
    /// Empty.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            first: OnceLock::new(),
        }
    }

    /// The values of these types; the first who asks for them says how many there may be.
    #[inline]
    pub(crate) fn values<K, V, E>(&self, capacity: u32) -> &Values<K, V, E>
    where
        K: Clone + Eq + Hash + Send + Sync + 'static,
        V: Send + Sync + 'static,
        E: Send + Sync + 'static,
    {
        let mut place = &self.first;
        loop {
            let node = place.get_or_init(|| {
                Box::new(Node {
                    values: Box::new(Values::<K, V, E>::new(capacity)),
                    next: OnceLock::new(),
                })
            });
            let values: &dyn Any = &*node.values;
            if let Some(values) = values.downcast_ref() {
                return values;
            }
            place = &node.next;
        }
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.first.get(), |node| node.next.get()).map(|node| &**node)
    }

    pub(crate) fn forget<K: 'static>(&self, key: &K) {
        for node in self.nodes() {
            node.values.forget(key);
        }
    }

    pub(crate) fn clear(&self) {
        for node in self.nodes() {
            node.values.clear();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes().map(|node| node.values.len()).sum()
    }
}

impl Debug for CacheSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheSlot")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
