//! The policies and the call engine behind the crate `resil`, usable without its macros.
//!
//! Without the feature `runtime` only what a crate that defines ports needs is left: the classes of
//! errors, [`PolicyError`], the mark [`Aggregate`] and the rule of layers, without any dependency.
//! The features `reqwest`, `tonic`, `sqlx` and `anyhow` add the classes of those crates' errors, with and without it.

mod aggregate;
mod classify;
mod error;
pub mod layer;

pub use aggregate::Aggregate;
#[cfg(feature = "reqwest")]
pub use classify::reqwest;
pub use classify::{Class, Classification, Classify, Code, ErrorMap, Own};
pub use error::{PolicyError, PolicyErrorKind};

#[cfg(feature = "runtime")]
mod attempt;
#[cfg(feature = "runtime")]
mod call;
#[cfg(feature = "runtime")]
mod instance;
#[cfg(feature = "runtime")]
mod options;
#[cfg(feature = "runtime")]
mod policy;
#[cfg(feature = "runtime")]
mod spec;
#[cfg(feature = "runtime")]
mod striped;
#[cfg(feature = "runtime")]
mod sync;
#[cfg(feature = "runtime")]
pub mod testing;
#[cfg(feature = "runtime")]
mod time;

#[cfg(feature = "runtime")]
#[doc(hidden)]
pub mod private;

#[cfg(feature = "runtime")]
pub use attempt::{Attempt, CallId, Token, header, with_deadline};
#[cfg(feature = "runtime")]
pub use call::{AttemptFuture, Call, Outcome};
#[cfg(feature = "runtime")]
pub use instance::{Cache, Circuit, Holds, Instance, MethodState, Protected, State, States};
#[cfg(feature = "runtime")]
pub use policy::{
    Mode, Overrides, Policies, PoliciesError, Scope,
    bulkhead::Bulkhead,
    cached::CacheSlot,
    circuit_breaker::{Cause, CircuitBreaker, CircuitState, Reset, Transition, Transitions},
    deadline::Deadline,
    rate_limit::RateLimit,
    retry::{Jitter, Retry},
    timeout::Timeout,
};
/// Stated by attribute only: they need the types of a method.
#[cfg(feature = "runtime")]
#[doc(hidden)]
pub use policy::{cached::Cached, hedge::Hedge};
#[cfg(feature = "runtime")]
pub use spec::{AdapterSpec, Kind, MethodSpec};
