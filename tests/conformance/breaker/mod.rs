//! The circuit breaker, alone and with retry, timeout and bulkhead: sections 2 and 11 to 14, BRK-1 to BRK-10.
//!
//! Rows that concern the circuit breaker and cannot apply:
//!
//! - 188: no command makes a circuit half-open by hand.
//! - 194: an `Ok` is a success; an adapter that means a failure returns an error.
//! - 195: there is no timer to start or cancel; what it is for, the end of the open state, is asserted.
//! - 219, second half: no `Ok` opens a circuit by its value.
//! - 49, 50: kinds of errors and their order are a matter of `Classify`, so what is left are the classes.
//! - 247, 248: a fallback, which is not there yet. The rest of 11 to 14 is without a circuit.
//! - The metrics columns, but for the counts that an operator's handle has.

#![expect(clippy::unwrap_used, reason = "a test that finds nothing has failed")]

mod closed;
mod combined;
mod evidence;
mod half_open;
mod open;
mod operators;
mod probes;
mod rig;
mod scope;
mod several;
mod slow;
mod transitions;
mod windows;
