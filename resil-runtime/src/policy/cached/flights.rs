//! One load for all who miss the same key at the same time.
//!
//! A flight has a leader, who loads, and passengers, who wait. All passengers are woken together when it lands, and when its leader is
//! gone: whoever boards first then leads the next one. None of them waits for another passenger.

use std::cell::RefCell;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use tokio::sync::watch;

use super::values::{Entry, Values};
use crate::Classification;

/// What passengers get of a leader's failure.
#[derive(Debug)]
pub(crate) struct Shared<E> {
    /// A clone for the others, where the error can be cloned and somebody waits.
    pub(crate) error: Option<E>,
    pub(crate) class: Classification,
}

/// How a flight ended.
#[derive(Debug)]
pub(crate) enum Outcome<V, E> {
    Loaded(Arc<Entry<V>>),
    Failed(Arc<Shared<E>>),
}

impl<V, E> Clone for Outcome<V, E> {
    fn clone(&self) -> Self {
        match self {
            Self::Loaded(entry) => Self::Loaded(Arc::clone(entry)),
            Self::Failed(shared) => Self::Failed(Arc::clone(shared)),
        }
    }
}

/// A load that is under way.
#[derive(Debug)]
pub(super) struct Flight<V, E> {
    id: u64,
    outcome: watch::Receiver<Option<Outcome<V, E>>>,
}

/// Where somebody sits who missed.
pub(crate) enum Seat<'v, K: Clone + Eq + Hash, V, E> {
    /// At its head: they load.
    Leader(Leader<'v, K, V, E>),
    /// They wait.
    Passenger(Passenger<V, E>),
    /// At the place of arrival: it was loaded a moment ago.
    Landed(Arc<Entry<V>>),
    /// The load itself asks for the key that it loads. Waiting would be for ever.
    Inside,
}

/// Waits for a flight.
#[derive(Debug)]
pub(crate) struct Passenger<V, E> {
    outcome: watch::Receiver<Option<Outcome<V, E>>>,
}

impl<V, E> Passenger<V, E> {
    /// `None` where the leader is gone.
    pub(crate) async fn landed(mut self) -> Option<Outcome<V, E>> {
        let outcome = self.outcome.wait_for(Option::is_some).await.ok()?;
        outcome.clone()
    }
}

impl<V, E> Flight<V, E> {
    pub(super) fn new() -> (Self, watch::Sender<Option<Outcome<V, E>>>) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (sender, outcome) = watch::channel(None);
        let id = NEXT.fetch_add(1, Relaxed);
        (Self { id, outcome }, sender)
    }

    pub(super) const fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn passenger(&self) -> Passenger<V, E> {
        Passenger {
            outcome: self.outcome.clone(),
        }
    }
}

/// The right to load one key. Dropped without a word it hands that on.
pub(crate) struct Leader<'v, K: Clone + Eq + Hash, V, E> {
    values: &'v Values<K, V, E>,
    key: Option<K>,
    id: u64,
    outcome: watch::Sender<Option<Outcome<V, E>>>,
}

impl<'v, K: Clone + Eq + Hash, V, E> Leader<'v, K, V, E> {
    pub(super) const fn new(
        values: &'v Values<K, V, E>,
        key: K,
        id: u64,
        outcome: watch::Sender<Option<Outcome<V, E>>>,
    ) -> Self {
        Self {
            values,
            key: Some(key),
            id,
            outcome,
        }
    }

    pub(crate) const fn id(&self) -> u64 {
        self.id
    }

    /// Whether anybody waits. The flight itself holds one receiver, unless its key was forgotten.
    pub(crate) fn has_passengers(&self) -> bool {
        self.outcome.receiver_count() > 1
    }

    /// Stores the value, unless its key was forgotten meanwhile, and gives it to all who wait.
    pub(crate) fn loaded(mut self, entry: Arc<Entry<V>>) {
        self.leave(Some(Arc::clone(&entry)));
        self.outcome.send_replace(Some(Outcome::Loaded(entry)));
    }

    /// Tells all who wait.
    pub(crate) fn failed(mut self, shared: Shared<E>) {
        self.leave(None);
        self.outcome.send_replace(Some(Outcome::Failed(Arc::new(shared))));
    }

    /// Before anybody is told, so that whoever comes from now on does not board a flight that has ended.
    fn leave(&mut self, entry: Option<Arc<Entry<V>>>) {
        if let Some(key) = self.key.take() {
            self.values.land(key, self.id, entry);
        }
    }
}

impl<K: Clone + Eq + Hash, V, E> Drop for Leader<'_, K, V, E> {
    fn drop(&mut self) {
        self.leave(None);
    }
}

thread_local! {
    /// The flights whose load this thread polls, the innermost last.
    static LED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Whether what runs here is part of the load of this flight.
pub(crate) fn is_led_here(id: u64) -> bool {
    LED.with_borrow(|led| led.contains(&id))
}

/// Polls a part of the load of this flight.
pub(crate) fn while_led<R>(id: u64, poll: impl FnOnce() -> R) -> R {
    struct Out;
    impl Drop for Out {
        fn drop(&mut self) {
            LED.with_borrow_mut(Vec::pop);
        }
    }
    LED.with_borrow_mut(|led| led.push(id));
    let _out = Out;
    poll()
}
