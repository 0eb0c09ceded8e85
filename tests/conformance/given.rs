//! What many rows are given: policies, and ports whose calls wait.

use std::sync::Arc;

use resil::{Bulkhead, Circuit, CircuitBreaker, Jitter, Policies, Protected, Retry};
use tokio::sync::Semaphore;

use crate::support::{Answer, ResilientScripted, Scripted, Step, ms, wrap};

/// Repeats without a wait.
pub(crate) fn at_once(attempts: u32) -> Retry {
    Retry::attempts(attempts).base(ms(0))
}

/// One retry, a second later.
pub(crate) fn a_second_later() -> Retry {
    Retry::attempts(2).base(ms(1000)).jitter(Jitter::None)
}

/// A bulkhead whose waiters wait longer than any row lasts.
pub(crate) fn queue(max_concurrent: u32, max_queued: u32) -> Bulkhead {
    Bulkhead::new(max_concurrent)
        .max_queued(max_queued)
        .max_wait(ms(60_000))
}

/// The first failure opens the circuit, for a second.
pub(crate) fn first_failure() -> CircuitBreaker {
    CircuitBreaker::new().failure_threshold(1).reset_after(ms(1000))
}

/// cb(50,4,4) of the requirements.
pub(crate) fn half_of_four() -> CircuitBreaker {
    CircuitBreaker::new()
        .failure_rate(0.5)
        .window(4)
        .min_calls(4)
        .reset_after(ms(1000))
}

/// A port whose calls wait for a permit each, and then end as `answer` says of the n-th.
pub(crate) fn gated(
    policies: Policies,
    answer: impl Fn(u32) -> Answer + Send + Sync + 'static,
) -> (ResilientScripted, Scripted, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let (port, adapter) = wrap(policies, move |n| Step::Gate(Arc::clone(&held), answer(n)));
    (port, adapter, gate)
}

/// How many hold a place of the bulkhead and how many wait for one.
pub(crate) fn places(port: &ResilientScripted) -> (u32, u32) {
    let states = port.__states();
    let state = states.method("call").expect("the port has this method");
    (state.running(), state.waiting())
}

pub(crate) fn circuit(port: &ResilientScripted) -> Circuit {
    port.circuit("call").expect("the port has this method")
}
