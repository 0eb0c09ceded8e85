//! Bounds how many attempts start within a time.

mod config;
mod limiter;

pub use self::config::RateLimit;
pub(crate) use self::limiter::{Limiter, Rate, Turn};
