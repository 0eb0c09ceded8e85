//! An operator's handle on one circuit.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{MethodState, States};
use crate::Code;
use crate::policy::circuit_breaker::{Cause, CircuitState, Transitions};
use crate::time::Moment;

/// An operator's handle on the circuit of one wrapped method.
///
/// Every wrapped method has one; without a `circuit_breaker` it never opens by itself, but can be forced. With
/// `scope = "instance"` the methods of an instance have one circuit together, so each of their handles acts on it.
///
/// ```
/// use std::sync::Arc;
/// use resil_runtime::{AdapterSpec, Circuit, CircuitState, Instance, Kind, MethodSpec, MethodState, States};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
/// static SEND: MethodSpec = MethodSpec::new(&SMS, "send");
///
/// // `#[adapter]` writes this; `sms.circuit("send")` then gives the handle.
/// #[derive(Debug)]
/// struct SmsStates { send: MethodState }
/// impl States for SmsStates {
///     fn method(&self, name: &str) -> Option<&MethodState> { (name == "send").then_some(&self.send) }
///     fn names(&self) -> &'static [&'static str] { &["send"] }
/// }
///
/// let states = Arc::new(SmsStates { send: Instance::new(&SMS).method(&SEND) });
/// let circuit = Circuit::of(states, "send").unwrap();
/// assert_eq!(circuit.state(), CircuitState::Closed);
///
/// circuit.force_open();
/// assert_eq!(circuit.state(), CircuitState::Open);
/// assert!(circuit.is_forced());
///
/// circuit.release();
/// assert_eq!(circuit.state(), CircuitState::Closed);
/// ```
#[derive(Clone)]
pub struct Circuit {
    states: Arc<dyn States>,
    method: &'static str,
}

impl Circuit {
    /// The circuit of the method with this name; `None` where there is no such wrapped method.
    #[must_use]
    pub fn of(states: Arc<dyn States>, method: &str) -> Option<Self> {
        let method = states.method(method)?.spec().method();
        Some(Self { states, method })
    }

    fn with<R>(&self, read: impl FnOnce(&MethodState) -> R) -> R {
        let state = self.states.method(self.method);
        read(state.expect("the handle was made of a method that these states have"))
    }

    /// The trait.
    #[must_use]
    pub fn port(&self) -> &'static str {
        self.with(|state| state.spec().adapter().port())
    }

    /// The adapter, by the name operators see.
    #[must_use]
    pub fn adapter(&self) -> &'static str {
        self.with(|state| state.spec().adapter().adapter())
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The state now. An open circuit whose reset time has passed is open until the next call comes.
    #[must_use]
    pub fn state(&self) -> CircuitState {
        self.with(|state| state.breaker().status().state)
    }

    /// Whether an operator holds it in its state.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.with(|state| state.breaker().status().forced)
    }

    /// How long ago it came into its state; `None` where it never left the first one.
    #[must_use]
    pub fn since(&self) -> Option<Duration> {
        let since = self.with(|state| state.breaker().status().since)?;
        Some(Moment::now().since(since))
    }

    /// Why it is in its state; `None` where it never left the first one.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        self.with(|state| state.breaker().status().cause)
    }

    /// The code of the error that opened it: its class's, or `timed_out`, `dropped`, `panicked`.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.with(|state| state.breaker().status().code)
    }

    /// How many failures were seen in a row; where it is not closed, how many when it ceased to be.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.with(|state| state.breaker().status().failures)
    }

    /// How often it opened from closed.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.with(|state| state.breaker().status().opened)
    }

    /// How often a failed probe opened it again.
    #[must_use]
    pub fn reopened(&self) -> u64 {
        self.with(|state| state.breaker().status().reopened)
    }

    /// How many calls it refused; with `mode = "observe"`, how many it would have.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.with(|state| state.breaker().status().refused)
    }

    /// How many retries the budget of the method refused.
    #[must_use]
    pub fn budget_refusals(&self) -> u64 {
        self.with(MethodState::budget_refusals)
    }

    /// How many attempts a timeout with `mode = "observe"` would have cut.
    #[must_use]
    pub fn observed_timeouts(&self) -> u64 {
        self.with(MethodState::observed_timeouts)
    }

    /// How many attempts a bulkhead with `mode = "observe"` found no place for.
    #[must_use]
    pub fn observed_overflows(&self) -> u64 {
        self.with(MethodState::observed_overflows)
    }

    /// How many attempts a rate limit with `mode = "observe"` would have refused.
    #[must_use]
    pub fn observed_limited(&self) -> u64 {
        self.with(MethodState::observed_limited)
    }

    /// How many calls a deadline with `mode = "observe"` would have ended.
    #[must_use]
    pub fn observed_deadlines(&self) -> u64 {
        self.with(MethodState::observed_deadlines)
    }

    /// Closes it, with empty windows, and lets it follow its own rules. Ends a forced state too.
    pub fn reset(&self) {
        self.with(|state| state.breaker().reset(Moment::now()));
    }

    /// Refuses every call until [`release`](Self::release) or [`reset`](Self::reset).
    pub fn force_open(&self) {
        self.with(|state| state.breaker().force_open(Moment::now()));
    }

    /// Lets every call through, whatever becomes of it, until [`release`](Self::release) or [`reset`](Self::reset).
    pub fn force_closed(&self) {
        self.with(|state| state.breaker().force_closed(Moment::now()));
    }

    /// Ends a forced state: closed, with empty windows, by its own rules. Does nothing where it is not forced.
    pub fn release(&self) {
        self.with(|state| state.breaker().release(Moment::now()));
    }

    /// The transitions from now on.
    #[must_use]
    pub fn subscribe(&self) -> Transitions {
        self.with(|state| state.breaker().subscribe())
    }
}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuit")
            .field("adapter", &self.adapter())
            .field("method", &self.method)
            .field("state", &self.state())
            .field("forced", &self.is_forced())
            .finish_non_exhaustive()
    }
}
