//! Keeps what a method answered.
//!
//! Which entry is fresh, and who loads one, is decided here. What a load is, and in which order it stands to other policies, the
//! engine knows.

mod config;
mod flights;
mod key;
mod slot;
mod values;

pub use self::config::Cached;
pub(crate) use self::flights::{Leader, Outcome, Seat, Shared, while_led};
pub use self::key::{Lookup, OptionPart, arguments, own_key};
pub use self::slot::CacheSlot;
pub(crate) use self::values::Entry;
