//! Attempts as generated code makes them: with bounds that say in words what is missing, and as futures of which no more is
//! known, so that the compiler does not ask for the same bounds again where they are awaited.

use std::marker::PhantomData;

use crate::call::{AttemptFuture, Call, Outcome};
use crate::{Classification, Classify, ErrorMap, PolicyError};

/// An error that can carry what a policy decides.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry what a policy decides: there is no `From<resil::PolicyError>` for it",
    label = "this error has no place for a `PolicyError`",
    note = "give it a variant `#[class(policy)] Policy(resil::PolicyError)` with a `From`, as `#[from]` of thiserror makes it",
    note = "or, where it must not know resil, name an `ErrorMap` with `errors = …` in `#[adapter]`"
)]
pub trait CarriesPolicyError {
    /// The error for what a policy decided.
    fn carry(error: PolicyError) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<PolicyError>> CarriesPolicyError for E {
    #[inline]
    fn carry(error: PolicyError) -> Self {
        Self::from(error)
    }
}

/// An error that the map `M` explains.
#[diagnostic::on_unimplemented(
    message = "`{M}` does not say what the values of `{Self}` mean for the dependency",
    label = "the error here is `{Self}`, and there is no `ErrorMap<{Self}>` for `{M}`",
    note = "write `impl resil::ErrorMap<{Self}> for {M}`, or name another map with `errors = …` in `#[adapter]`"
)]
pub trait ExplainedBy<M> {
    /// What the error says of the dependency.
    fn explain(&self) -> Classification;

    /// The error for what a policy decided.
    fn of_policy(error: PolicyError) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E, M: ErrorMap<E>> ExplainedBy<M> for E {
    #[inline]
    fn explain(&self) -> Classification {
        M::classify(self)
    }

    #[inline]
    fn of_policy(error: PolicyError) -> Self {
        M::policy(error)
    }
}

/// As [`Own`](crate::Own), by the bounds of this file.
#[derive(Debug)]
pub(super) enum OwnWords {}

impl<E: Classify + CarriesPolicyError> ErrorMap<E> for OwnWords {
    #[inline]
    fn classify(error: &E) -> Classification {
        error.classify()
    }

    #[inline]
    fn policy(error: PolicyError) -> E {
        E::carry(error)
    }
}

/// As `M`, by the bounds of this file.
#[derive(Debug)]
pub(super) struct WordsOf<M>(PhantomData<M>);

impl<E: ExplainedBy<M>, M> ErrorMap<E> for WordsOf<M> {
    #[inline]
    fn classify(error: &E) -> Classification {
        error.explain()
    }

    #[inline]
    fn policy(error: PolicyError) -> E {
        E::of_policy(error)
    }
}

/// The next attempt of a method whose error speaks for itself.
#[inline]
pub fn attempt<'c, 's, F, Fut, E>(
    call: &'c mut Call<'s>,
    make: F,
) -> impl Future<Output = Option<Fut::Output>> + use<'c, 's, F, Fut, E>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome<Error = E>>,
    E: Classify + CarriesPolicyError,
{
    AttemptFuture::<OwnWords, F, Fut>::new(call, make)
}

/// The next attempt of a method whose error is explained by `M`.
#[inline]
pub fn attempt_mapped<'c, 's, M, F, Fut, E>(
    _map: PhantomData<fn() -> M>,
    call: &'c mut Call<'s>,
    make: F,
) -> impl Future<Output = Option<Fut::Output>> + use<'c, 's, M, F, Fut, E>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome<Error = E>>,
    E: ExplainedBy<M>,
{
    AttemptFuture::<WordsOf<M>, F, Fut>::new(call, make)
}
