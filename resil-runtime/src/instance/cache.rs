//! An operator's handle on one cache.

use std::fmt;
use std::sync::Arc;

use super::States;
use crate::policy::cached::CacheSlot;

/// What one cached method keeps, for operators and composition roots. Got by [`Protected::cache`](super::Protected::cache).
///
/// It belongs to one wrapped instance and those that share its states. A wrapper forgets a single key by its own
/// `invalidate_…` method.
///
/// ```
/// use resil_runtime::Protected;
///
/// // After an import that changed everything.
/// fn forget_hours(hours: &impl Protected) {
///     if let Some(cache) = hours.cache("find_for_day") {
///         cache.clear();
///         assert!(cache.is_empty());
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Cache {
    states: Arc<dyn States>,
    method: &'static str,
}

impl Cache {
    /// The cache of the method with this name; `None` where that is no cached method.
    #[must_use]
    pub fn of(states: Arc<dyn States>, method: &str) -> Option<Self> {
        states.cache(method)?;
        let method = states.method(method)?.spec().method();
        Some(Self { states, method })
    }

    fn with<R>(&self, read: impl FnOnce(&CacheSlot) -> R) -> R {
        let slot = self.states.cache(self.method);
        read(slot.expect("the handle was made of a method that is cached"))
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Forgets everything. What is being loaded now is not stored afterwards; those who wait for it get it all the same.
    pub fn clear(&self) {
        self.with(CacheSlot::clear);
    }

    /// How many values are kept, those past their time included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.with(CacheSlot::len)
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("method", &self.method)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
