//! A timeout alone.

use layered::Stack as _;
use seatbelt::{ResilienceContext, timeout::Timeout};
use tower::Layer as _;
use tower_resilience::timelimiter::TimeLimiterLayer;

use super::resil::resil_row;
use super::{Layered, TIMEOUT, Tower, layered_adapter, tower_adapter};
use crate::{Adapter, Fault, Port, Row};

struct ByHand(Adapter);

impl Port for ByHand {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        match tokio::time::timeout(TIMEOUT, self.0.call(input)).await {
            Ok(result) => result,
            Err(_) => Err(Fault::TimedOut),
        }
    }
}

pub(super) fn rows() -> Vec<Row> {
    let row = "timeout";
    vec![
        Row::new(row, "by hand (tokio timeout)", |parts| ByHand(parts.adapter)),
        Row::new(row, "tower", |parts| {
            Tower(tower::timeout::Timeout::new(
                tower_adapter(parts.adapter),
                TIMEOUT,
            ))
        }),
        Row::new(row, "tower-resilience", |parts| {
            let layer = TimeLimiterLayer::builder().timeout_duration(TIMEOUT).build();
            Tower(layer.layer(tower_adapter(parts.adapter)))
        }),
        Row::new(row, "seatbelt", |parts| {
            let context = ResilienceContext::new(&parts.clock);
            let timeout = Timeout::layer("timeout", &context);
            let timeout = timeout.timeout_error(|_| Fault::TimedOut).timeout(TIMEOUT);
            Layered((timeout, layered_adapter(parts.adapter)).into_service())
        }),
        resil_row!(row, "resil", timeout(ms = 30_000)),
    ]
}
