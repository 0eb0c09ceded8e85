//! What a user states, and the numbers that follow from it.

use std::time::Duration;

use super::window::Clean;
use crate::policy::limits::{Limits, PoliciesError};
use crate::policy::{Mode, Scope};

/// `circuit_breaker(…)`: after too many failures it refuses calls without making them, and lets a few through from time to
/// time to see whether the dependency is well again.
///
/// Several criteria may stand together; the first that holds opens the circuit. Without one it opens after five failures in a
/// row, or when half of the last twenty calls failed.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{CircuitBreaker, Policies};
///
/// let breaker = CircuitBreaker::new()
///     .failure_rate(0.5)
///     .window_time(Duration::from_secs(10))
///     .min_calls(20)
///     .reset_after(Duration::from_secs(5));
/// assert!(Policies::new().circuit_breaker(breaker).check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CircuitBreaker {
    failure_threshold: Option<u32>,
    within: Option<Duration>,
    failure_rate: Option<f64>,
    window: Option<u32>,
    window_time: Option<Duration>,
    min_calls: Option<u32>,
    pub(in crate::policy) slow: Option<Duration>,
    slow_rate: Option<f64>,
    reset_after: Option<Duration>,
    reset_after_timeout: Option<Duration>,
    max_reset_after: Option<Duration>,
    reset: Reset,
    half_open_calls: Option<u32>,
    success_threshold: Option<u32>,
    half_open_max: Option<Duration>,
    pub(crate) scope: Scope,
    mode: Mode,
    pub(crate) examine: bool,
}

/// What ends the open state.
///
/// ```
/// assert_eq!(resil_runtime::Reset::default(), resil_runtime::Reset::Timer);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reset {
    /// The reset time.
    #[default]
    Timer,
    /// An operator.
    Manual,
}

