//! Bounds how many attempts run at once.

mod config;

pub use self::config::Bulkhead;
