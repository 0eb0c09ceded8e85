//! Refuses calls to a dependency that fails, and finds out when it is well again.

mod config;

pub use self::config::{CircuitBreaker, Reset};
