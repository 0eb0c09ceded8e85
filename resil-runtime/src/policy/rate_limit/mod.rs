//! Bounds how many attempts start within a time.

mod config;

pub use self::config::RateLimit;
