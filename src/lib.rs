#![cfg_attr(feature = "runtime", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "runtime"),
    doc = "Classes of errors, `PolicyError` and the mark of aggregates, for crates that define ports."
)]

#[cfg(feature = "runtime")]
#[doc(inline)]
pub use resil_macros::adapter;
#[doc(inline)]
pub use resil_macros::{Aggregate, Classify, aggregate};
pub use resil_runtime::{
    Aggregate, Class, Classification, Classify, Code, ErrorMap, PolicyError, PolicyErrorKind, layer,
};
#[cfg(feature = "runtime")]
pub use resil_runtime::{
    Attempt, Bulkhead, Cache, CallId, Cause, Circuit, CircuitBreaker, CircuitState, Deadline, Jitter, Kind,
    Mode, Policies, PoliciesError, Protected, RateLimit, Reset, Retry, Scope, Timeout, Token, Transition,
    Transitions, header, testing, with_deadline,
};

/// Stated by attribute only, so they stand in generated code.
#[cfg(feature = "runtime")]
#[doc(hidden)]
pub use resil_runtime::{Cached, Hedge};

#[cfg(feature = "runtime")]
#[doc(hidden)]
pub use resil_runtime::private as __private;

/// The guide.
#[cfg(doc)]
pub mod guide {
    #[doc = include_str!("../docs/policies.md")]
    pub mod policies {}
    #[doc = include_str!("../docs/generated.md")]
    pub mod generated {}
}
