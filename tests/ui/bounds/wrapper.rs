//! A wrapper is Clone and Debug where its adapter is.
#[path = "../support.rs"]
mod support;
use support::*;

pub struct Bare;

#[adapter(kind = "external")]
impl Port for Bare {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn needs_clone(_: impl Clone) {}
fn needs_debug(_: impl std::fmt::Debug) {}

fn asked() {
    needs_clone(ResilientBare::new(Bare));
    needs_debug(ResilientBare::new(Bare));
}

fn main() {}
