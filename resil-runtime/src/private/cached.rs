//! A cached method, as generated code makes it.

use std::marker::PhantomData;
use std::pin::pin;
use std::time::Duration;

use super::attempt::{CarriesPolicyError, ExplainedBy, OwnWords, WordsOf};
use crate::Classify;
use crate::call::{Outcome, cached::Reading};
use crate::instance::MethodState;
pub use crate::policy::cached::{CacheSlot, Lookup, OptionPart, arguments, own_key};

/// A value that a cache can keep.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept in a cache: each caller gets a clone, on whatever thread it runs",
    label = "`cached` keeps values of this type",
    note = "derive `Clone`, and let it be `Send` and `Sync` without anything borrowed; or answer with an `Arc` of it"
)]
pub trait KeptValue: Clone + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + Sync + 'static> KeptValue for T {}

/// An error that callers who waited for the same value may share.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be told to others who wait for the same value",
    label = "the error of a `cached` method goes to all who wait, on whatever thread they run",
    note = "let it be `Send` and `Sync`, without anything borrowed"
)]
pub trait ToldError: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<E: Send + Sync + 'static> ToldError for E {}

/// Finds out at compile time whether an error can be cloned, as [`Detect`](super::Detect) does for an argument.
#[derive(Debug)]
pub struct SharedError<E>(NotShared<E>);

/// What [`SharedError`] falls back on.
#[derive(Debug)]
pub struct NotShared<E>(Option<fn(&E) -> E>);

impl<E> SharedError<E> {
    /// For the error of this load.
    #[inline]
    pub fn of<Fut>(_load: &Fut) -> Self
    where
        Fut: Future<Output: Outcome<Error = E>>,
    {
        Self(NotShared(None))
    }
}

impl<E: Clone> SharedError<E> {
    /// `E::clone`.
    #[inline]
    #[must_use]
    pub fn detected(&self) -> Option<fn(&E) -> E> {
        self.0.0.or(Some(E::clone))
    }
}

impl<E> NotShared<E> {
    /// `None`.
    #[inline]
    #[must_use]
    pub fn detected(&self) -> Option<fn(&E) -> E> {
        self.0
    }
}

impl<E> std::ops::Deref for SharedError<E> {
    type Target = NotShared<E>;

    #[inline]
    fn deref(&self) -> &NotShared<E> {
        &self.0
    }
}

/// What is kept for `lookup`, or the answer of `load`, of a method whose error speaks for itself.
#[inline]
pub async fn cached<L, Fut, T, E>(
    method: &MethodState,
    slot: &CacheSlot,
    lookup: L,
    aged: Option<fn(T, Duration) -> T>,
    load: Fut,
    share: Option<fn(&E) -> E>,
) -> Fut::Output
where
    L: Lookup,
    Fut: Future<Output: Outcome<Value = T, Error = E>>,
    T: KeptValue,
    E: Classify + CarriesPolicyError + ToldError,
{
    let reading = Reading {
        method,
        slot,
        aged,
        share,
    };
    reading.answer::<OwnWords, L, Fut>(lookup, pin!(load)).await
}

/// As [`cached`], for an error that is explained by `M`.
#[inline]
pub async fn cached_mapped<M, L, Fut, T, E>(
    _map: PhantomData<fn() -> M>,
    method: &MethodState,
    slot: &CacheSlot,
    lookup: L,
    aged: Option<fn(T, Duration) -> T>,
    load: Fut,
    share: Option<fn(&E) -> E>,
) -> Fut::Output
where
    L: Lookup,
    Fut: Future<Output: Outcome<Value = T, Error = E>>,
    T: KeptValue,
    E: ExplainedBy<M> + ToldError,
{
    let reading = Reading {
        method,
        slot,
        aged,
        share,
    };
    reading.answer::<WordsOf<M>, L, Fut>(lookup, pin!(load)).await
}

/// Forgets what is kept for `lookup`.
pub fn invalidate<L: Lookup>(slot: &CacheSlot, lookup: L) {
    slot.forget(&lookup.into_key());
}
