//! A read that is at hand. Without a `ttl` the cache crate alone is the least that a hit can cost.

use std::sync::Arc;

use quick_cache::sync::Cache;
use tokio::time::{Duration, Instant};

use super::resil::resil_row;
use crate::{Adapter, Fault, Port, Row};

const CAPACITY: usize = 1024;
/// Longer than any run.
const TTL: Duration = Duration::from_secs(3600);

struct Alone(Adapter, Cache<u64, u64>);

impl Port for Alone {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        if let Some(value) = self.1.get(&input) {
            return Ok(value);
        }
        let value = self.0.call(input).await?;
        self.1.insert(input, value);
        Ok(value)
    }
}

struct WithTtl(Adapter, Cache<u64, Arc<(u64, Instant)>>);

impl Port for WithTtl {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        if let Some(entry) = self.1.get(&input)
            && Instant::now() < entry.1
        {
            return Ok(entry.0);
        }
        let value = self.0.call(input).await?;
        self.1.insert(input, Arc::new((value, Instant::now() + TTL)));
        Ok(value)
    }
}

pub(super) fn rows() -> Vec<Row> {
    let row = "cached read, at hand";
    vec![
        Row::new(row, "by hand (quick_cache, no ttl)", |parts| {
            Alone(parts.adapter, Cache::new(CAPACITY))
        }),
        Row::new(row, "by hand (quick_cache, ttl)", |parts| {
            WithTtl(parts.adapter, Cache::new(CAPACITY))
        }),
        resil_row!(
            row,
            "resil",
            cached(ttl_ms = 3_600_000, capacity = 1024),
            timeout(ms = 30_000)
        ),
    ]
}
