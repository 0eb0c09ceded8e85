//! A bulkhead alone.

use tokio::sync::Semaphore;
use tower::Layer as _;
use tower_resilience::bulkhead::BulkheadLayer;

use super::resil::resil_row;
use super::{MAX_CONCURRENT, Tower, tower_adapter};
use crate::{Adapter, Fault, Port, Row};

struct ByHand(Adapter, Semaphore);

impl Port for ByHand {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        let _place = self.1.try_acquire().map_err(|_| Fault::BulkheadFull)?;
        self.0.call(input).await
    }
}

/// For services of `layered`: seatbelt has no bulkhead.
pub(super) struct Limited<S>(S, Semaphore);

impl<S> Limited<S> {
    pub(super) fn new(service: S) -> Self {
        Self(service, Semaphore::new(MAX_CONCURRENT))
    }
}

impl<S: layered::Service<u64, Out = Result<u64, Fault>>> layered::Service<u64> for Limited<S> {
    type Out = Result<u64, Fault>;

    async fn execute(&self, input: u64) -> Self::Out {
        let _place = self.1.try_acquire().map_err(|_| Fault::BulkheadFull)?;
        self.0.execute(input).await
    }
}

pub(super) fn rows() -> Vec<Row> {
    let row = "bulkhead";
    vec![
        Row::new(row, "by hand (Semaphore)", |parts| {
            ByHand(parts.adapter, Semaphore::new(MAX_CONCURRENT))
        }),
        Row::new(row, "tower", |parts| {
            Tower(tower::limit::ConcurrencyLimit::new(
                tower_adapter(parts.adapter),
                MAX_CONCURRENT,
            ))
        }),
        Row::new(row, "tower-resilience", |parts| {
            let layer = BulkheadLayer::builder()
                .max_concurrent_calls(MAX_CONCURRENT)
                .reject_when_full();
            Tower(
                layer
                    .build()
                    .expect("a limit above zero")
                    .layer(tower_adapter(parts.adapter)),
            )
        }),
        resil_row!(
            row,
            "resil",
            bulkhead(max_concurrent = 64),
            no_timeout = "measured alone"
        ),
    ]
}
