//! What states policies is bounded, or says by what else.
#[path = "../support.rs"]
mod support;
use support::*;

mod on_impl {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", circuit_breaker, retry, idempotent)]
    impl Two for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[timeout(ms = 5)]
        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod on_method {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        #[circuit_breaker]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod observing {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5, mode = "observe"))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod both {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), no_timeout = "why not")]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
