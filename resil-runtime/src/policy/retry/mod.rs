//! Repeats what failed and may pass.

mod backoff;
mod budget;
mod config;

pub(crate) use self::backoff::wait_with_hint;
pub(crate) use self::budget::Budget;
pub use self::config::{Jitter, Retry};
