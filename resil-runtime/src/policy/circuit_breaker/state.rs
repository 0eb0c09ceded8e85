//! What operators see of a circuit: its state, and why it changed.

use std::fmt;

use crate::Code;

/// The state of a circuit.
///
/// ```
/// use resil_runtime::CircuitState;
///
/// assert_eq!(CircuitState::HalfOpen.to_string(), "half_open");
/// assert_eq!(CircuitState::HalfOpen.as_str(), "half_open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CircuitState {
    /// Calls go through.
    Closed,
    /// Calls are refused. A circuit whose reset time has passed stays in this state until the next call.
    Open,
    /// A few calls go through as probes; the others are refused.
    HalfOpen,
}

impl CircuitState {
    /// `closed`, `open` or `half_open`, as in events and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

impl fmt::Display for CircuitState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a circuit changed its state.
///
/// ```
/// use resil_runtime::Cause;
///
/// assert_eq!(Cause::FailureRate.to_string(), "failure_rate");
/// assert_eq!(Cause::Operator.as_str(), "operator");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// `failure_threshold` failures in a row.
    ConsecutiveFailures,
    /// `failure_threshold` failures within `within_ms`.
    FailuresWithin,
    /// The share of failures reached `failure_rate`.
    FailureRate,
    /// The share of slow calls reached `slow_rate`.
    SlowRate,
    /// The reset time has passed, and a call came.
    ResetTime,
    /// A probe failed.
    ProbeFailed,
    /// A probe answered, but slowly, where slow calls are judged.
    ProbeSlow,
    /// `success_threshold` probes in a row succeeded.
    ProbesSucceeded,
    /// An operator forced, released or reset it.
    Operator,
    /// The policy that had opened it was taken away.
    PolicyRemoved,
}

impl Cause {
    /// The name in events: `failure_rate`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConsecutiveFailures => "consecutive_failures",
            Self::FailuresWithin => "failures_within",
            Self::FailureRate => "failure_rate",
            Self::SlowRate => "slow_rate",
            Self::ResetTime => "reset_time",
            Self::ProbeFailed => "probe_failed",
            Self::ProbeSlow => "probe_slow",
            Self::ProbesSucceeded => "probes_succeeded",
            Self::Operator => "operator",
            Self::PolicyRemoved => "policy_removed",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One change of a circuit.
///
/// A change that an operator forces is one even where the state stays the same: an open circuit that is now forced open
/// goes from `Open` to `Open`.
///
/// ```
/// use resil_runtime::{CircuitState, Transition};
///
/// fn line(transition: &Transition) -> String {
///     let code = transition.code().map_or("-", |code| code.as_str());
///     format!("{} -> {}: {} ({code})", transition.from(), transition.to(), transition.cause())
/// }
/// fn is_alarm(transition: &Transition) -> bool {
///     transition.to() == CircuitState::Open && !transition.is_forced()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub(super) from: CircuitState,
    pub(super) to: CircuitState,
    pub(super) forced: bool,
    pub(super) cause: Cause,
    pub(super) code: Option<Code>,
}

impl Transition {
    /// The state before.
    #[must_use]
    pub const fn from(&self) -> CircuitState {
        self.from
    }

    /// The state after.
    #[must_use]
    pub const fn to(&self) -> CircuitState {
        self.to
    }

    /// Whether an operator holds it in the new state.
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        self.forced
    }

    /// Why.
    #[must_use]
    pub const fn cause(&self) -> Cause {
        self.cause
    }

    /// The code of the error that opened it, where one did.
    #[must_use]
    pub const fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }
}
