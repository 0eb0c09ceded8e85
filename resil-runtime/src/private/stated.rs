//! How the states of a wrapper are made.

use std::sync::Arc;

use crate::instance::{Instance, States};
use crate::spec::AdapterSpec;
use crate::{Policies, PoliciesError};

/// The states of a wrapper, with what its code states.
pub trait Stated: States + Sized {
    /// What is stated on the impl.
    const ADAPTER: &'static AdapterSpec;

    /// The states of one instance.
    fn build(instance: &Instance) -> Arc<Self>;

    /// With the policies that the code states.
    #[must_use]
    fn of_code() -> Arc<Self> {
        Self::build(&Instance::new(Self::ADAPTER))
    }

    /// With `policies` in place of those on the impl.
    ///
    /// # Errors
    ///
    /// A number outside its limits, or two that contradict.
    fn of_binding(policies: Policies) -> Result<Arc<Self>, PoliciesError> {
        Ok(Self::build(&Instance::bound(Self::ADAPTER, policies)?))
    }
}
