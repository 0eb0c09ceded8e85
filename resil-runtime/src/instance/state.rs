//! States of functions that have no port.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Cache, Circuit, Instance, MethodState, States};
use crate::policy::cached::CacheSlot;
use crate::spec::MethodSpec;

/// What the methods under `#[resilient]` of one value keep between calls: a field of its struct, so that each instance has its own
/// circuits, bulkheads and budgets. Clones share them.
///
/// The state of a method is made by its first call, and takes no lock after that.
///
/// ```
/// use resil_runtime::State;
///
/// struct Rates { state: State }
///
/// let rates = Rates { state: State::new() };
/// // Nothing was called yet.
/// assert!(rates.state.circuit("rate").is_none());
/// ```
#[derive(Clone, Default)]
pub struct State {
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Kept {
    first: OnceLock<Box<Node>>,
}

struct Node {
    of: FunctionState,
    next: OnceLock<Box<Node>>,
}

impl State {
    /// Of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The circuit of the method with this name, once it was called; `None` before, and for any other name.
    #[must_use]
    pub fn circuit(&self, method: &str) -> Option<Circuit> {
        Circuit::of(Arc::clone(&self.kept) as Arc<dyn States>, method)
    }

    /// What the method with this name keeps, once it was called; `None` before, and for a name that is no cached method.
    #[must_use]
    pub fn cache(&self, method: &str) -> Option<Cache> {
        Cache::of(Arc::clone(&self.kept) as Arc<dyn States>, method)
    }

    /// For generated code.
    #[doc(hidden)]
    #[must_use]
    pub fn of(&self, spec: &'static MethodSpec) -> (&MethodState, &CacheSlot) {
        let mut place = &self.kept.first;
        loop {
            let node = place.get_or_init(|| {
                Box::new(Node {
                    of: FunctionState::new(spec),
                    next: OnceLock::new(),
                })
            });
            if std::ptr::eq(node.of.spec, spec) {
                return node.of.get();
            }
            place = &node.next;
        }
    }
}

impl Kept {
    fn named(&self, name: &str) -> Option<&FunctionState> {
        let nodes = std::iter::successors(self.first.get(), |node| node.next.get());
        nodes
            .map(|node| &node.of)
            .find(|function| function.spec.method() == name)
    }
}

impl States for Kept {
    fn method(&self, name: &str) -> Option<&MethodState> {
        self.named(name).map(|function| function.get().0)
    }

    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    fn cache(&self, name: &str) -> Option<&CacheSlot> {
        let function = self.named(name)?;
        function.spec.effective().policies.cached.map(|_| &function.slot)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = std::iter::successors(self.first.get(), |node| node.next.get());
        f.debug_list()
            .entries(nodes.map(|node| node.of.spec.method()))
            .finish()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.kept).finish()
    }
}

/// The state of one free function, in a static of the generated code.
#[derive(Debug)]
pub struct FunctionState {
    spec: &'static MethodSpec,
    state: OnceLock<MethodState>,
    slot: CacheSlot,
}

impl FunctionState {
    /// Nothing is made before the first call.
    #[must_use]
    pub const fn new(spec: &'static MethodSpec) -> Self {
        Self {
            spec,
            state: OnceLock::new(),
            slot: CacheSlot::new(),
        }
    }

    /// The state, and what is cached.
    #[inline]
    pub fn get(&self) -> (&MethodState, &CacheSlot) {
        let state = self
            .state
            .get_or_init(|| Instance::new(self.spec.adapter()).method(self.spec));
        (state, &self.slot)
    }
}
