//! One load of one value, and those who wait for it.

use std::any::Any;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::entry::AnyEntry;
use crate::PolicyError;
use crate::sync::{Mutex, MutexGuard, lock};

/// What became of a load, for those who waited.
#[derive(Clone, Debug)]
pub(crate) enum Landing {
    /// It was loaded.
    Value(Arc<AnyEntry>),
    /// The refresh failed, and this is what there was before.
    Stale(Arc<AnyEntry>),
    /// It failed. Who waited makes a copy; `spent` where it had been retried.
    Error {
        error: Arc<dyn Any + Send + Sync>,
        spent: bool,
    },
    /// It failed, and the error cannot be copied.
    Failed { error: Box<PolicyError>, spent: bool },
    /// It was refused, and the error cannot be copied: each asks for itself.
    Refused,
    /// The leader is gone, or had no time left: the next one leads.
    Lost,
}

/// A load that is running, or has just ended.
#[derive(Debug)]
pub(super) struct Flight {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    landing: Option<Landing>,
    /// By the place of who waits: `None` where it was not polled yet, or has left.
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Flight {
    pub(super) fn new() -> Self {
        let state = State {
            landing: None,
            wakers: Vec::new(),
            free: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// A place among those who wait.
    pub(super) fn join(&self) -> usize {
        let mut state = self.state();
        state.free.pop().unwrap_or_else(|| {
            state.wakers.push(None);
            state.wakers.len().saturating_sub(1)
        })
    }

    pub(super) fn leave(&self, place: usize) {
        let mut state = self.state();
        if state.landing.is_some() {
            return;
        }
        state.free.push(place);
        let waker = state.wakers.get_mut(place).and_then(Option::take);
        drop(state);
        drop(waker);
    }

    pub(super) fn has_waiters(&self) -> bool {
        let state = self.state();
        state.wakers.len() > state.free.len()
    }

    pub(super) fn poll(&self, place: usize, waker: &Waker) -> Poll<Landing> {
        let state = self.state();
        if let Some(landing) = &state.landing {
            return Poll::Ready(landing.clone());
        }
        let known = state.wakers.get(place).and_then(Option::as_ref);
        if known.is_some_and(|known| known.will_wake(waker)) {
            return Poll::Pending;
        }
        drop(state);
        // The code of an executor runs under no lock, so the load may land meanwhile.
        let waker = waker.clone();
        let mut state = self.state();
        if let Some(landing) = &state.landing {
            return Poll::Ready(landing.clone());
        }
        let old = state.wakers.get_mut(place).and_then(|known| known.replace(waker));
        drop(state);
        drop(old);
        Poll::Pending
    }

    /// Ends it, and wakes all who wait. Only the first end counts.
    pub(super) fn land(&self, landing: Landing) {
        let mut state = self.state();
        if state.landing.is_some() {
            return;
        }
        state.landing = Some(landing);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        for waker in wakers.into_iter().flatten() {
            waker.wake();
        }
    }
}
