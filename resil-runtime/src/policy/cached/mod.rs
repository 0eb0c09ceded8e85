//! Keeps what a method answered.

mod config;

pub use self::config::Cached;
