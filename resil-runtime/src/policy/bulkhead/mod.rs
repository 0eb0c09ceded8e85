//! Bounds how many attempts run at once.

mod config;
mod gate;
mod queue;

pub use self::config::Bulkhead;
pub(crate) use self::gate::{Gate, Joined};
pub(crate) use self::queue::WaiterId;
