//! Bounds a whole call, waits included. The call engine holds it; what is left of it flows inward.

mod config;

pub use self::config::Deadline;
