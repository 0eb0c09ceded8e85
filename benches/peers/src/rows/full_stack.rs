//! Retry around circuit breaker around bulkhead around timeout.

use backon::{ExponentialBuilder, Retryable as _};
use layered::Stack as _;
use recloser::AsyncRecloser;
use seatbelt::{ResilienceContext, breaker, retry, timeout};
use tokio::sync::Semaphore;
use tower::limit::ConcurrencyLimit;
use tower::{BoxError, Layer as _};
use tower_resilience::bulkhead::{BulkheadLayer, BulkheadServiceError};
use tower_resilience::circuitbreaker::CircuitBreakerError;
use tower_resilience::retry::RetryLayer;
use tower_resilience::timelimiter::{TimeLimiterError, TimeLimiterLayer};

use super::bulkhead::Limited;
use super::circuit_breaker::{Counter, recloser, tower_resilience};
use super::retry::{Policy, recovery};
use super::{
    ATTEMPTS, BASE_DELAY, Layered, MAX_CONCURRENT, RESET_AFTER, TIMEOUT, Tower, WINDOW, layered_adapter,
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
                Err(Fault::Down(_) | Fault::TimedOut) if attempts < ATTEMPTS => {}
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
        let repeats =
            |error: &Self::Error| matches!(error, recloser::Error::Inner(Fault::Down(_) | Fault::TimedOut));
        attempt.retry(self.backoff).when(repeats).await
    }
}

fn tower_with_breaker(parts: &Parts) -> impl Port + use<> {
    let timed = tower::timeout::Timeout::new(tower_adapter(parts.adapter), TIMEOUT);
    let protected = tower_resilience().layer_fn(ConcurrencyLimit::new(timed, MAX_CONCURRENT));
    let policy = Policy::<CircuitBreakerError<BoxError>>::new(|error| !error.is_circuit_open());
    Tower(tower::retry::Retry::new(policy, protected))
}

fn tower_resilience_only(parts: &Parts) -> impl Port + use<> {
    type Error = CircuitBreakerError<BulkheadServiceError<TimeLimiterError<Fault>>>;

    let timed = TimeLimiterLayer::builder().timeout_duration(TIMEOUT).build();
    let limited = BulkheadLayer::builder()
        .max_concurrent_calls(MAX_CONCURRENT)
        .reject_when_full();
    let limited = limited.build().expect("a limit above zero");
    let protected = tower_resilience().layer_fn(limited.layer(timed.layer(tower_adapter(parts.adapter))));
    let retried = RetryLayer::<u64, u64, Error>::builder().max_attempts(ATTEMPTS);
    let retried = retried
        .exponential_backoff(BASE_DELAY)
        .retry_on(|error| !error.is_circuit_open());
    Tower(retried.build().layer(protected))
}

fn seatbelt(parts: &Parts) -> impl Port + use<> {
    let context = ResilienceContext::new(&parts.clock);
    let retry = retry::Retry::layer("retry", &context).clone_input();
    let retry = retry
        .max_retry_attempts(ATTEMPTS as u32 - 1)
        .base_delay(BASE_DELAY);
    let retry = retry.recovery_with(|result, _| recovery(result));
    let breaker = breaker::Breaker::layer("breaker", &context).recovery_with(|result, _| recovery(result));
    let breaker = breaker.rejected_input_error(|_, _| Fault::CircuitOpen);
    let breaker = breaker
        .failure_threshold(0.5)
        .min_throughput(WINDOW as u32)
        .break_duration(RESET_AFTER);
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
            |parts| {
                let places = Semaphore::new(MAX_CONCURRENT);
                ByHand {
                    adapter: parts.adapter,
                    breaker: Counter::new(),
                    places,
                }
            },
        ),
        Row::new(row, "backon, recloser, Semaphore, tokio timeout", |parts| {
            let backoff = ExponentialBuilder::default().with_min_delay(BASE_DELAY);
            let backoff = backoff.with_max_times(ATTEMPTS - 1);
            let places = Semaphore::new(MAX_CONCURRENT);
            Assembled {
                adapter: parts.adapter,
                backoff,
                breaker: recloser(),
                places,
            }
        }),
        Row::new(row, "tower, breaker of tower-resilience", tower_with_breaker),
        Row::new(row, "tower-resilience", tower_resilience_only),
        Row::new(row, "seatbelt, Semaphore", seatbelt),
        super::resil::resil_row!(
            row,
            "resil (in a row)",
            retry = resil::Retry::attempts(3).base(super::BASE_DELAY),
            circuit_breaker = resil::CircuitBreaker::new()
                .failure_threshold(5)
                .reset_after(super::RESET_AFTER),
            bulkhead = resil::Bulkhead::new(64),
            timeout = resil::Timeout::new(super::TIMEOUT)
        ),
        super::resil::resil_row!(
            row,
            "resil (in a row or rate)",
            retry = resil::Retry::attempts(3).base(super::BASE_DELAY),
            circuit_breaker = resil::CircuitBreaker::new().reset_after(super::RESET_AFTER),
            bulkhead = resil::Bulkhead::new(64),
            timeout = resil::Timeout::new(super::TIMEOUT)
        ),
    ]
}
