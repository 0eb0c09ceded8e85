//! Repeats what failed and may pass.

mod config;

pub use self::config::{Jitter, Retry};
