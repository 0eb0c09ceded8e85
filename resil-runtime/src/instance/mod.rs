//! What one wrapped instance keeps between calls.

mod cache;
mod circuit;
mod method;
mod protected;

use std::sync::Arc;

pub use self::cache::Cache;
pub use self::circuit::Circuit;
pub use self::method::MethodState;
pub use self::protected::{Holds, Protected, States};
use crate::Scope;
use crate::policy::bulkhead::Gate;
use crate::policy::circuit_breaker::Breaker;
use crate::policy::rate_limit::Limiter;
use crate::policy::{Policies, PoliciesError};
use crate::spec::{AdapterSpec, MethodSpec};

/// Makes the states of one wrapped instance: what its methods have together, and one [`MethodState`] each.
///
/// ```
/// use resil_runtime::{AdapterSpec, Instance, Kind, MethodSpec, Policies, Retry};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
/// static SEND: MethodSpec = MethodSpec::new(&SMS, "send");
///
/// let send = Instance::new(&SMS).method(&SEND);
/// assert_eq!(send.spec().method(), "send");
///
/// let wrong = Policies::new().retry(Retry::attempts(0));
/// assert!(Instance::bound(&SMS, wrong).is_err());
/// ```
#[derive(Debug)]
pub struct Instance {
    /// What was stated where the instance is made, in place of the impl's.
    binding: Option<Policies>,
    /// `Some` where the policy has `scope = "instance"`.
    breaker: Option<Arc<Breaker>>,
    gate: Option<Arc<Gate>>,
    limiter: Option<Arc<Limiter>>,
}

impl Instance {
    /// With the policies that the code states.
    #[must_use]
    pub fn new(adapter: &'static AdapterSpec) -> Self {
        Self::make(adapter, &adapter.base(), false)
    }

    /// With `policies` in place of those on the impl; attributes on methods stay, and so do the policies of the impl that only an
    /// attribute can state.
    ///
    /// # Errors
    ///
    /// A number outside its limits, or two that contradict.
    pub fn bound(adapter: &'static AdapterSpec, policies: Policies) -> Result<Self, PoliciesError> {
        policies.check()?;
        Ok(Self::make(adapter, &policies.with_code_of(&adapter.base()), true))
    }

    fn make(adapter: &'static AdapterSpec, base: &Policies, bound: bool) -> Self {
        let breaker = base
            .circuit_breaker
            .filter(|breaker| breaker.scope == Scope::Instance);
        let bulkhead = base.bulkhead.filter(|bulkhead| bulkhead.scope == Scope::Instance);
        let rate = base.rate_limit.filter(|limit| limit.scope == Scope::Instance);
        Self {
            binding: bound.then_some(*base),
            breaker: breaker.map(|_| Arc::new(Breaker::new(adapter.names()))),
            gate: bulkhead.map(|limits| Arc::new(method::gate(&limits))),
            limiter: rate.map(|_| Arc::new(Limiter::new())),
        }
    }

    /// The state of one method of this instance.
    #[must_use]
    pub fn method(&self, spec: &'static MethodSpec) -> MethodState {
        MethodState::new(spec, self)
    }
}
