//! Limits of two policies that contradict on one method.
#[path = "../support.rs"]
mod support;
use support::*;

pub struct Other;

#[adapter(kind = "external", timeout(ms = 2000), deadline(ms = 1000))]
impl Port for Other {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

#[adapter(kind = "external", timeout(ms = 5), deadline(ms = 1000), bulkhead(max_concurrent = 1, max_queued = 3))]
impl Two for Http {
    #[deadline(off)]
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[timeout(ms = 1001)]
    async fn put(&self, text: String) -> Result<u8, Failed> {
        Ok(text.len() as u8)
    }
}

fn main() {}
