//! What other systems' conformance suites expect, and the kinds of fault that others' users met.

#![allow(clippy::unwrap_used, reason = "a test may")]
#![allow(
    clippy::large_types_passed_by_value,
    reason = "policies are passed as users pass them"
)]

mod breaker;
mod bulkhead;
mod bulkhead_retry;
mod cached;
mod cancellation;
mod clock;
mod composition;
mod edges;
mod error_map;
mod fallback;
mod given;
mod limits;
mod method;
mod modes;
mod one_layer;
mod panics;
mod queue;
mod races;
mod refusals;
mod retry;
mod retry_budget;
mod retry_waits;
mod stated;
mod support;
mod timeout;
mod whole;
