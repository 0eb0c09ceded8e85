//! Retry around circuit breaker around bulkhead around timeout.

use backon::{ExponentialBuilder, Retryable as _};
use layered::Stack as _;
use recloser::AsyncRecloser;
use seatbelt::{ResilienceContext, breaker, retry, timeout};
use tokio::sync::Semaphore;
use tower::BoxError;
use tower::limit::ConcurrencyLimit;
use tower_resilience::circuitbreaker::CircuitBreakerError;

use super::bulkhead::Limited;
use super::circuit_breaker::{Counter, recloser, tower_resilience};
use super::resil::resil_row;
use super::retry::{Policy, backoff, recovery};
use super::{
    BASE_DELAY, Layered, MAX_CONCURRENT, RESET_AFTER, RETRIES, TIMEOUT, Tower, WINDOW, layered_adapter,
    tower_adapter,
};
use crate::{Adapter, Fault, Parts, Port, Row};

/// What a careful user writes.
struct ByHand {
    adapter: Adapter,
    breaker: Counter,
    places: Semaphore,
}

impl ByHand {
    fn new(parts: &Parts) -> Self {
        Self {
            adapter: parts.adapter,
            breaker: Counter::new(),
            places: Semaphore::new(MAX_CONCURRENT),
        }
    }

    async fn attempt(&self, input: u64) -> Result<u64, Fault> {
        if self.breaker.is_open() {
            return Err(Fault::CircuitOpen);
        }
        let _place = self.places.try_acquire().map_err(|_| Fault::BulkheadFull)?;
        let result = match tokio::time::timeout(TIMEOUT, self.adapter.call(input)).await {
            Ok(result) => result,
            Err(_) => Err(Fault::TimedOut),
        };
        self.breaker.record(result.is_err());
        result
    }
}

impl Port for ByHand {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        let mut attempts = 1;
        let mut delay = BASE_DELAY;
        loop {
            match self.attempt(input).await {
                Err(fault) if fault.is_transient() && attempts <= RETRIES => {}
                result => return result,
            }
            tokio::time::sleep(delay).await;
            attempts += 1;
            delay *= 2;
        }
    }
}

/// The parts that can be had as crates, put together by hand.
struct Assembled {
    adapter: Adapter,
    backoff: ExponentialBuilder,
    breaker: AsyncRecloser,
    places: Semaphore,
}

impl Assembled {
    fn new(parts: &Parts) -> Self {
        Self {
            adapter: parts.adapter,
            backoff: backoff(),
            breaker: recloser(),
            places: Semaphore::new(MAX_CONCURRENT),
        }
    }
}

impl Port for Assembled {
    type Error = recloser::Error<Fault>;

    async fn call(&self, input: u64) -> Result<u64, Self::Error> {
        let attempt = || {
            self.breaker.call(async {
                let _place = self.places.try_acquire().map_err(|_| Fault::BulkheadFull)?;
                match tokio::time::timeout(TIMEOUT, self.adapter.call(input)).await {
                    Ok(result) => result,
                    Err(_) => Err(Fault::TimedOut),
                }
            })
        };
        let repeats = |error: &recloser::Error<Fault>| match error {
            recloser::Error::Inner(fault) => fault.is_transient(),
            recloser::Error::Rejected => false,
        };
        attempt.retry(self.backoff).when(repeats).await
    }
}

fn tower_with_breaker(parts: &Parts) -> impl Port + use<> {
    let timed = tower::timeout::Timeout::new(tower_adapter(parts.adapter), TIMEOUT);
    let protected = tower_resilience().layer_fn(ConcurrencyLimit::new(timed, MAX_CONCURRENT));
    let policy = Policy::<CircuitBreakerError<BoxError>>::new(|error| !error.is_circuit_open());
    Tower(tower::retry::Retry::new(policy, protected))
}

fn seatbelt(parts: &Parts) -> impl Port + use<> {
    let context = ResilienceContext::new(&parts.clock);
    let retry = retry::Retry::layer("retry", &context).clone_input();
    let retry = retry.max_retry_attempts(RETRIES as u32).base_delay(BASE_DELAY);
    let retry = retry.recovery_with(|result, _| recovery(result));
    let breaker = breaker::Breaker::layer("breaker", &context).recovery_with(|result, _| recovery(result));
    let breaker = breaker.rejected_input_error(|_, _| Fault::CircuitOpen);
    let breaker = breaker.failure_threshold(0.5).min_throughput(WINDOW as u32);
    let breaker = breaker.break_duration(RESET_AFTER);
    let timeout = timeout::Timeout::layer("timeout", &context);
    let timeout = timeout.timeout_error(|_| Fault::TimedOut).timeout(TIMEOUT);
    let limited = tower::layer::layer_fn(Limited::new);
    Layered((retry, breaker, limited, timeout, layered_adapter(parts.adapter)).into_service())
}

pub(super) fn rows() -> Vec<Row> {
    let row = "full stack";
    vec![
        Row::new(
            row,
            "by hand (loop, counter, Semaphore, tokio timeout)",
            ByHand::new,
        ),
        Row::new(row, "backon, recloser, Semaphore, tokio timeout", Assembled::new),
        Row::new(row, "tower, breaker of tower-resilience", tower_with_breaker),
        Row::new(row, "seatbelt, Semaphore", seatbelt),
        resil_row!(
            row,
            "resil (in a row)",
            retry(attempts = 3, base_ms = 1),
            circuit_breaker(failure_threshold = 5, reset_after_ms = 3_600_000),
            bulkhead(max_concurrent = 64),
            timeout(ms = 30_000)
        ),
        resil_row!(
            row,
            "resil (in a row or rate)",
            retry(attempts = 3, base_ms = 1),
            circuit_breaker(reset_after_ms = 3_600_000),
            bulkhead(max_concurrent = 64),
            timeout(ms = 30_000)
        ),
    ]
}
