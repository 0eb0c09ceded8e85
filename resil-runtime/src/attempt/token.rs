//! Tells work that outlives an attempt that nobody waits for it any more.

use tokio::sync::watch;

/// Fires once, when an [`Attempt`](super::Attempt) is abandoned. Clones fire together.
///
/// ```
/// use resil_runtime::Attempt;
///
/// async fn adapter() {
///     if let Some(attempt) = Attempt::current() {
///         let token = attempt.token();
///         tokio::spawn(async move {
///             token.cancelled().await;
///             // tell the provider to stop
///         });
///     }
/// }
/// # let _ = adapter();
/// ```
#[derive(Clone, Debug)]
pub struct Token {
    fired: watch::Receiver<bool>,
}

impl Token {
    /// Whether the attempt was abandoned.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.fired.borrow()
    }

    /// Waits until the attempt is abandoned: for ever where it answers. Dropping it has no effect.
    pub async fn cancelled(&self) {
        if self.fired.clone().wait_for(|fired| *fired).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The side that fires.
#[derive(Debug)]
pub(super) struct Source(watch::Sender<bool>);

impl Source {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(super) fn token(&self) -> Token {
        Token {
            fired: self.0.subscribe(),
        }
    }

    pub(super) fn fire(&self) {
        self.0.send_replace(true);
    }
}
