//! Repeats what failed and may pass.

mod backoff;
mod config;

pub(crate) use self::backoff::{bound, wait, wait_with_hint};
pub use self::config::{Jitter, Retry};
