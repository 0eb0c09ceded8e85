//! The rows: one file per group, the same settings for all.

mod bulkhead;
mod cached;
mod circuit_breaker;
mod full_stack;
mod resil;
mod retry;
mod timeout;

use std::time::Duration;

use tower::{Service, ServiceExt as _, service_fn};

use crate::{Adapter, Fault, Port, Row};

const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_CONCURRENT: usize = 64;
const RETRIES: usize = 2;
/// Short, since it is waited for while circuits are opened; no measured call waits.
const BASE_DELAY: Duration = Duration::from_millis(1);
const FAILURES: u32 = 5;
const WINDOW: usize = 20;
/// Longer than any run, so that an open circuit stays open.
const RESET_AFTER: Duration = Duration::from_secs(3600);

/// The group of the bare call, which stands in every table.
pub const BARE: &str = "bare call";

/// The first row is the bare call; the first of each other group is what a careful user writes.
pub fn all() -> Vec<Row> {
    let mut rows = vec![Row::new(BARE, "async fn", |parts| parts.adapter)];
    rows.extend(timeout::rows());
    rows.extend(retry::rows());
    rows.extend(bulkhead::rows());
    rows.extend(cached::rows());
    for (group, name_when_open) in [
        (circuit_breaker::rows as fn() -> Vec<Row>, "circuit breaker, open"),
        (full_stack::rows, "full stack, circuit open"),
    ] {
        rows.extend(group());
        rows.extend(group().into_iter().map(|row| Row {
            group: name_when_open,
            open: true,
            ..row
        }));
    }
    rows
}

/// A tower service as an adapter. It needs `&mut self`, so that each call has its own clone, as in any server.
struct Tower<S>(S);

impl<S> Port for Tower<S>
where
    S: Service<u64, Response = u64, Error: Send, Future: Send> + Clone + Send + Sync + 'static,
{
    type Error = S::Error;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, S::Error>> + Send {
        self.0.clone().oneshot(input)
    }
}

/// A service of `layered`, as seatbelt makes them.
struct Layered<S>(S);

impl<S: layered::Service<u64, Out = Result<u64, Fault>> + 'static> Port for Layered<S> {
    type Error = Fault;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, Fault>> + Send {
        self.0.execute(input)
    }
}

/// The adapter as tower's innermost service.
fn tower_adapter(
    adapter: Adapter,
) -> impl Service<u64, Response = u64, Error = Fault, Future: Send> + Clone + Send + Sync + 'static {
    service_fn(move |input| async move { adapter.call(input).await })
}

/// The adapter as the innermost service of `layered`.
fn layered_adapter(adapter: Adapter) -> impl layered::Service<u64, Out = Result<u64, Fault>> + 'static {
    layered::Execute::new(move |input| async move { adapter.call(input).await })
}
