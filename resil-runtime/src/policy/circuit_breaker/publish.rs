//! How transitions are told: in order, and under no lock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::broadcast;

use super::state::{CircuitState, Transition};
use crate::Code;

/// What operators call the circuit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) port: &'static str,
    pub(crate) adapter: &'static str,
    /// `*` where one circuit is for all methods.
    pub(crate) method: &'static str,
}

/// How many transitions wait for a subscriber that does not read.
const CAPACITY: usize = 64;

/// Transitions that happened and were not told yet. One thread at a time tells them: who adds one while another is at it
/// leaves it to that one, so the order holds, and a subscriber that causes a transition of its own does not wait for
/// itself.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: VecDeque<Transition>,
    /// Somebody is telling, and will look again before they stop.
    telling: bool,
    subscribers: Option<broadcast::Sender<Transition>>,
}

/// One transition on its way out.
pub(super) struct Letter {
    transition: Transition,
    subscribers: Option<broadcast::Sender<Transition>>,
}

impl Outbox {
    pub(super) fn add(&mut self, transition: Transition) {
        self.waiting.push_back(transition);
    }

    /// Whether the caller is the one who has to tell.
    pub(super) fn begin(&mut self) -> bool {
        let begin = !self.telling && !self.waiting.is_empty();
        self.telling |= begin;
        begin
    }

    /// The next to tell; `None` ends the telling.
    pub(super) fn take(&mut self) -> Option<Letter> {
        let Some(transition) = self.waiting.pop_front() else {
            self.telling = false;
            return None;
        };
        Some(Letter {
            transition,
            subscribers: self.subscribers.clone(),
        })
    }

    pub(super) fn subscribe(&mut self) -> Transitions {
        let subscribers = self
            .subscribers
            .get_or_insert_with(|| broadcast::Sender::new(CAPACITY));
        Transitions {
            receiver: subscribers.subscribe(),
            missed: 0,
        }
    }
}

impl Letter {
    /// Runs code of others (subscribers of `tracing`, wakers): under no lock, and a panic in it is theirs alone.
    pub(super) fn tell(self, names: &Names) {
        let told = catch_unwind(AssertUnwindSafe(|| {
            if let Some(subscribers) = &self.subscribers {
                // An error says that nobody listens any more.
                let _ = subscribers.send(self.transition.clone());
            }
            log(names, &self.transition);
        }));
        if let Err(payload) = told {
            // Dropping it may panic again.
            std::mem::forget(payload);
        }
    }
}

fn log(names: &Names, transition: &Transition) {
    let to = transition.to.as_str();
    macro_rules! event {
        ($level:expr) => {
            tracing::event!(
                target: "resil",
                $level,
                port = names.port,
                adapter = names.adapter,
                method = names.method,
                from = transition.from.as_str(),
                to,
                cause = transition.cause.as_str(),
                code = transition.code().map(Code::as_str),
                forced = transition.forced,
                "circuit {to}"
            )
        };
    }
    if transition.to == CircuitState::Closed {
        event!(tracing::Level::INFO);
    } else {
        event!(tracing::Level::WARN);
    }
}

/// The transitions of one circuit, from the moment of subscribing on, in order.
///
/// ```
/// use resil_runtime::{CircuitState, Transitions};
///
/// async fn wait_until_closed(mut transitions: Transitions) {
///     while let Some(transition) = transitions.next().await {
///         if transition.to() == CircuitState::Closed {
///             break;
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Transitions {
    receiver: broadcast::Receiver<Transition>,
    missed: u64,
}

impl Transitions {
    /// The next transition; waits for it. `None` when the circuit is gone.
    ///
    /// Up to 64 wait for who reads them; beyond that the oldest are lost, and [`missed`](Self::missed) counts them.
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Transition> {
        loop {
            match self.receiver.recv().await {
                Ok(transition) => return Some(transition),
                Err(broadcast::error::RecvError::Lagged(lost)) => {
                    self.missed = self.missed.saturating_add(lost);
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// How many transitions were lost so far because [`next`](Self::next) was not called often enough.
    ///
    /// ```
    /// # use resil_runtime::Transitions;
    /// async fn count(mut transitions: Transitions) -> u64 {
    ///     let mut seen = 0;
    ///     while transitions.next().await.is_some() {
    ///         seen += 1;
    ///     }
    ///     seen + transitions.missed()
    /// }
    /// ```
    #[must_use]
    pub const fn missed(&self) -> u64 {
        self.missed
    }
}
