//! Numbers do not contradict.
#[path = "../support.rs"]
mod support;
use support::*;

mod retry {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry(base_ms = 20_000), timeout(ms = 5), bulkhead(max_concurrent = 1, max_queued = 3))]
    impl Port for Http {
        #[circuit_breaker(within_ms = 5, slow_rate = 0.5)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod windows {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), circuit_breaker(failure_rate = 0.5, window = 5, window_ms = 5))]
    impl Two for Http {
        #[circuit_breaker(failure_threshold = 3, window = 30)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[circuit_breaker(failure_rate = 0.5, min_calls = 30)]
        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod open_times {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Two for Http {
        #[circuit_breaker(max_reset_after_ms = 5)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[circuit_breaker(reset = "manual", reset_after_timeout_ms = 5)]
        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod dead {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 500), circuit_breaker(slow_ms = 400), bulkhead(max_concurrent = 5, max_wait_ms = 5))]
    impl Two for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[timeout(ms = 300)]
        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
