//! Bounds how many attempts start within a time.

mod config;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the call engine does not ask for permits yet")
)]
mod limiter;

pub use self::config::RateLimit;
pub(crate) use self::limiter::{Limiter, Rate};
