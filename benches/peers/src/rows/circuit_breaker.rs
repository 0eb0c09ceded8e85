//! A circuit breaker alone, closed or open.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use failsafe::{backoff, failure_policy};
use layered::Stack as _;
use recloser::{AsyncRecloser, Recloser};
use seatbelt::{ResilienceContext, breaker::Breaker};
use tower_resilience::circuitbreaker::CircuitBreakerLayer;

use super::resil::resil_row;
use super::retry::recovery;
use super::{FAILURES, Layered, RESET_AFTER, Tower, WINDOW, layered_adapter, tower_adapter};
use crate::{Adapter, Fault, Port, Row};

/// Counts failures in a row. The least that works: no probes are held apart, and nobody hears of a transition.
pub(super) struct Counter {
    made: Instant,
    failures: AtomicU32,
    /// Milliseconds after `made`.
    open_until: AtomicU64,
}

impl Counter {
    pub(super) fn new() -> Self {
        Self {
            made: Instant::now(),
            failures: AtomicU32::new(0),
            open_until: AtomicU64::new(0),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.failures.load(Relaxed) >= FAILURES && self.now() < self.open_until.load(Relaxed)
    }

    pub(super) fn record(&self, failed: bool) {
        if failed {
            if self.failures.fetch_add(1, Relaxed) + 1 >= FAILURES {
                self.open_until
                    .store(self.now() + RESET_AFTER.as_millis() as u64, Relaxed);
            }
        } else if self.failures.load(Relaxed) != 0 {
            self.failures.store(0, Relaxed);
        }
    }

    fn now(&self) -> u64 {
        self.made.elapsed().as_millis() as u64
    }
}

struct ByHand(Adapter, Counter);

impl Port for ByHand {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        if self.1.is_open() {
            return Err(Fault::CircuitOpen);
        }
        let result = self.0.call(input).await;
        self.1.record(result.is_err());
        result
    }
}

struct Reclosed(Adapter, AsyncRecloser);

impl Port for Reclosed {
    type Error = recloser::Error<Fault>;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, Self::Error>> + Send {
        self.1.call(self.0.call(input))
    }
}

struct Failsafe<B>(Adapter, B);

impl<B: failsafe::futures::CircuitBreaker + Send + Sync + 'static> Port for Failsafe<B> {
    type Error = failsafe::Error<Fault>;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, Self::Error>> + Send {
        self.1.call(self.0.call(input))
    }
}

pub(super) fn recloser() -> AsyncRecloser {
    let breaker = Recloser::custom().error_rate(0.5).closed_len(WINDOW);
    breaker.open_wait(RESET_AFTER).build().into()
}

pub(super) fn tower_resilience() -> CircuitBreakerLayer {
    let layer = CircuitBreakerLayer::builder().wait_duration_in_open(RESET_AFTER);
    let layer = layer.failure_rate_threshold(0.5).sliding_window_size(WINDOW);
    layer.build().expect("a rate and a window above zero")
}

pub(super) fn rows() -> Vec<Row> {
    let row = "circuit breaker";
    vec![
        Row::new(row, "by hand (failures in a row)", |parts| {
            ByHand(parts.adapter, Counter::new())
        }),
        Row::new(row, "failsafe (in a row)", |parts| {
            let policy = failure_policy::consecutive_failures(FAILURES, backoff::constant(RESET_AFTER));
            let breaker = failsafe::Config::new().failure_policy(policy).build();
            Failsafe(parts.adapter, breaker)
        }),
        Row::new(row, "recloser (rate)", |parts| {
            Reclosed(parts.adapter, recloser())
        }),
        Row::new(row, "tower-resilience (rate)", |parts| {
            Tower(tower_resilience().layer_fn(tower_adapter(parts.adapter)))
        }),
        Row::new(row, "seatbelt (rate)", |parts| {
            let context = ResilienceContext::new(&parts.clock);
            let breaker = Breaker::layer("breaker", &context).recovery_with(|result, _| recovery(result));
            let breaker = breaker.rejected_input_error(|_, _| Fault::CircuitOpen);
            let breaker = breaker.failure_threshold(0.5).min_throughput(WINDOW as u32);
            let breaker = breaker.break_duration(RESET_AFTER);
            Layered((breaker, layered_adapter(parts.adapter)).into_service())
        }),
        resil_row!(
            row,
            "resil (in a row)",
            circuit_breaker(failure_threshold = 5, reset_after_ms = 3_600_000),
            no_timeout = "measured alone"
        ),
        resil_row!(
            row,
            "resil (in a row or rate)",
            circuit_breaker(reset_after_ms = 3_600_000),
            no_timeout = "measured alone"
        ),
    ]
}
