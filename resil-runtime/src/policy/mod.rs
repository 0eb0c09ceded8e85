//! The policies: one folder each, complete alone, knowing no other.
//!
//! `config` is what a user states, with defaults and limits. What decides is pure: it is given the time, and neither
//! sleeps nor reads a clock. The call engine alone knows the order in which policies compose.

pub(crate) mod bulkhead;
pub(crate) mod cached;
pub(crate) mod circuit_breaker;
pub(crate) mod deadline;
pub(crate) mod hedge;
mod limits;
mod overrides;
mod policies;
pub(crate) mod rate_limit;
pub(crate) mod retry;
pub(crate) mod timeout;

pub use self::limits::PoliciesError;
pub use self::overrides::Overrides;
pub use self::policies::Policies;

/// Whether a policy refuses, or only says what it would have refused.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Mode, Timeout};
///
/// let trial = Timeout::new(Duration::from_secs(2)).mode(Mode::Observe);
/// # let _ = trial;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// It refuses.
    #[default]
    Enforce,
    /// It decides and counts, but refuses nothing. What it would have refused is no evidence for a circuit.
    Observe,
}

/// How far one state of a policy reaches.
///
/// ```
/// use resil_runtime::{CircuitBreaker, Scope};
///
/// let provider_as_a_whole = CircuitBreaker::new().scope(Scope::Instance);
/// # let _ = provider_as_a_whole;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// Each method of each wrapped instance has its own.
    #[default]
    Method,
    /// All methods of a wrapped instance have one together, for a provider that fails as a whole.
    Instance,
}
