#![cfg_attr(feature = "runtime", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "runtime"),
    doc = "Classes of errors, `PolicyError` and the mark of aggregates, for crates that define ports."
)]

#[doc(inline)]
pub use resil_macros::{Aggregate, Classify, aggregate};
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use resil_macros::{adapter, resilient};
/// What methods state inside an `#[adapter]` impl, where no `use` is needed.
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use resil_macros::{
    bulkhead, cached, circuit_breaker, deadline, fallback, hedge, idempotent, non_idempotent, own,
    rate_limit, retry, timeout,
};
/// For adapters that speak HTTP by `reqwest`.
#[cfg(feature = "reqwest")]
#[doc(inline)]
pub use resil_runtime::reqwest;
pub use resil_runtime::{
    Aggregate, Class, Classification, Classify, Code, ErrorMap, PolicyError, PolicyErrorKind, layer,
};
#[cfg(feature = "runtime")]
pub use resil_runtime::{
    Attempt, Bulkhead, Cache, CallId, Cause, Circuit, CircuitBreaker, CircuitState, Deadline, Jitter, Kind,
    Mode, Policies, PoliciesError, Protected, RateLimit, Reset, Retry, Scope, State, Timeout, Token,
    Transition, Transitions, header, testing, with_deadline,
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
    #[doc = include_str!("../docs/rules.md")]
    pub mod rules {}
    /// Its examples need all features: `tests/ready` runs them.
    #[cfg(not(doctest))]
    #[doc = include_str!("../docs/classes.md")]
    pub mod classes {}
    #[doc = include_str!("../docs/generated.md")]
    pub mod generated {}
}

/// Runs the examples of the attributes, which need this crate.
#[cfg(all(doctest, feature = "runtime"))]
mod attributes {
    #[doc = include_str!("../resil-macros/src/attributes/timeout.md")]
    mod timeout {}
    #[doc = include_str!("../resil-macros/src/attributes/retry.md")]
    mod retry {}
    #[doc = include_str!("../resil-macros/src/attributes/circuit_breaker.md")]
    mod circuit_breaker {}
    #[doc = include_str!("../resil-macros/src/attributes/bulkhead.md")]
    mod bulkhead {}
    #[doc = include_str!("../resil-macros/src/attributes/cached.md")]
    mod cached {}
    #[doc = include_str!("../resil-macros/src/attributes/fallback.md")]
    mod fallback {}
    #[doc = include_str!("../resil-macros/src/attributes/deadline.md")]
    mod deadline {}
    #[doc = include_str!("../resil-macros/src/attributes/rate_limit.md")]
    mod rate_limit {}
    #[doc = include_str!("../resil-macros/src/attributes/hedge.md")]
    mod hedge {}
    #[doc = include_str!("../resil-macros/src/attributes/idempotent.md")]
    mod idempotent {}
    #[doc = include_str!("../resil-macros/src/attributes/non_idempotent.md")]
    mod non_idempotent {}
    #[doc = include_str!("../resil-macros/src/attributes/own.md")]
    mod own {}
}
