//! Cached calls as generated code makes them.

use std::marker::PhantomData;
use std::time::Duration;

use super::attempt::{CarriesPolicyError, ExplainedBy, OwnWords, WordsOf};
use crate::Classify;
use crate::call::Outcome;
use crate::call::cached::{CachedCall, Copies};
use crate::instance::MethodState;
pub use crate::policy::cached::{CacheSlot, Kept, Key, KeyPart, Lookup, OwnKey, Whole};

/// A value that can be kept, and given to more than one caller.
#[diagnostic::on_unimplemented(
    message = "`cached` keeps what a method answers, and `{Self}` cannot be kept",
    label = "a value is copied for each caller, on whatever thread: it needs `Clone`, `Send`, `Sync` and `'static`",
    note = "make its type `Clone`, or answer an `Arc` of it"
)]
pub trait CachedValue: Clone + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + Send + Sync + 'static> CachedValue for V {}

/// An error of which those who wait for the same value learn.
#[diagnostic::on_unimplemented(
    message = "`cached` tells those who wait for a value of its failure, and `{Self}` cannot reach them",
    label = "they may be on other threads: this error needs `Send`, `Sync` and `'static`"
)]
pub trait CachedError: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<E: Send + Sync + 'static> CachedError for E {}

/// A cached call of a method whose error speaks for itself.
#[inline]
pub fn cached<'s, Q, V, E, F, Fut>(
    method: &'s MethodState,
    slot: &'s CacheSlot,
    key: Key<Q>,
    aged: Option<fn(V, Duration) -> V>,
    share: Option<fn(&E) -> E>,
    load: F,
) -> impl Future<Output = Fut::Output>
where
    Q: Lookup,
    V: CachedValue,
    E: CachedError + Classify + CarriesPolicyError,
    F: FnOnce() -> Fut,
    Fut: Future<Output: Outcome<Value = V, Error = E>>,
{
    CachedCall::<'s, OwnWords, Q, V, E, F, Fut>::new(method, slot, key, Copies { aged, share }, load)
}

/// A cached call of a method whose error is explained by `M`.
#[inline]
pub fn cached_mapped<'s, M, Q, V, E, F, Fut>(
    _map: PhantomData<fn() -> M>,
    method: &'s MethodState,
    slot: &'s CacheSlot,
    key: Key<Q>,
    aged: Option<fn(V, Duration) -> V>,
    share: Option<fn(&E) -> E>,
    load: F,
) -> impl Future<Output = Fut::Output>
where
    Q: Lookup,
    V: CachedValue,
    E: CachedError + ExplainedBy<M>,
    F: FnOnce() -> Fut,
    Fut: Future<Output: Outcome<Value = V, Error = E>>,
{
    CachedCall::<'s, WordsOf<M>, Q, V, E, F, Fut>::new(method, slot, key, Copies { aged, share }, load)
}

/// Forgets what is kept for `key`. A load of it that is running is not kept, and who comes later does not join it.
#[expect(
    clippy::needless_pass_by_value,
    reason = "by value its errors have one place, the one that others have"
)]
pub fn invalidate<Q: Lookup>(slot: &CacheSlot, key: Key<Q>) {
    slot.forget(&key);
}

/// How a value is stamped with its age.
type Stamp<V> = fn(V, Duration) -> V;

/// The user's stamp, for the values of this load.
#[inline]
pub fn aged<F, Fut, O>(_load: &F, stamp: Stamp<O::Value>) -> Option<Stamp<O::Value>>
where
    F: FnOnce() -> Fut,
    Fut: Future<Output = O>,
    O: Outcome,
{
    Some(stamp)
}
