//! An option is within its limits.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(
    kind = "external",
    retry(attempts = 0, base_ms = -1, factor = 0.5, max_ms = 0),
    timeout(ms = 99999999999999999999),
    circuit_breaker(failure_rate = 150, slow_ms = 5, slow_rate = 0.0),
    bulkhead(max_concurrent = 1_000_001)
)]
impl Port for Http {
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