impl CircuitBreaker {
    /// All options at their defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            failure_threshold: None,
            within: None,
            failure_rate: None,
            window: None,
            window_time: None,
            min_calls: None,
            slow: None,
            slow_rate: None,
            reset_after: None,
            reset_after_timeout: None,
            max_reset_after: None,
            reset: Reset::Timer,
            half_open_calls: None,
            success_threshold: None,
            half_open_max: None,
            scope: Scope::Method,
            mode: Mode::Enforce,
            examine: false,
        }
    }

    /// `probe`: before the first call after the reset time, the dependency is asked whether it is well. How to ask stands in the
    /// generated code, so only that says so.
    #[doc(hidden)]
    #[must_use]
    pub const fn probe(mut self) -> Self {
        self.examine = true;
        self
    }

    /// `failure_threshold`: opens after this many failures in a row; with [`within`](Self::within) this many within that
    /// time, in a row or not. A failure that is exactly that old still counts.
    #[must_use]
    pub const fn failure_threshold(mut self, failures: u32) -> Self {
        self.failure_threshold = Some(failures);
        self
    }

    /// `within_ms`: the time within which `failure_threshold` failures open the circuit.
    #[must_use]
    pub const fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// `failure_rate`: opens when the share of failures in the window is at or above this. Above 0, at most 1.
    #[must_use]
    pub const fn failure_rate(mut self, share: f64) -> Self {
        self.failure_rate = Some(share);
        self
    }

    /// `window`: the rates are over the last so many calls. Default: 20.
    ///
    /// Up to 32 calls stand in one atomic word. A longer window takes a short lock for each call while it is not full yet or
    /// holds a failure.
    #[must_use]
    pub const fn window(mut self, calls: u32) -> Self {
        self.window = Some(calls);
        self
    }

    /// `window_ms`: the rates are over the calls of the last so much time, instead of a number of calls. Kept in ten parts,
    /// so the oldest tenth leaves at once.
    #[must_use]
    pub const fn window_time(mut self, time: Duration) -> Self {
        self.window_time = Some(time);
        self
    }

    /// `min_calls`: no rate opens the circuit before the window holds so many calls. Default: 10, or `window` where that is
    /// less.
    #[must_use]
    pub const fn min_calls(mut self, calls: u32) -> Self {
        self.min_calls = Some(calls);
        self
    }

    /// `slow_ms`: a call that takes at least so long is slow, whether it fails or not. Below the timeout, where there is one.
    #[must_use]
    pub const fn slow(mut self, time: Duration) -> Self {
        self.slow = Some(time);
        self
    }

    /// `slow_rate`: opens when the share of slow calls in the window is at or above this. Default: 1.0.
    #[must_use]
    pub const fn slow_rate(mut self, share: f64) -> Self {
        self.slow_rate = Some(share);
        self
    }

    /// `reset_after_ms`: how long the circuit stays open before calls go through as probes. Default: 30 s.
    #[must_use]
    pub const fn reset_after(mut self, time: Duration) -> Self {
        self.reset_after = Some(time);
        self
    }

    /// `reset_after_timeout_ms`: the same where a timeout opened it. Default: as `reset_after_ms`.
    #[must_use]
    pub const fn reset_after_timeout(mut self, time: Duration) -> Self {
        self.reset_after_timeout = Some(time);
        self
    }

    /// `max_reset_after_ms`: each reopening doubles the open time, up to this. Default: it does not grow.
    #[must_use]
    pub const fn max_reset_after(mut self, time: Duration) -> Self {
        self.max_reset_after = Some(time);
        self
    }

    /// `reset`: what ends the open state. Default: [`Reset::Timer`].
    #[must_use]
    pub const fn reset(mut self, reset: Reset) -> Self {
        self.reset = reset;
        self
    }

    /// `half_open_calls`: how many probes may run at once. Default: 1.
    #[must_use]
    pub const fn half_open_calls(mut self, calls: u32) -> Self {
        self.half_open_calls = Some(calls);
        self
    }

    /// `success_threshold`: how many probes in a row must succeed to close the circuit; one failure reopens it. Default: as
    /// `half_open_calls`.
    #[must_use]
    pub const fn success_threshold(mut self, successes: u32) -> Self {
        self.success_threshold = Some(successes);
        self
    }

    /// `half_open_max_ms`: a probe that has not ended by then loses its place to the next call. Default: as
    /// `reset_after_ms`.
    #[must_use]
    pub const fn half_open_max(mut self, time: Duration) -> Self {
        self.half_open_max = Some(time);
        self
    }

    /// `scope`: one for each method, or one for all methods of the instance. Default: [`Scope::Method`].
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// `mode`: whether it refuses, or only counts what it would have refused. Default: [`Mode::Enforce`].
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn check(&self) -> Result<(), PoliciesError> {
        let limits = Limits::of("circuit_breaker");
        limits.count("failure_threshold", self.failure_threshold)?;
        limits.duration("within_ms", self.within)?;
        limits.rate("failure_rate", self.failure_rate)?;
        limits.count("window", self.window)?;
        limits.duration("window_ms", self.window_time)?;
        limits.count("min_calls", self.min_calls)?;
        limits.duration("slow_ms", self.slow)?;
        limits.rate("slow_rate", self.slow_rate)?;
        limits.duration("reset_after_ms", self.reset_after)?;
        limits.duration("reset_after_timeout_ms", self.reset_after_timeout)?;
        limits.duration("max_reset_after_ms", self.max_reset_after)?;
        limits.count("half_open_calls", self.half_open_calls)?;
        limits.count("success_threshold", self.success_threshold)?;
        limits.duration("half_open_max_ms", self.half_open_max)?;
        self.check_pairs(limits)
    }

    fn check_pairs(&self, limits: Limits) -> Result<(), PoliciesError> {
        let rules = self.rules();
        let rated = rules.failure_rate.is_some() || rules.slow.is_some();
        let manual = self.reset == Reset::Manual;
        let problem = if self.within.is_some() && self.failure_threshold.is_none() {
            "`within_ms` needs a `failure_threshold`"
        } else if self.window.is_some() && self.window_time.is_some() {
            "a window is counted in calls (`window`) or in time (`window_ms`), not both"
        } else if self.slow_rate.is_some() && self.slow.is_none() {
            "`slow_rate` needs `slow_ms`"
        } else if (self.window.is_some() || self.window_time.is_some() || self.min_calls.is_some()) && !rated
        {
            "a window needs a `failure_rate` or `slow_ms`"
        } else if matches!(rules.window, Window::Calls(calls) if rules.min_calls > calls) {
            "`min_calls` is over `window`, so no rate would ever open it"
        } else if rules
            .max_reset_after
            .is_some_and(|max| max < rules.reset_after.max(rules.reset_after_timeout))
        {
            "`max_reset_after_ms` is below the open time that it bounds"
        } else if manual && (self.reset_after_timeout.is_some() || self.max_reset_after.is_some()) {
            "with `reset = \"manual\"` only an operator ends the open state, so its times have no meaning"
        } else {
            return Ok(());
        };
        Err(limits.contradiction(problem))
    }

    /// The numbers with every default filled in.
    pub(crate) const fn rules(&self) -> Rules {
        let no_criterion =
            self.failure_threshold.is_none() && self.failure_rate.is_none() && self.slow.is_none();
        let window = match (self.window_time, self.window) {
            (Some(time), _) => Window::Time(time),
            (None, Some(calls)) => Window::Calls(calls),
            (None, None) => Window::Calls(20),
        };
        let reset_after = or(self.reset_after, Duration::from_secs(30));
        let half_open_calls = or_count(self.half_open_calls, 1);
        Rules {
            failure_threshold: if no_criterion {
                Some(5)
            } else {
                self.failure_threshold
            },
            within: self.within,
            failure_rate: if no_criterion {
                Some(0.5)
            } else {
                self.failure_rate
            },
            window,
            min_calls: match (self.min_calls, window) {
                (Some(calls), _) => calls,
                (None, Window::Calls(calls)) if calls < 10 => calls,
                (None, _) => 10,
            },
            slow: match self.slow {
                None => None,
                Some(after) => Some(Slow {
                    after,
                    rate: match self.slow_rate {
                        Some(rate) => rate,
                        None => 1.0,
                    },
                }),
            },
            reset_after,
            reset_after_timeout: or(self.reset_after_timeout, reset_after),
            max_reset_after: self.max_reset_after,
            manual: matches!(self.reset, Reset::Manual),
            half_open_calls,
            success_threshold: or_count(self.success_threshold, half_open_calls),
            half_open_max: or(self.half_open_max, reset_after),
            observe: matches!(self.mode, Mode::Observe),
            examine: self.examine,
        }
    }
}

