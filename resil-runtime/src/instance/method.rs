//! The state of one method of one wrapped instance.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::Instance;
use crate::Scope;
use crate::policy::bulkhead::{Bulkhead, Gate};
use crate::policy::circuit_breaker::Breaker;
use crate::policy::rate_limit::{Limiter, Rate};
use crate::policy::retry::Budget;
use crate::spec::{Effective, MethodSpec};
use crate::time::Moment;

/// Circuit, bulkhead, rate limit and budget of one method of one wrapped instance. Made by [`Instance::method`], used by
/// [`Call`](crate::Call).
///
/// ```
/// use resil_runtime::{AdapterSpec, Instance, Kind, MethodSpec};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
/// static SEND: MethodSpec = MethodSpec::new(&SMS, "send");
/// let state = Instance::new(&SMS).method(&SEND);
/// assert_eq!(state.running(), 0);
/// ```
pub struct MethodState {
    numbers: Numbers,
    breaker: Slot<Breaker>,
    /// Apart, since every call writes it: a thread that does must not take from the others the cache line that they read.
    gate: Option<Arc<Gate>>,
    /// Apart for the same reason.
    limiter: Option<Arc<Limiter>>,
    budget: Budget,
    pub(crate) observed: Observed,
    spec: &'static MethodSpec,
}

// Not derived: that is `#[inline]`, so each crate with an adapter would compile it anew, with all that is in it.
impl fmt::Debug for MethodState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MethodState")
            .field("numbers", &self.numbers)
            .field("breaker", &self.breaker)
            .field("gate", &self.gate)
            .field("limiter", &self.limiter)
            .field("budget", &self.budget)
            .field("observed", &self.observed)
            .field("spec", &self.spec)
            .finish()
    }
}

/// What policies in observe mode would have refused.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) timeouts: AtomicU64,
    pub(crate) overflows: AtomicU64,
    pub(crate) deadlines: AtomicU64,
    pub(crate) limited: AtomicU64,
}

/// Where the numbers stand: those of the code are constants, those of a binding belong to the instance.
#[derive(Debug)]
enum Numbers {
    Code(&'static Effective),
    Binding(Arc<Effective>),
}

/// A state that belongs to the method, or to all methods of the instance.
#[derive(Debug)]
enum Slot<T> {
    Method(T),
    Instance(Arc<T>),
}

impl<T> Deref for Slot<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Method(state) => state,
            Self::Instance(state) => state,
        }
    }
}

/// A wait of zero means that nobody waits; none at all, that a deadline bounds it.
pub(super) fn gate(limits: &Bulkhead) -> Gate {
    let waits = limits.max_wait != Some(Duration::ZERO);
    Gate::new(limits.max_concurrent, if waits { limits.max_queued } else { 0 })
}

impl MethodState {
    pub(super) fn new(spec: &'static MethodSpec, instance: &Instance) -> Self {
        let numbers = match &instance.binding {
            None => Numbers::Code(spec.effective()),
            Some(policies) => Numbers::Binding(Arc::new(spec.over(policies))),
        };
        let policies = &numbers.policies;
        let shares_breaker = policies
            .circuit_breaker
            .is_some_and(|breaker| breaker.scope == Scope::Instance);
        let breaker = match &instance.breaker {
            Some(shared) if shares_breaker => Slot::Instance(Arc::clone(shared)),
            _ => Slot::Method(Breaker::new(spec.names())),
        };
        let gate = policies.bulkhead.map(|limits| match &instance.gate {
            Some(shared) if limits.scope == Scope::Instance => Arc::clone(shared),
            _ => Arc::new(gate(&limits)),
        });
        let limiter = policies.rate_limit.map(|limit| match &instance.limiter {
            Some(shared) if limit.scope == Scope::Instance => Arc::clone(shared),
            _ => Arc::new(Limiter::new()),
        });
        Self {
            spec,
            breaker,
            gate,
            limiter,
            observed: Observed::default(),
            budget: Budget::new(Moment::now()),
            numbers,
        }
    }

    /// What is known of the method.
    #[must_use]
    pub const fn spec(&self) -> &'static MethodSpec {
        self.spec
    }

    /// How many attempts hold a place of the bulkhead now; zero without one.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.gate.as_ref().map_or(0, |gate| gate.running())
    }

    /// How many attempts wait for a place of the bulkhead now.
    #[must_use]
    pub fn waiting(&self) -> u32 {
        self.gate.as_ref().map_or(0, |gate| gate.waiting())
    }

    /// How many retries the budget has refused.
    #[must_use]
    pub fn budget_refusals(&self) -> u64 {
        self.budget.refused()
    }

    /// How many attempts a timeout in observe mode would have cut.
    #[must_use]
    pub fn observed_timeouts(&self) -> u64 {
        self.observed.timeouts.load(Relaxed)
    }

    /// How many attempts a bulkhead in observe mode found no place for.
    #[must_use]
    pub fn observed_overflows(&self) -> u64 {
        self.observed.overflows.load(Relaxed)
    }

    /// How many attempts a rate limit in observe mode would have refused.
    #[must_use]
    pub fn observed_limited(&self) -> u64 {
        self.observed.limited.load(Relaxed)
    }

    /// How many calls a deadline in observe mode would have ended.
    #[must_use]
    pub fn observed_deadlines(&self) -> u64 {
        self.observed.deadlines.load(Relaxed)
    }

    #[inline]
    pub(crate) fn effective(&self) -> &Effective {
        &self.numbers
    }

    #[inline]
    pub(crate) fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    #[inline]
    pub(crate) fn gate(&self) -> Option<&Gate> {
        self.gate.as_deref()
    }

    /// The rate limit, and the numbers by which it is asked.
    #[inline]
    pub(crate) fn limiter(&self) -> Option<(&Limiter, Rate)> {
        self.limiter.as_deref().zip(self.effective().rate)
    }

    #[inline]
    pub(crate) const fn budget(&self) -> &Budget {
        &self.budget
    }
}

impl Deref for Numbers {
    type Target = Effective;

    #[inline]
    fn deref(&self) -> &Effective {
        match self {
            Self::Code(effective) => effective,
            Self::Binding(effective) => effective,
        }
    }
}

#[cfg(all(test, not(resil_loom)))]
mod tests;
