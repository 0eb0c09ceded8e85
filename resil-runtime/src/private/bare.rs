//! What a method answers that is passed on as it is: no future, or its calls would go without policies and nobody would see.

use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;

/// A future in a form that `#[adapter]` sees. Nothing implements it: where it is asked for, the form was not seen.
#[diagnostic::on_unimplemented(
    message = "`#[adapter]` cannot see that this method returns a future, so its calls would go without policies",
    label = "`{Self}` is a future under another name",
    note = "write `async fn`, `-> impl Future<…>`, `-> Pin<Box<dyn Future<…>>>`, `BoxFuture` or `LocalBoxFuture`",
    note = "or put `#[own(reason = \"…\")]` on the method to leave it without policies"
)]
pub trait SeenFuture {}

/// Finds out at compile time whether an answer is a future: the method of [`Bare`] itself is only there where it is known to
/// be one, and otherwise the one of the type it dereferences to is taken.
#[derive(Debug)]
pub struct Bare<T>(NoFuture<T>);

/// What [`Bare`] falls back on.
#[derive(Debug)]
pub struct NoFuture<T>(PhantomData<fn() -> T>);

impl<T: Future> Bare<T> {
    /// Refused, in words.
    #[inline]
    pub fn must_be_seen(&self)
    where
        T: SeenFuture,
    {
    }
}

impl<T> NoFuture<T> {
    /// Nothing to see.
    #[inline]
    pub fn must_be_seen(&self) {}
}

impl<T> Deref for Bare<T> {
    type Target = NoFuture<T>;

    #[inline]
    fn deref(&self) -> &NoFuture<T> {
        &self.0
    }
}

/// `answer`, of a type that `check` has looked at.
#[inline]
pub fn bare<T>(answer: T, check: impl FnOnce(&Bare<T>)) -> T {
    check(&Bare(NoFuture(PhantomData)));
    answer
}

/// A future, in whatever form.
#[diagnostic::on_unimplemented(
    message = "this method is not async, so `own` cannot apply to it",
    label = "`{Self}` is no future",
    note = "remove `#[own(…)]`: what is not async has no policies anyway"
)]
pub trait AnyFuture {}

#[diagnostic::do_not_recommend]
impl<T: Future> AnyFuture for T {}

/// `answer`, of a method that is said to go without policies, so it is one that could have some.
#[inline]
pub fn own_future<T: AnyFuture>(answer: T) -> T {
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_future_is_handed_on() {
        let lent = String::from("a");
        assert_eq!(bare(lent.as_str(), |answer| answer.must_be_seen()), "a");
        bare((), |answer| answer.must_be_seen());
    }

    #[test]
    fn nothing_is_assumed_of_a_generic_answer() {
        fn of<T>(answer: T) -> T {
            bare(answer, |answer| answer.must_be_seen())
        }
        assert_eq!(of(3), 3);
        drop(of(std::future::ready(3)));
    }
}