const fn or(value: Option<Duration>, default: Duration) -> Duration {
    match value {
        Some(value) => value,
        None => default,
    }
}

const fn or_count(value: Option<u32>, default: u32) -> u32 {
    match value {
        Some(value) => value,
        None => default,
    }
}

/// The numbers of a breaker, with every default filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rules {
    pub(crate) failure_threshold: Option<u32>,
    /// `Some`: the threshold is within this time instead of in a row.
    pub(crate) within: Option<Duration>,
    pub(crate) failure_rate: Option<f64>,
    pub(crate) window: Window,
    pub(crate) min_calls: u32,
    pub(crate) slow: Option<Slow>,
    pub(crate) reset_after: Duration,
    pub(crate) reset_after_timeout: Duration,
    pub(crate) max_reset_after: Option<Duration>,
    pub(crate) manual: bool,
    pub(crate) half_open_calls: u32,
    pub(crate) success_threshold: u32,
    pub(crate) half_open_max: Duration,
    pub(crate) observe: bool,
    /// The adapter has a way to ask whether the dependency is well.
    pub(crate) examine: bool,
}

impl Rules {
    /// When a success need not be recorded.
    pub(crate) const fn quiet(&self) -> Quiet {
        match (self.failure_rate, self.slow, self.window) {
            (None, None, _) => Quiet::WhileNoneFailed,
            (Some(_), None, Window::Calls(window)) => Quiet::WhileClean(Clean::of(window)),
            _ => Quiet::Never,
        }
    }
}

/// When a success changes nothing, so that nothing but this need be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// Without the policy: always, but for a probe.
    Always,
    /// It has to be counted, or timed.
    Never,
    /// While no failure came before it.
    WhileNoneFailed,
    /// While no failure came before it, and the window is full of successes.
    WhileClean(Clean),
}

/// What a rate is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Window {
    Calls(u32),
    Time(Duration),
}

/// When a call is slow, and at which share of slow calls the circuit opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slow {
    pub(crate) after: Duration,
    pub(crate) rate: f64,
}
