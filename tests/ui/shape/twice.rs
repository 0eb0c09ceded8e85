//! One attribute on one impl.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(kind = "external", timeout(ms = 5))]
#[adapter(kind = "external", retry)]
impl Port for Http {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
