//! An option takes the type of value that the table says.
#[path = "../support.rs"]
mod support;
use support::*;

mod impl_ {
    use super::*;

    pub struct Http;

    #[adapter(
        kind = "external",
        retry(attempts = "3", base_ms = 2s, factor = true, jitter = full, budget = "on"),
        timeout(ms = "2s")
    )]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod nothing {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms), bulkhead(max_concurrent(3)), circuit_breaker = 3)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
