//! Bounds one attempt by dropping its future.
//!
//! The limit runs from the moment the attempt's future is first pending, so that what answers at once costs neither a timer
//! nor a reading of the clock.

mod config;

pub use self::config::Timeout;
