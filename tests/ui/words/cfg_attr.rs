//! A helper attribute inside cfg_attr is not seen.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(kind = "external")]
impl Port for Http {
    #[cfg_attr(not(test), timeout(ms = 5))]
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
