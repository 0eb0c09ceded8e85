//! What code inside an adapter can ask for: which attempt it is part of, until when it may run, and whether it is still wanted.

mod call_id;
mod deadline;
pub mod header;
mod token;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

pub use self::call_id::CallId;
pub use self::deadline::with_deadline;
pub use self::token::Token;
use crate::call::current::{self, Frame};
use crate::call::scope::Scope;

/// The attempt that is running: for an idempotency key, for work that an adapter spawns, and for telling the dependency how
/// long anybody waits.
///
/// An adapter's method gets it from [`Attempt::current`]. It costs an allocation for each attempt that asks, and nothing for
/// those that do not.
///
/// ```
/// use resil_runtime::Attempt;
///
/// async fn charge(cents: u64) -> Vec<(&'static str, String)> {
///     let mut headers = Vec::new();
///     if let Some(attempt) = Attempt::current() {
///         headers.push(("idempotency-key", attempt.call_id().to_string()));
///     }
///     headers
/// }
///
/// // Outside an adapter behind policies there is none.
/// assert!(Attempt::current().is_none());
/// # let _ = charge(1);
/// ```
#[derive(Clone, Debug)]
pub struct Attempt {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    number: u32,
    call_id: CallId,
    deadline: Option<Instant>,
    abandoned: token::Source,
}

impl Attempt {
    /// The attempt whose adapter is called, or whose future is polled, right now on this thread; `None` anywhere else, in a
    /// spawned task too: see [`propagate`](Self::propagate).
    #[must_use]
    pub fn current() -> Option<Self> {
        current::claim()
    }

    /// Which attempt of its call this is: 1 for the first.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.shared.number
    }

    /// The same for all attempts and hedges of one call, and no other call's: made to be an idempotency key.
    #[must_use]
    pub fn call_id(&self) -> CallId {
        self.shared.call_id
    }

    /// When the time for the whole call is over, by its own `deadline` or one further out; `None` without one. The timeout of
    /// the attempt is not part of it.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.shared.deadline
    }

    /// What is left until [`deadline`](Self::deadline): zero where it is over, `None` without one.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let deadline = self.shared.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Fires when the attempt is abandoned: its timeout or deadline has passed, its caller is gone, another hedge was faster, or
    /// it panicked. It never fires after the attempt has answered.
    ///
    /// The adapter's own future is dropped then, so only work that it spawned needs this.
    #[must_use]
    pub fn token(&self) -> Token {
        self.shared.abandoned.token()
    }

    /// For a task that the adapter spawns: in it, [`Attempt::current`] is the attempt in which `propagate` is called, and the
    /// deadline holds for the protected calls that it makes.
    ///
    /// The task is not dropped with the attempt; [`token`](Self::token) tells it. Whether its own calls used up their retries
    /// does not reach the attempt.
    ///
    /// ```
    /// use resil_runtime::Attempt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let task = tokio::spawn(Attempt::propagate(async { Attempt::current().map(|attempt| attempt.number()) }));
    /// // Outside an attempt there is nothing to pass on.
    /// assert_eq!(task.await.unwrap(), None);
    /// # });
    /// ```
    pub fn propagate<F: Future>(future: F) -> impl Future<Output = F::Output> + use<F> {
        let attempt = current::claim();
        let deadline = current::deadline();
        let frame = (attempt.is_some() || deadline.is_some()).then(|| Frame {
            number: attempt.as_ref().map_or(0, Self::number),
            deadline,
            call_id: None,
            attempt,
        });
        Scope::new(frame, future)
    }

    pub(crate) fn new(number: u32, call_id: CallId, deadline: Option<Instant>) -> Self {
        Self {
            shared: Arc::new(Shared {
                number,
                call_id,
                deadline,
                abandoned: token::Source::new(),
            }),
        }
    }

    pub(crate) fn abandon(&self) {
        self.shared.abandoned.fire();
    }
}
