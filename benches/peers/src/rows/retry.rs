//! A retry alone.

use backon::{ExponentialBuilder, Retryable as _};
use layered::Stack as _;
use recoverable::RecoveryInfo;
use seatbelt::{ResilienceContext, retry::Retry};
use tower::Layer as _;
use tower_resilience::retry::RetryLayer;

use super::resil::resil_row;
use super::{BASE_DELAY, Layered, RETRIES, Tower, layered_adapter, tower_adapter};
use crate::{Adapter, Fault, Port, Row};

struct ByHand(Adapter);

impl Port for ByHand {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        let mut delay = BASE_DELAY;
        for _ in 0..RETRIES {
            match self.0.call(input).await {
                Err(fault) if fault.is_transient() => tokio::time::sleep(delay).await,
                result => return result,
            }
            delay *= 2;
        }
        self.0.call(input).await
    }
}

struct Backon(Adapter, ExponentialBuilder);

impl Port for Backon {
    type Error = Fault;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, Fault>> + Send {
        (move || self.0.call(input)).retry(self.1)
    }
}

pub(super) fn backoff() -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(BASE_DELAY)
        .with_max_times(RETRIES)
}

/// For tower, which has the loop and leaves the decision to its user. It is cloned for each call.
pub(super) struct Policy<E> {
    left: usize,
    repeats: fn(&E) -> bool,
}

impl<E> Clone for Policy<E> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<E> Policy<E> {
    pub(super) fn new(repeats: fn(&E) -> bool) -> Self {
        Self {
            left: RETRIES,
            repeats,
        }
    }
}

impl<E> tower::retry::Policy<u64, u64, E> for Policy<E> {
    type Future = tokio::time::Sleep;

    fn retry(&mut self, _: &mut u64, result: &mut Result<u64, E>) -> Option<Self::Future> {
        let error = result.as_ref().err()?;
        if self.left == 0 || !(self.repeats)(error) {
            return None;
        }
        self.left -= 1;
        Some(tokio::time::sleep(BASE_DELAY))
    }

    fn clone_request(&mut self, input: &u64) -> Option<u64> {
        Some(*input)
    }
}

/// For seatbelt: what may be repeated, and what counts as a failure of the dependency.
pub(super) fn recovery(result: &Result<u64, Fault>) -> RecoveryInfo {
    match result {
        Err(fault) if fault.is_transient() => RecoveryInfo::retry(),
        _ => RecoveryInfo::never(),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let row = "retry";
    vec![
        Row::new(row, "by hand (loop)", |parts| ByHand(parts.adapter)),
        Row::new(row, "backon", |parts| Backon(parts.adapter, backoff())),
        Row::new(row, "tower", |parts| {
            let policy = Policy::new(Fault::is_transient);
            Tower(tower::retry::Retry::new(policy, tower_adapter(parts.adapter)))
        }),
        Row::new(row, "tower-resilience", |parts| {
            let layer = RetryLayer::<u64, u64, Fault>::builder().max_attempts(RETRIES + 1);
            let layer = layer.exponential_backoff(BASE_DELAY).build();
            Tower(layer.layer(tower_adapter(parts.adapter)))
        }),
        Row::new(row, "seatbelt", |parts| {
            let context = ResilienceContext::new(&parts.clock);
            let retry = Retry::layer("retry", &context).clone_input();
            let retry = retry.max_retry_attempts(RETRIES as u32).base_delay(BASE_DELAY);
            let retry = retry.recovery_with(|result, _| recovery(result));
            Layered((retry, layered_adapter(parts.adapter)).into_service())
        }),
        resil_row!(
            row,
            "resil",
            retry(attempts = 3, base_ms = 1),
            no_timeout = "measured alone"
        ),
    ]
}
