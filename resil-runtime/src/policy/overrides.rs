//! What one method changes in the policies of its adapter.

use super::bulkhead::Bulkhead;
use super::cached::Cached;
use super::circuit_breaker::CircuitBreaker;
use super::deadline::Deadline;
use super::hedge::Hedge;
use super::rate_limit::RateLimit;
use super::retry::Retry;
use super::timeout::Timeout;
use super::{Policies, Scope};

/// What the attributes on one method change in the policies of its adapter.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Overrides, Timeout};
///
/// // `#[timeout(ms = 500)]` and `#[retry(off)]`
/// const SEND: Overrides = Overrides::new().timeout(Timeout::new(Duration::from_millis(500))).retry_off();
/// # let _ = SEND;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Overrides {
    timeout: Setting<Timeout>,
    retry: Setting<Retry>,
    circuit_breaker: Setting<CircuitBreaker>,
    bulkhead: Setting<Bulkhead>,
    rate_limit: Setting<RateLimit>,
    deadline: Setting<Deadline>,
    hedge: Setting<Hedge>,
    cached: Setting<Cached>,
    /// That there is one; what it does stands in generated code.
    fallback: Setting<()>,
}

#[derive(Clone, Copy, Debug)]
enum Setting<T> {
    Inherit,
    Off,
    Set(T),
}

impl<T: Copy> Setting<T> {
    const fn over(self, base: Option<T>) -> Option<T> {
        match self {
            Self::Inherit => base,
            Self::Off => None,
            Self::Set(value) => Some(value),
        }
    }

    const fn is_set(&self) -> bool {
        matches!(self, Self::Set(_))
    }

    const fn is_inherited(&self) -> bool {
        matches!(self, Self::Inherit)
    }
}

/// The two setters of each policy that has a builder.
macro_rules! setters {
    ($($policy:ident: $Builder:ident, $off:ident;)*) => {$(
        #[doc = concat!("`#[", stringify!($policy), "(…)]`.")]
        #[must_use]
        pub const fn $policy(mut self, $policy: $Builder) -> Self {
            self.$policy = Setting::Set($policy);
            self
        }

        #[doc = concat!("`#[", stringify!($policy), "(off)]`.")]
        #[must_use]
        pub const fn $off(mut self) -> Self {
            self.$policy = Setting::Off;
            self
        }
    )*};
}

impl Default for Overrides {
    fn default() -> Self {
        Self::new()
    }
}

impl Overrides {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            timeout: Setting::Inherit,
            retry: Setting::Inherit,
            circuit_breaker: Setting::Inherit,
            bulkhead: Setting::Inherit,
            rate_limit: Setting::Inherit,
            deadline: Setting::Inherit,
            hedge: Setting::Inherit,
            cached: Setting::Inherit,
            fallback: Setting::Inherit,
        }
    }

    setters! {
        timeout: Timeout, timeout_off;
        retry: Retry, retry_off;
        circuit_breaker: CircuitBreaker, circuit_breaker_off;
        bulkhead: Bulkhead, bulkhead_off;
        rate_limit: RateLimit, rate_limit_off;
        deadline: Deadline, deadline_off;
        hedge: Hedge, hedge_off;
        cached: Cached, cached_off;
    }

    /// `#[fallback(…)]`.
    #[must_use]
    pub const fn fallback(mut self) -> Self {
        self.fallback = Setting::Set(());
        self
    }

    /// `#[fallback(off)]`.
    #[must_use]
    pub const fn fallback_off(mut self) -> Self {
        self.fallback = Setting::Off;
        self
    }

    /// Whether any policy is stated; `off` states none.
    pub(crate) const fn state_any(&self) -> bool {
        self.timeout.is_set()
            || self.retry.is_set()
            || self.circuit_breaker.is_set()
            || self.bulkhead.is_set()
            || self.rate_limit.is_set()
            || self.deadline.is_set()
            || self.hedge.is_set()
            || self.cached.is_set()
            || self.fallback.is_set()
    }

    /// `base` as this method changes it.
    pub(crate) const fn over(&self, base: &Policies) -> Policies {
        // One for the whole instance cannot be another one for a method.
        let (breaker, bulkhead, rate) = (&base.circuit_breaker, &base.bulkhead, &base.rate_limit);
        let shares_breaker = matches!(breaker, Some(shared) if matches!(shared.scope, Scope::Instance));
        let shares_bulkhead = matches!(bulkhead, Some(shared) if matches!(shared.scope, Scope::Instance));
        let shares_rate = matches!(rate, Some(shared) if matches!(shared.scope, Scope::Instance));
        Policies {
            timeout: self.timeout.over(base.timeout),
            // Of retry and hedge only one can be; where they come from two places, the nearer wins.
            retry: if self.hedge.is_set() && self.retry.is_inherited() {
                None
            } else {
                self.retry.over(base.retry)
            },
            hedge: if self.retry.is_set() && self.hedge.is_inherited() {
                None
            } else {
                self.hedge.over(base.hedge)
            },
            circuit_breaker: if shares_breaker && self.circuit_breaker.is_set() {
                base.circuit_breaker
            } else {
                self.circuit_breaker.over(base.circuit_breaker)
            },
            bulkhead: if shares_bulkhead && self.bulkhead.is_set() {
                base.bulkhead
            } else {
                self.bulkhead.over(base.bulkhead)
            },
            rate_limit: if shares_rate && self.rate_limit.is_set() {
                base.rate_limit
            } else {
                self.rate_limit.over(base.rate_limit)
            },
            deadline: self.deadline.over(base.deadline),
            cached: self.cached.over(base.cached),
            fallback: match self.fallback {
                Setting::Inherit => base.fallback,
                Setting::Off => false,
                Setting::Set(()) => true,
            },
        }
    }
}
