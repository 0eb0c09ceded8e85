//! Refuses calls to a dependency that fails, and finds out when it is well again.
//!
//! `machine` decides, from what it is told; `window` keeps the outcomes that it is told about; `breaker` is the one that
//! runs: it holds both behind one word that a call on a closed circuit only reads.

mod admission;
mod breaker;
mod config;
mod count;
mod machine;
mod operator;
mod probes;
mod publish;
mod state;
mod window;
mod word;

#[cfg(test)]
mod tests;

pub(crate) use self::admission::{Admission, Failure, Refused};
pub(crate) use self::breaker::Breaker;
pub use self::config::{CircuitBreaker, Reset};
pub(crate) use self::config::{Quiet, Rules};
#[cfg(test)]
pub(crate) use self::config::{Slow, Window};
pub(crate) use self::publish::Names;
pub use self::publish::Transitions;
pub use self::state::{Cause, CircuitState, Transition};
