//! What every wrapper offers.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Cache, Circuit, MethodState};
use crate::policy::cached::CacheSlot;

/// The states of a wrapper's methods. Implemented by what `#[adapter]` generates; the example of
/// [`Circuit`] does it by hand.
pub trait States: Debug + Send + Sync + 'static {
    /// The state of the method with this name; `None` where there is no wrapped method of this name.
    fn method(&self, name: &str) -> Option<&MethodState>;

    /// The names of all wrapped methods, in the order of the source.
    fn names(&self) -> &'static [&'static str];

    /// The cache of the method with this name; `None` where that is no cached method.
    fn cache(&self, name: &str) -> Option<&CacheSlot> {
        let _ = name;
        None
    }
}

/// The wrapper holds an adapter of type `A`. Implemented by what `#[adapter]` generates.
///
/// ```
/// use resil_runtime::Holds;
///
/// struct Wrapper { inner: String }
/// impl Holds<String> for Wrapper {
///     fn held(&self) -> &String { &self.inner }
///     fn into_held(self) -> String { self.inner }
/// }
/// assert_eq!(Wrapper { inner: "a".into() }.held(), "a");
/// ```
pub trait Holds<A> {
    /// The adapter.
    fn held(&self) -> &A;

    /// The adapter, without its wrapper.
    fn into_held(self) -> A;
}

/// What every wrapper offers beside its port. Only wrappers implement it, so that a composition root can ask for
/// `impl SmsSender + Protected` and never wires the plain adapter by mistake.
///
/// `#[adapter]` implements it; it is not meant to be implemented by hand.
///
/// ```
/// use resil_runtime::{CircuitState, Protected};
///
/// // A composition root: whatever wrapper it is, operators get its circuits.
/// fn open_circuits(adapters: &[&dyn Protected]) -> Vec<&'static str> {
///     let circuits = adapters.iter().flat_map(|adapter| adapter.circuits());
///     circuits.filter(|circuit| circuit.state() == CircuitState::Open).map(|circuit| circuit.method()).collect()
/// }
/// assert!(open_circuits(&[]).is_empty());
/// ```
pub trait Protected {
    /// The states of the methods.
    #[doc(hidden)]
    fn __states(&self) -> Arc<dyn States>;

    /// The circuit of the method with this name, for operators; `None` for a name that is no wrapped method.
    fn circuit(&self, method: &str) -> Option<Circuit> {
        Circuit::of(self.__states(), method)
    }

    /// The circuits of all wrapped methods, in the order of the source.
    fn circuits(&self) -> Vec<Circuit> {
        let states = self.__states();
        states
            .names()
            .iter()
            .filter_map(|name| Circuit::of(Arc::clone(&states), name))
            .collect()
    }

    /// What the method with this name keeps, for operators and composition roots; `None` for a name that is no cached method.
    fn cache(&self, method: &str) -> Option<Cache> {
        Cache::of(self.__states(), method)
    }

    /// The plain adapter. What is called on it is not protected. Where a method of the port takes `self: Arc<Self>`, this is
    /// the `Arc` that holds it.
    fn inner<A>(&self) -> &A
    where
        Self: Holds<A> + Sized,
    {
        self.held()
    }

    /// The plain adapter, without the wrapper; as an `Arc`, which may be shared, where a method of the port takes
    /// `self: Arc<Self>`.
    fn into_inner<A>(self) -> A
    where
        Self: Holds<A> + Sized,
    {
        self.into_held()
    }
}
