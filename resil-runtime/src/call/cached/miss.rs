//! A call that found nothing at hand: it loads, or waits for one who does.

use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep};

use super::Copies;
use crate::call::Outcome;
use crate::call::current::{self, Frame, Note, earlier};
use crate::call::extras::deadlines;
use crate::call::scope::Inside;
use crate::instance::MethodState;
use crate::policy::cached::{Cached, Joined, Landing, Lead, Store, Wait};
use crate::{Class, Classification, ErrorMap, PolicyError, PolicyErrorKind};

/// A call that found nothing at hand.
pub(super) struct Miss<'s, K: Eq + Hash, V, E> {
    store: &'s Store<K, V, E>,
    /// As it was when the call began.
    pub(super) policy: Cached,
    /// Lent to the table of loads while this caller leads.
    key: Option<K>,
    /// The end of the whole call.
    deadline: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// For a load that began after some of the time was spent with waiting.
    frame: Option<Frame>,
    pub(super) phase: Phase<'s, K, V, E>,
}

pub(super) enum Phase<'s, K: Eq + Hash, V, E> {
    Join,
    Lead(Lead<'s, K, V, E>),
    Wait(Wait<V, E>),
    /// It loads for itself only.
    Alone,
}

impl<'s, K: Eq + Hash, V: Clone, E> Miss<'s, K, V, E> {
    #[cold]
    pub(super) fn begin(
        method: &MethodState,
        store: &'s Store<K, V, E>,
        policy: &Cached,
        key: K,
    ) -> Box<Self> {
        Box::new(Self {
            store,
            policy: *policy,
            key: Some(key),
            deadline: earlier(deadlines(method).0, current::deadline()),
            timer: None,
            frame: None,
            phase: Phase::Join,
        })
    }

    pub(super) fn join<O: Outcome<Value = V, Error = E>>(&mut self, copies: &Copies<V, E>) -> Option<O> {
        let now = Instant::now();
        self.phase = match self.store.join(&mut self.key, now) {
            Joined::Hit(entry) => return Some(copies.kept(&entry, now)),
            Joined::Lead(lead) => {
                self.timer = None;
                Phase::Lead(lead)
            }
            Joined::Wait(wait) => Phase::Wait(wait),
            Joined::Inside => Phase::Alone,
        };
        None
    }

    /// Under what is left of the time, where some of it is spent.
    pub(super) fn poll_load<Fut: Future>(
        &mut self,
        load: Pin<&mut Fut>,
        cx: &mut Context<'_>,
    ) -> Poll<Fut::Output> {
        let _inside = self.frame.as_mut().map(Inside::enter);
        load.poll(cx)
    }

    pub(super) fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        timer.as_mut().poll(cx)
    }

    /// The answer to one who has waited; `None` where it loads itself.
    pub(super) fn landed<M: ErrorMap<E>>(
        &mut self,
        landing: Landing<V, E>,
        copies: &Copies<V, E>,
    ) -> Option<Result<V, E>> {
        match landing {
            Landing::Value(entry) => {
                current::leave(false);
                Some(Ok(entry.value.clone()))
            }
            Landing::Stale(entry) => Some(Ok(copies.stamped(&entry, Instant::now()))),
            Landing::Error { error, spent } => {
                current::leave(spent);
                // Only what can be copied is given so.
                let share = copies.share?;
                Some(Err(share(&error)))
            }
            Landing::Failed { error, spent } => {
                current::leave(spent);
                Some(Err(M::policy(*error)))
            }
            Landing::Refused => {
                self.spend();
                self.timer = None;
                self.phase = Phase::Alone;
                None
            }
            Landing::Lost => {
                self.spend();
                self.phase = Phase::Join;
                None
            }
        }
    }

    /// Some time was spent with waiting, so a load of its own has what is left.
    fn spend(&mut self) {
        self.frame = self.deadline.map(|deadline| Frame {
            deadline: Some(deadline),
            ..Frame::default()
        });
    }

    /// Its time is over while it waits.
    pub(super) fn late<M: ErrorMap<E>, O: Outcome<Value = V, Error = E>>(
        &self,
        method: &MethodState,
        copies: &Copies<V, E>,
    ) -> O {
        let now = Instant::now();
        let stale = self
            .key
            .as_ref()
            .and_then(|key| self.store.stale(key, self.policy.stale_if_error, now));
        if let Some(entry) = stale {
            return copies.kept(&entry, now);
        }
        current::leave(method.effective().policies.retry.is_some());
        let error = method.spec().error(PolicyErrorKind::DeadlineExceeded);
        Outcome::from_result(Err(M::policy(error.with_not_sent(true))))
    }

    /// Its load has failed: what it gets itself, and what those who wait get.
    pub(super) fn failed<M: ErrorMap<E>>(
        &self,
        method: &MethodState,
        lead: &Lead<'_, K, V, E>,
        error: E,
        copies: &Copies<V, E>,
    ) -> Result<V, E> {
        let now = Instant::now();
        let spent = current::note().has(Note::SPENT);
        let class = M::classify(&error);
        let refused = class.class() == Class::Refusal;
        let stale = lead.fail(refused, self.policy.stale_if_error, now);
        if lead.has_waiters() {
            // By the clock, since the error may be of a call further in that had the same deadline.
            let out_of_time = self.deadline.is_some_and(|deadline| deadline <= now);
            lead.land(match (&stale, copies.share) {
                _ if out_of_time => Landing::Lost,
                (Some(entry), _) => Landing::Stale(Arc::clone(entry)),
                (None, Some(share)) => Landing::Error {
                    error: Arc::new(share(&error)),
                    spent,
                },
                (None, None) if refused => Landing::Refused,
                (None, None) => Landing::Failed {
                    error: Box::new(load_failed(method, &class)),
                    spent,
                },
            });
        }
        match stale {
            Some(entry) => Ok(copies.stamped(&entry, now)),
            None => Err(error),
        }
    }
}

#[cold]
fn load_failed(method: &MethodState, class: &Classification) -> PolicyError {
    let mut error = method
        .spec()
        .error(PolicyErrorKind::LoadFailed)
        .with_class(class.class())
        .with_not_sent(class.is_not_sent());
    if let Some(code) = class.get_code() {
        error = error.with_code(code.clone());
    }
    if let Some(wait) = class.get_retry_after() {
        error = error.with_retry_after(wait);
    }
    error
}
