//! What is one for the instance is stated on the impl, and on it alone.
#[path = "../support.rs"]
mod support;
use support::*;

mod on_method {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Port for Http {
        #[circuit_breaker(scope = "instance")]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod overridden {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), bulkhead(max_concurrent = 3, scope = "instance"))]
    impl Port for Http {
        #[bulkhead(max_concurrent = 1)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
