//! Asks again before the first answer is there, and takes whichever comes first.

mod config;

pub use self::config::Hedge;
