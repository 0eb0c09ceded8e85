#![doc = include_str!("../README.md")]

#[doc(inline)]
pub use resil_macros::Classify;
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use resil_macros::adapter;
#[cfg(feature = "runtime")]
pub use resil_runtime::{
    AdapterSpec, Attempt, Bulkhead, Call, Cause, Circuit, CircuitBreaker, CircuitState, Holds, Instance,
    Jitter, Kind, MethodSpec, MethodState, Mode, Outcome, Overrides, Policies, PoliciesError, Protected,
    Reset, Retry, Scope, States, Timeout, Transition, Transitions, testing,
};
pub use resil_runtime::{Class, Classification, Classify, Code, ErrorMap, Own, PolicyError, PolicyErrorKind};

#[cfg(feature = "runtime")]
#[doc(hidden)]
pub use resil_runtime::private as __private;
