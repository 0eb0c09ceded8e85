//! A call that is answered from what is kept, where there is something, and otherwise makes one load of those that miss together.

mod miss;

use std::any::Any;
use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use self::miss::{Answer, Miss, Step};
use super::{Outcome, current};
use crate::ErrorMap;
use crate::instance::MethodState;
use crate::policy::cached::{AnyEntry, CacheSlot, Entry, Key, Lead, Lookup, OwnedKey, asks};

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
    pub(crate) struct CachedCall<'s, M, Q, V, E, F, Fut> {
        method: &'s MethodState,
        slot: &'s CacheSlot,
        copies: Copies<V, E>,
        make: Option<F>,
        // Dropped before the stage, so that what it holds is given back when the next one leads.
        #[pin]
        load: Option<Fut>,
        stage: Stage<'s, Q>,
        map: PhantomData<fn() -> M>,
    }
}

enum Stage<'s, Q> {
    New(Key<Q>),
    /// The policy is switched off.
    Off,
    Missed(Box<Miss<'s>>),
    Over,
}

impl<'s, M, Q, V, E, F, Fut> CachedCall<'s, M, Q, V, E, F, Fut> {
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
        // A hit leaves the key where it is.
        if let Stage::New(key) = &*this.stage {
            let Some(policy) = &this.method.effective().policies.cached else {
                *this.stage = Stage::Off;
                return self.poll_missed(cx);
            };
            let store = this.slot.store(policy);
            let (hash, asks) = (store.hash(key), asks::<Q, V, E>());
            if let Some(entry) = store.get(hash, asks, key) {
                let now = Instant::now();
                if entry.is_fresh(now) {
                    return Poll::Ready(Outcome::from_result(Ok(this.copies.stamped(&entry, now))));
                }
            }
            if let Stage::New(key) = mem::replace(this.stage, Stage::Over) {
                let key = OwnedKey::new(hash, asks, key.into_owned());
                *this.stage = Stage::Missed(Miss::begin(this.method, store, policy, key));
            }
        }
        self.poll_missed(cx)
    }
}

impl<M, Q, V, E, F, Fut> CachedCall<'_, M, Q, V, E, F, Fut>
where
    V: Clone + Send + Sync + 'static,
    E: Send + Sync + 'static,
    F: FnOnce() -> Fut,
    Fut: Future<Output: Outcome<Value = V, Error = E>>,
    M: ErrorMap<E>,
{
    #[cold]
    fn poll_missed(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Fut::Output> {
        let this = self.project();
        let miss = match this.stage {
            Stage::Missed(miss) => miss,
            Stage::Off => return load(this.make, this.load).poll(cx),
            Stage::New(_) | Stage::Over => panic!("a cached call was polled after it had ended"),
        };
        let found = match ready!(miss.poll(this.method, cx)) {
            Step::Answer(answer) => told::<M, E>(this.copies.share, answer),
            Step::Load => match ready!(miss.poll_load(load(this.make, this.load), cx)) {
                (None, answer) => {
                    *this.stage = Stage::Over;
                    return Poll::Ready(answer);
                }
                (Some(lead), answer) => match answer.into_result() {
                    Ok(value) => {
                        let entry = Arc::new(Entry::new(value, Instant::now(), miss.ttl()));
                        lead.keep(Arc::clone(&entry) as Arc<AnyEntry>);
                        Ok((entry as Arc<AnyEntry>, None))
                    }
                    Err(error) => failed::<M, E>(this.copies.share, this.method, miss, &lead, error),
                },
            },
        };
        *this.stage = Stage::Over;
        Poll::Ready(Outcome::from_result(match found {
            Ok((entry, None)) => Ok(value::<V>(&entry).clone()),
            Ok((entry, Some(now))) => Ok(this.copies.stamped(&entry, now)),
            Err(error) => Err(error),
        }))
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

#[inline]
fn value<V: 'static>(entry: &AnyEntry) -> &V {
    let value: &dyn Any = &entry.value;
    value.downcast_ref().expect("the key says what is kept for it")
}

/// A value, and where it was kept before the time by which it has its age.
type Found = (Arc<AnyEntry>, Option<Instant>);

/// For one who has waited.
fn told<M: ErrorMap<E>, E: 'static>(share: Option<fn(&E) -> E>, answer: Answer) -> Result<Found, E> {
    match answer {
        Answer::Loaded(entry) => Ok((entry, None)),
        Answer::Kept(entry, now) => Ok((entry, Some(now))),
        Answer::Error(error) => {
            let error: &dyn Any = &*error;
            let copied = error.downcast_ref().zip(share).map(|(error, share)| share(error));
            Err(copied.expect("who leads shares only what those who wait can copy"))
        }
        Answer::Policy(error) => Err(M::policy(*error)),
    }
}

/// For one whose load has failed.
fn failed<M: ErrorMap<E>, E: Send + Sync + 'static>(
    share: Option<fn(&E) -> E>,
    method: &MethodState,
    miss: &Miss<'_>,
    lead: &Lead<'_>,
    error: E,
) -> Result<Found, E> {
    let class = M::classify(&error);
    let lent = &error;
    let copy = share.map(|share| move || -> Arc<dyn Any + Send + Sync> { Arc::new(share(lent)) });
    let copy = copy.as_ref().map(|copy| copy as &dyn Fn() -> _);
    match miss.failed(method, lead, &class, copy) {
        Some((entry, now)) => Ok((entry, Some(now))),
        None => Err(error),
    }
}

impl<V: Clone + 'static, E> Copies<V, E> {
    /// A value from the cache: a call that succeeded, whatever was nested before it.
    #[inline]
    fn stamped(&self, entry: &AnyEntry, now: Instant) -> V {
        current::leave(false);
        let value = value::<V>(entry).clone();
        match self.aged {
            Some(aged) => aged(value, entry.age(now)),
            None => value,
        }
    }
}
