//! A value that was kept, or one load for all who miss it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Outcome as Answer;
use super::current::{self, Frame};
use super::extras::deadlines;
use super::scope::Scope;
use crate::instance::MethodState;
use crate::policy::cached::{CacheSlot, Cached, Entry, Leader, Lookup, Outcome, Seat, Shared, while_led};
use crate::{Attempt, Class, ErrorMap, PolicyError, PolicyErrorKind};

/// What is known of a cached method beside its state.
pub(crate) struct Reading<'s, T, E> {
    pub(crate) method: &'s MethodState,
    pub(crate) slot: &'s CacheSlot,
    /// Stamps what is served from the cache with its age.
    pub(crate) aged: Option<fn(T, Duration) -> T>,
    /// Clones an error for those who waited, where it can be.
    pub(crate) share: Option<fn(&E) -> E>,
}

impl<T, E> Reading<'_, T, E>
where
    T: Clone + Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    /// The answer for `lookup`: kept, shared, or that of `load`, which is polled only then.
    pub(crate) async fn answer<M, L, Fut>(&self, lookup: L, load: Pin<&mut Fut>) -> Fut::Output
    where
        L: Lookup,
        Fut: Future<Output: Answer<Value = T, Error = E>>,
        M: ErrorMap<E>,
    {
        let Some(rules) = self.method.effective().policies.cached else {
            return load.await;
        };
        let values = self.slot.values::<L::Key, T, E>(rules.capacity);
        let kept = values.get(&lookup);
        let now = Instant::now();
        if let Some(entry) = &kept
            && now.saturating_duration_since(entry.loaded) < rules.ttl
        {
            return Answer::from_result(Ok(self.served(entry, now)));
        }
        let missed = Missed {
            reading: self,
            rules,
            kept,
            deadline: current::earlier(deadlines(self.method).0, current::deadline()),
        };
        let key = lookup.into_key();
        loop {
            // Who has waited looks at a later time.
            let is_fresh =
                |entry: &Entry<T>| Instant::now().saturating_duration_since(entry.loaded) < rules.ttl;
            match values.board(&key, is_fresh) {
                Seat::Leader(leader) => return missed.lead::<M, _, _>(leader, load).await,
                Seat::Inside => return load.await,
                Seat::Landed(entry) => return Answer::from_result(Ok(self.served(&entry, Instant::now()))),
                Seat::Passenger(passenger) => {
                    let landed = match missed.deadline {
                        Some(end) => match timeout_at(end, passenger.landed()).await {
                            Ok(landed) => landed,
                            Err(_) => return missed.too_late::<M, _>(),
                        },
                        None => passenger.landed().await,
                    };
                    match landed {
                        Some(Outcome::Loaded(entry)) => return Answer::from_result(Ok(entry.value.clone())),
                        Some(Outcome::Failed(shared)) => {
                            if let Some(answer) = missed.shared::<M, _>(&shared) {
                                return answer;
                            }
                            if shared.class.class() == Class::Refusal {
                                // Each has to ask for itself, and not one after the other.
                                return load.await;
                            }
                        }
                        // The leader is gone: whoever is first leads the next flight.
                        None => {}
                    }
                }
            }
        }
    }

    fn served(&self, entry: &Entry<T>, now: Instant) -> T {
        let value = entry.value.clone();
        match self.aged {
            Some(stamp) => stamp(value, now.saturating_duration_since(entry.loaded)),
            None => value,
        }
    }
}

/// A call that found nothing fresh.
struct Missed<'r, 's, T, E> {
    reading: &'r Reading<'s, T, E>,
    rules: Cached,
    /// What was there, past its time.
    kept: Option<Arc<Entry<T>>>,
    /// Of this call; nobody else's ends its wait.
    deadline: Option<Instant>,
}

impl<T, E> Missed<'_, '_, T, E>
where
    T: Clone + Send + Sync + 'static,
    E: Send + Sync + 'static,
{
    async fn lead<M, K, Fut>(&self, leader: Leader<'_, K, T, E>, load: Pin<&mut Fut>) -> Fut::Output
    where
        K: Clone + Eq + std::hash::Hash,
        Fut: Future<Output: Answer<Value = T, Error = E>>,
        M: ErrorMap<E>,
    {
        let frame = self.deadline.map(|deadline| {
            let attempt = current::claim();
            Frame {
                number: attempt.as_ref().map_or(0, Attempt::number),
                deadline: Some(deadline),
                call_id: None,
                attempt,
            }
        });
        let mut load = pin!(Scope::new(frame, load));
        let id = leader.id();
        let answer = poll_fn(|cx| while_led(id, || load.as_mut().poll(cx))).await;
        match answer.into_result() {
            Ok(value) => {
                leader.loaded(Arc::new(Entry {
                    value: value.clone(),
                    loaded: Instant::now(),
                }));
                Answer::from_result(Ok(value))
            }
            Err(error) => self.failed::<M, K, _>(leader, error),
        }
    }

    fn failed<M, K, O>(&self, leader: Leader<'_, K, T, E>, error: E) -> O
    where
        K: Clone + Eq + std::hash::Hash,
        O: Answer<Value = T, Error = E>,
        M: ErrorMap<E>,
    {
        let class = M::classify(&error);
        let refusal = class.class() == Class::Refusal;
        let out_of_time = self.deadline.is_some_and(|end| end <= Instant::now());
        if out_of_time && !refusal {
            // Its own time is over, which is nobody else's concern: the next one leads.
            drop(leader);
        } else {
            let share = self.reading.share.filter(|_| leader.has_passengers());
            leader.failed(Shared {
                error: share.map(|clone| clone(&error)),
                class,
            });
        }
        let stale = self.stale().filter(|_| !refusal);
        O::from_result(stale.ok_or(error))
    }

    /// What a passenger gets of a failure; `None` where it has to see for itself.
    fn shared<M, O>(&self, shared: &Shared<E>) -> Option<O>
    where
        O: Answer<Value = T, Error = E>,
        M: ErrorMap<E>,
    {
        let refusal = shared.class.class() == Class::Refusal;
        if !refusal && let Some(stale) = self.stale() {
            return Some(O::from_result(Ok(stale)));
        }
        let error = match (&shared.error, self.reading.share) {
            (Some(error), Some(clone)) => clone(error),
            // It boarded when the leader had already looked who waits.
            (None, Some(_)) => return None,
            _ if refusal => return None,
            _ => {
                let mut error = self
                    .error(PolicyErrorKind::LoadFailed)
                    .with_class(shared.class.class());
                if let Some(code) = shared.class.get_code() {
                    error = error.with_code(code.clone());
                }
                M::policy(error)
            }
        };
        Some(O::from_result(Err(error)))
    }

    fn too_late<M, O>(&self) -> O
    where
        O: Answer<Value = T, Error = E>,
        M: ErrorMap<E>,
    {
        let error = self.error(PolicyErrorKind::DeadlineExceeded).with_not_sent(true);
        O::from_result(self.stale().ok_or_else(|| M::policy(error)))
    }

    /// A value past its time that is still good enough where there is no other.
    fn stale(&self) -> Option<T> {
        let entry = self.kept.as_ref()?;
        let now = Instant::now();
        let age = now.saturating_duration_since(entry.loaded);
        let limit = self.rules.ttl.saturating_add(self.rules.stale_if_error);
        if self.rules.stale_if_error.is_zero() || age >= limit {
            return None;
        }
        // What failed has its answer now.
        current::leave(false);
        Some(self.reading.served(entry, now))
    }

    fn error(&self, kind: PolicyErrorKind) -> PolicyError {
        self.reading.method.spec().error(kind)
    }
}
