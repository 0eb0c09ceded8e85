//! A call that is answered from what is kept, where there is something, and otherwise makes one load of those that miss together.

mod miss;

use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use self::miss::{Miss, Phase};
use super::{Outcome, current};
use crate::ErrorMap;
use crate::instance::MethodState;
use crate::policy::cached::{CacheSlot, Entry, Key, Lookup};

/// How what is kept of a method reaches its callers.
#[derive(Debug)]
pub(crate) struct Copies<V, E> {
    /// Stamps a value with its age.
    pub(crate) aged: Option<fn(V, Duration) -> V>,
    /// Copies an error, where that is possible.
    pub(crate) share: Option<fn(&E) -> E>,
}

pin_project! {
    /// One cached call. The load is made, and polled, only where this caller loads the value.
    #[must_use = "a future does nothing unless it is awaited"]
    pub(crate) struct CachedCall<'s, M, Q, V, E, F, Fut>
    where
        Q: Lookup,
    {
        method: &'s MethodState,
        slot: &'s CacheSlot,
        copies: Copies<V, E>,
        make: Option<F>,
        // Dropped before the stage, so that what it holds is given back when the next one leads.
        #[pin]
        load: Option<Fut>,
        stage: Stage<'s, Q, V, E>,
        map: PhantomData<fn() -> M>,
    }
}

enum Stage<'s, Q: Lookup, V, E> {
    New(Key<Q>),
    /// The policy is switched off.
    Off,
    Missed(Box<Miss<'s, Q::Owned, V, E>>),
    Over,
}

impl<'s, M, Q: Lookup, V, E, F, Fut> CachedCall<'s, M, Q, V, E, F, Fut> {
    #[inline]
    pub(crate) const fn new(
        method: &'s MethodState,
        slot: &'s CacheSlot,
        key: Key<Q>,
        copies: Copies<V, E>,
        make: F,
    ) -> Self {
        Self {
            method,
            slot,
            copies,
            make: Some(make),
            load: None,
            stage: Stage::New(key),
            map: PhantomData,
        }
    }
}

impl<M, Q, V, E, F, Fut> Future for CachedCall<'_, M, Q, V, E, F, Fut>
where
    Q: Lookup,
    V: Clone + Send + Sync + 'static,
    E: Send + Sync + 'static,
    F: FnOnce() -> Fut,
    Fut: Future<Output: Outcome<Value = V, Error = E>>,
    M: ErrorMap<E>,
{
    type Output = Fut::Output;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.as_mut().project();
        if let Stage::New(_) = this.stage
            && let Stage::New(key) = mem::replace(this.stage, Stage::Over)
        {
            let Some(policy) = &this.method.effective().policies.cached else {
                *this.stage = Stage::Off;
                return self.poll_missed(cx);
            };
            let store = this.slot.store::<Q::Owned, V, E>(policy);
            if let Some(entry) = store.get(&key) {
                let now = Instant::now();
                if entry.is_fresh(now) {
                    return Poll::Ready(this.copies.kept(&entry, now));
                }
            }
            *this.stage = Stage::Missed(Miss::begin(this.method, store, policy, key.into_owned()));
        }
        self.poll_missed(cx)
    }
}

impl<M, Q, V, E, F, Fut> CachedCall<'_, M, Q, V, E, F, Fut>
where
    Q: Lookup,
    V: Clone + Send + Sync + 'static,
    E: Send + Sync + 'static,
    F: FnOnce() -> Fut,
    Fut: Future<Output: Outcome<Value = V, Error = E>>,
    M: ErrorMap<E>,
{
    #[cold]
    fn poll_missed(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Fut::Output> {
        let mut this = self.project();
        let miss = match this.stage {
            Stage::Missed(miss) => miss,
            Stage::Off => return load(this.make, this.load).poll(cx),
            Stage::New(_) | Stage::Over => panic!("a cached call was polled after it had ended"),
        };
        let answer = loop {
            // Taken out, so that a load that panics is lost at once.
            match mem::replace(&mut miss.phase, Phase::Join) {
                Phase::Join => {
                    if let Some(answer) = miss.join(this.copies) {
                        break answer;
                    }
                }
                Phase::Wait(wait) => match wait.poll(cx.waker()) {
                    Poll::Ready(landing) => {
                        if let Some(result) = miss.landed::<M>(landing, this.copies) {
                            break Outcome::from_result(result);
                        }
                    }
                    Poll::Pending => {
                        if miss.poll_deadline(cx).is_ready() {
                            drop(wait);
                            break miss.late::<M, _>(this.method, this.copies);
                        }
                        miss.phase = Phase::Wait(wait);
                        return Poll::Pending;
                    }
                },
                Phase::Alone => {
                    miss.phase = Phase::Alone;
                    break ready!(miss.poll_load(load(this.make, this.load.as_mut()), cx));
                }
                Phase::Lead(lead) => {
                    let polled = {
                        let _polled = lead.polled();
                        miss.poll_load(load(this.make, this.load.as_mut()), cx)
                    };
                    let Poll::Ready(answer) = polled else {
                        miss.phase = Phase::Lead(lead);
                        return Poll::Pending;
                    };
                    break Outcome::from_result(match answer.into_result() {
                        Ok(value) => {
                            let entry = Arc::new(Entry::new(value, Instant::now(), miss.policy.ttl));
                            lead.keep(&entry);
                            Ok(entry.value.clone())
                        }
                        Err(error) => miss.failed::<M>(this.method, &lead, error, this.copies),
                    });
                }
            }
        };
        *this.stage = Stage::Over;
        Poll::Ready(answer)
    }
}

/// The load, which is made on the first time.
fn load<'l, Fut>(
    make: &mut Option<impl FnOnce() -> Fut>,
    mut load: Pin<&'l mut Option<Fut>>,
) -> Pin<&'l mut Fut> {
    if let Some(make) = make.take() {
        load.set(Some(make()));
    }
    load.as_pin_mut().expect("it was made")
}

impl<V: Clone, E> Copies<V, E> {
    /// A value from the cache, as an answer.
    #[inline]
    fn kept<O: Outcome<Value = V, Error = E>>(&self, entry: &Entry<V>, now: Instant) -> O {
        O::from_result(Ok(self.stamped(entry, now)))
    }

    /// A value from the cache: a call that succeeded, whatever was nested before it.
    #[inline]
    fn stamped(&self, entry: &Entry<V>, now: Instant) -> V {
        current::leave(false);
        let value = entry.value.clone();
        match self.aged {
            Some(aged) => aged(value, entry.age(now)),
            None => value,
        }
    }
}
