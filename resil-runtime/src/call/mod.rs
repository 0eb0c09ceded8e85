//! The call engine: the only place that knows in which order policies compose.
//!
//! ```text
//! deadline → retry → circuit breaker → bulkhead → timeout → adapter
//! ```
//!
//! A [`Call`] is what the caller lives, an [attempt](AttemptFuture) one pass through breaker, bulkhead, timeout and adapter. A ticket goes
//! with each attempt. It is made before the adapter's future exists, and settles on its way out whatever was not settled:
//! caller gone, panic, timeout.

// What each call runs, and knows no types of the user's, is inlined where the build is optimised, whatever the inliner thinks of it.
// Without optimisation it is a call, so that it is compiled once, here, and not again in the crates of users.

mod attempt;
pub(crate) mod cached;
pub(crate) mod current;
mod extras;
pub(crate) mod fallback;
pub(crate) mod health;
pub(crate) mod hedged;
mod held;
mod outcome;
pub(crate) mod scope;
#[cfg(test)]
mod tests;
mod ticket;
mod waits;

use std::mem::ManuallyDrop;
use std::time::Duration;

pub use self::attempt::AttemptFuture;
use self::current::Note;
use self::extras::Extras;
pub use self::outcome::Outcome;
use self::ticket::{Flags, Holdings};
use crate::instance::MethodState;
use crate::policy::circuit_breaker::Refused;
use crate::policy::retry::{Retry, wait_with_hint};
use crate::time::Moment;
use crate::{Class, Classification, ErrorMap, PolicyError, PolicyErrorKind};

/// One invocation as the caller lives it: attempts and the waits between them.
///
/// What `#[adapter]` generates makes one per invocation and loops over its attempts, so that each attempt borrows the
/// arguments afresh:
///
/// ```
/// use resil_runtime::{AdapterSpec, Call, Instance, Kind, MethodSpec, Own, PolicyError};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
/// static SEND: MethodSpec = MethodSpec::new(&SMS, "send").idempotent();
///
/// async fn adapter(phone: &str) -> Result<usize, PolicyError> {
///     Ok(phone.len())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let send = Instance::new(&SMS).method(&SEND);
/// let phone = String::from("+49 30 1234");
///
/// let mut call = Call::new(&send);
/// let sent = loop {
///     if let Some(result) = call.attempt::<Own, _, _>(|_last| adapter(&phone)).await {
///         break result;
///     }
/// };
/// assert_eq!(sent, Ok(11));
/// # });
/// ```
///
/// It needs a tokio runtime with time enabled once an attempt has to wait. Dropping it, or the attempt, ends the call: the
/// adapter's future is dropped, and whatever the call held is given back at once.
#[derive(Debug)]
pub struct Call<'s> {
    method: &'s MethodState,
    /// Attempts begun.
    number: u32,
    /// The arguments can be passed more than once.
    repeatable: bool,
    /// An attempt may have reached the dependency.
    sent: bool,
    /// Of the attempt that is running, for what runs inside it.
    note: Note,
    flags: Flags,
    /// Freed by the ticket of the last attempt, so that a call without any has nothing to drop.
    extras: ManuallyDrop<Option<Box<Extras<'s>>>>,
    /// What the ticket of the running attempt holds.
    holdings: Holdings,
}

impl<'s> Call<'s> {
    /// A call of this method. It counts for the retry budget from here on.
    #[cfg_attr(not(debug_assertions), inline)]
    #[must_use]
    pub fn new(method: &'s MethodState) -> Self {
        if method.effective().policies.retry.is_some() {
            method.budget().count_call();
        }
        Self::uncounted(method)
    }

    #[inline]
    fn uncounted(method: &'s MethodState) -> Self {
        Self {
            method,
            number: 0,
            repeatable: true,
            sent: false,
            note: method.effective().note,
            flags: Flags::NONE,
            extras: ManuallyDrop::new(None),
            holdings: Holdings::NOTHING,
        }
    }

    /// Whether the arguments can be passed more than once. Where not, there is one attempt.
    #[inline]
    pub fn repeatable(&mut self, repeatable: bool) {
        self.repeatable &= repeatable;
    }

    /// The next attempt. `make` makes the adapter's future, once admitted; it is told whether no later attempt can follow,
    /// so that arguments need not be kept.
    ///
    /// The attempt's answer is `None` where another one should follow; the wait before it is over by then.
    ///
    /// # Panics
    ///
    /// The future panics when it has to wait outside a tokio runtime with time enabled, and when it is polled after its end. A
    /// panic of the adapter goes through it unchanged.
    #[inline]
    pub fn attempt<M, F, Fut>(&mut self, make: F) -> AttemptFuture<'_, 's, M, F, Fut>
    where
        F: FnOnce(bool) -> Fut,
        Fut: Future<Output: Outcome>,
        M: ErrorMap<<Fut::Output as Outcome>::Error>,
    {
        AttemptFuture::new(self, make)
    }

    /// How many attempts there may be.
    #[inline]
    fn limit(&self) -> u32 {
        match &self.method.effective().policies.retry {
            Some(retry) if self.repeatable => retry.attempts,
            _ => 1,
        }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn is_last(&self) -> bool {
        self.number >= self.limit()
    }

    /// Whether the method has a retry, so that a layer further out must not retry what failed here.
    #[inline]
    fn has_retry(&self) -> bool {
        self.limit() > 1
    }

    /// Whether the last nested call of the attempt had a retry, and failed all the same.
    #[inline]
    fn is_spent(&self) -> bool {
        self.note.has(Note::SPENT)
    }

    /// How long to wait before another attempt; `None` where there is none.
    fn wait_after(&mut self, class: &Classification) -> Option<Duration> {
        let effective = self.method.effective();
        let retry = effective.policies.retry.as_ref()?;
        let may_repeat = effective.idempotent || class.is_not_sent();
        if class.class() != Class::Transient || self.is_last() || self.is_spent() || !may_repeat {
            return None;
        }
        let wait = wait_with_hint(retry, self.number, fastrand::f64(), class.get_retry_after())?;
        (!self.outlasts(wait) && self.granted(retry)).then_some(wait)
    }

    /// Asked last, so that the budget counts only what would have been retried.
    fn granted(&self, retry: &Retry) -> bool {
        self.method.budget().withdraw(retry, Moment::now())
    }

    /// How long an attempt may wait for a place in the bulkhead, by the bulkhead itself.
    fn max_wait(&self) -> Option<Duration> {
        let bulkhead = self.method.effective().policies.bulkhead;
        bulkhead.and_then(|limits| limits.max_wait)
    }

    fn error(&self, kind: PolicyErrorKind) -> PolicyError {
        self.method.spec().error(kind).with_not_sent(!self.sent)
    }

    #[cfg_attr(not(debug_assertions), inline)]
    fn circuit_open(&self, refused: Refused) -> PolicyError {
        let mut error = self.error(PolicyErrorKind::CircuitOpen);
        if let Some(wait) = refused.retry_after {
            error = error.with_retry_after(wait);
        }
        if let Some(code) = refused.code {
            error = error.with_code(code);
        }
        error
    }
}
