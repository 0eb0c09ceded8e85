//! What is around the attempts of a call, as generated code makes it.

use std::future::ready;
use std::marker::PhantomData;

use super::attempt::{CarriesPolicyError, ExplainedBy, OwnWords, WordsOf};
use crate::Classify;
use crate::call::fallback::{self as instead, Answered};
use crate::call::{Call, Outcome, hedged as races};
use crate::instance::MethodState;

/// A call whose attempts race, of a method whose error speaks for itself.
#[inline]
pub fn hedged<F, Fut, E>(method: &MethodState, make: F) -> impl Future<Output = Fut::Output>
where
    F: Fn() -> Fut,
    Fut: Future<Output: Outcome<Error = E>>,
    E: Classify + CarriesPolicyError,
{
    races::hedged::<OwnWords, F, Fut>(method, make)
}

/// A call whose attempts race, of a method whose error is explained by `M`.
#[inline]
pub fn hedged_mapped<M, F, Fut, E>(
    _map: PhantomData<fn() -> M>,
    method: &MethodState,
    make: F,
) -> impl Future<Output = Fut::Output>
where
    F: Fn() -> Fut,
    Fut: Future<Output: Outcome<Error = E>>,
    E: ExplainedBy<M>,
{
    races::hedged::<WordsOf<M>, F, Fut>(method, make)
}

/// What [`Call`] has to say before the next attempt of a method with a `probe`; `None` where the attempt may begin.
#[inline]
pub async fn probed<O, P, Fut>(call: &mut Call<'_>, probe: P) -> Option<O>
where
    O: Outcome<Error: CarriesPolicyError>,
    P: FnOnce() -> Fut,
    Fut: Future<Output: Outcome>,
{
    let refused = call.examine(probe).await?;
    Some(O::from_result(Err(O::Error::carry(refused))))
}

/// As [`probed`], for an error that is explained by `M`.
#[inline]
pub async fn probed_mapped<M, O, P, Fut>(
    _map: PhantomData<fn() -> M>,
    call: &mut Call<'_>,
    probe: P,
) -> Option<O>
where
    O: Outcome<Error: ExplainedBy<M>>,
    P: FnOnce() -> Fut,
    Fut: Future<Output: Outcome>,
{
    let refused = call.examine(probe).await?;
    Some(O::from_result(Err(O::Error::of_policy(refused))))
}

/// As [`probed`], before attempts that race.
#[inline]
pub async fn probed_race<O, P, Fut>(method: &MethodState, probe: P) -> Option<O>
where
    O: Outcome<Error: CarriesPolicyError>,
    P: FnOnce() -> Fut,
    Fut: Future<Output: Outcome>,
{
    let refused = Call::examine_for(method, probe).await?;
    Some(O::from_result(Err(O::Error::carry(refused))))
}

/// As [`probed_race`], for an error that is explained by `M`.
#[inline]
pub async fn probed_race_mapped<M, O, P, Fut>(
    _map: PhantomData<fn() -> M>,
    method: &MethodState,
    probe: P,
) -> Option<O>
where
    O: Outcome<Error: ExplainedBy<M>>,
    P: FnOnce() -> Fut,
    Fut: Future<Output: Outcome>,
{
    let refused = Call::examine_for(method, probe).await?;
    Some(O::from_result(Err(O::Error::of_policy(refused))))
}

/// What a fallback, asked with the error, gives back.
#[diagnostic::on_unimplemented(
    message = "this cannot answer in the place of a failure",
    label = "a future of `{O}` is wanted here, and this is `{Self}`",
    note = "a fallback takes what the method takes and the error after it, and answers the same: `async fn(&self, arguments…, error: E) -> Result<T, E>`"
)]
pub trait Instead<O>: Future<Output = O> {}

#[diagnostic::do_not_recommend]
impl<O, Fut: Future<Output = O>> Instead<O> for Fut {}

/// A future that answers with a `T`, as the function says whose body it is.
#[inline]
pub fn typed<T, Fut: Future<Output = T>>(body: Fut) -> Fut {
    body
}

/// The answer of `fallback` in place of a failure. A value and a refusal stay.
#[inline]
pub fn fallback<O, F, Fut>(method: &MethodState, result: O, fallback: F) -> impl Future<Output = O>
where
    O: Outcome<Error: Classify + CarriesPolicyError>,
    F: FnOnce(O::Error) -> Fut,
    Fut: Instead<O>,
{
    Answered::<OwnWords, O, Fut>::new(method, result, fallback)
}

/// As [`fallback`], for an error that is explained by `M`.
#[inline]
pub fn fallback_mapped<M, O, F, Fut>(
    _map: PhantomData<fn() -> M>,
    method: &MethodState,
    result: O,
    fallback: F,
) -> impl Future<Output = O>
where
    O: Outcome<Error: ExplainedBy<M>>,
    F: FnOnce(O::Error) -> Fut,
    Fut: Instead<O>,
{
    Answered::<WordsOf<M>, O, Fut>::new(method, result, fallback)
}

/// As [`fallback`], with a value, which is made only when it is needed.
#[inline]
pub fn fallback_value<O, F>(method: &MethodState, result: O, value: F) -> impl Future<Output = O>
where
    O: Outcome<Error: Classify + CarriesPolicyError>,
    F: FnOnce() -> O::Value,
{
    ready(instead::value::<OwnWords, O>(method, result, value))
}

/// As [`fallback_value`], for an error that is explained by `M`.
#[inline]
pub fn fallback_value_mapped<M, O, F>(
    _map: PhantomData<fn() -> M>,
    method: &MethodState,
    result: O,
    value: F,
) -> impl Future<Output = O>
where
    O: Outcome<Error: ExplainedBy<M>>,
    F: FnOnce() -> O::Value,
{
    ready(instead::value::<WordsOf<M>, O>(method, result, value))
}
