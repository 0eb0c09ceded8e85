//! Keeps what a method answered, and makes one call of those that miss at the same time.
//!
//! A [`CacheSlot`] stands in the states of a wrapper; the [`store`] behind it has the values, and the loads that are running. Neither
//! knows the types of keys and values. When something is loaded, and what becomes of its failure, is for the call engine to say.

mod config;
mod entry;
mod flight;
mod flights;
mod key;
mod nested;
mod owned;
mod slot;
mod store;

pub use self::config::Cached;
pub(crate) use self::entry::{AnyEntry, Entry};
pub(crate) use self::flight::Landing;
pub use self::key::{Kept, Key, KeyPart, Lookup, OwnKey, Whole};
pub(crate) use self::owned::OwnedKey;
pub use self::slot::CacheSlot;
pub(crate) use self::store::{Joined, Lead, Store, Wait, asks};
