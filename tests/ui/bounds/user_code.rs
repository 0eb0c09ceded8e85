//! Mistakes in the user's code are reported there.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(kind = "external")]
impl Port for Http {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(())
    }
}

fn main() {}
