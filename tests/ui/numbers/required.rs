//! An option without a default is given.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(kind = "external", timeout, bulkhead(max_queued = 3))]
impl Port for Http {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
