//! An operator's handle on what one method keeps.

use std::fmt;
use std::sync::Arc;

use super::States;
use crate::policy::cached::CacheSlot;

/// An operator's handle on what one `cached` method keeps.
///
/// `sms.cache("find_for_day")` gives it; a wrapper's `invalidate_find_for_day(…)` forgets one value.
///
/// ```
/// use std::sync::Arc;
/// use resil_runtime::{AdapterSpec, Cache, CacheSlot, Instance, Kind, MethodSpec, MethodState, States};
///
/// static HOURS: AdapterSpec = AdapterSpec::new("shops", "OpeningHours", "HttpHours", Kind::External);
/// static FIND: MethodSpec = MethodSpec::new(&HOURS, "find");
///
/// // `#[adapter]` writes this.
/// #[derive(Debug)]
/// struct HoursStates { find: MethodState, find_cache: CacheSlot }
/// impl States for HoursStates {
///     fn method(&self, name: &str) -> Option<&MethodState> { (name == "find").then_some(&self.find) }
///     fn names(&self) -> &'static [&'static str] { &["find"] }
///     fn cache(&self, name: &str) -> Option<&CacheSlot> { (name == "find").then_some(&self.find_cache) }
/// }
///
/// let states = Arc::new(HoursStates { find: Instance::new(&HOURS).method(&FIND), find_cache: CacheSlot::new() });
/// let cache = Cache::of(states, "find").unwrap();
/// cache.clear();
/// assert!(cache.is_empty());
/// ```
#[derive(Clone)]
pub struct Cache {
    states: Arc<dyn States>,
    method: &'static str,
}

impl Cache {
    /// What the method with this name keeps; `None` where there is no such wrapped method, or it is not `cached`.
    #[must_use]
    pub fn of(states: Arc<dyn States>, method: &str) -> Option<Self> {
        states.cache(method)?;
        let method = states.method(method)?.spec().method();
        Some(Self { states, method })
    }

    fn slot(&self) -> &CacheSlot {
        let slot = self.states.cache(self.method);
        slot.expect("the handle was made of a method that these states keep something of")
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Forgets all values. What is being loaded when it is called is not kept, though those who wait for it still get it; who
    /// calls later loads anew.
    pub fn clear(&self) {
        self.slot().clear();
    }

    /// How many values are kept, those past their `ttl` included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slot().len()
    }

    /// Whether no value is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slot().is_empty()
    }

    /// How many values are being loaded now.
    #[must_use]
    pub fn loading(&self) -> usize {
        self.slot().loading()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("method", &self.method)
            .field("len", &self.len())
            .field("loading", &self.loading())
            .finish_non_exhaustive()
    }
}
