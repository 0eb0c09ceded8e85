//! What generated code names. Not part of the public interface: it changes in any release.

mod aggregate;
mod argument;
mod attempt;
mod bare;
mod cached;
mod conditional;
mod context;
mod place;
mod stated;
mod whole;

pub use std::boxed::Box;
pub use std::sync::Arc;
pub use std::time::Duration;

pub use self::aggregate::*;
pub use self::argument::*;
pub use self::attempt::*;
pub use self::bare::*;
pub use self::cached::*;
pub use self::conditional::*;
pub use self::context::context;
pub use self::place::*;
pub use self::stated::Stated;
pub use self::whole::*;
pub use crate::call::{Call, Outcome};
pub use crate::instance::{Holds, Instance, MethodState, States};
pub use crate::policy::Overrides;
pub use crate::spec::{AdapterSpec, MethodSpec};
pub use crate::{ErrorMap, Own};
