//! Arguments taken by value, which each attempt but the last needs a copy of.

use crate::call::Outcome;

/// An argument taken by value: a clone for each attempt that another one may follow, the value itself for the last.
#[derive(Debug)]
pub struct Argument<T> {
    value: Option<T>,
    clone: Option<fn(&T) -> T>,
}

impl<T> Argument<T> {
    /// For a method with a retry that its author stated: the value must be `Clone`.
    #[inline]
    pub fn cloned(value: T) -> Self
    where
        T: RepeatedArgument,
    {
        Self {
            value: Some(value),
            clone: Some(T::again),
        }
    }

    /// For a method whose value is kept: the key borrows the argument while the value is loaded.
    #[inline]
    pub fn loaded(value: &T) -> Self
    where
        T: LoadedArgument,
    {
        Self {
            value: Some(value.again()),
            clone: Some(T::again),
        }
    }

    /// For a method that may get a retry from elsewhere. `clone` is [`Detect::detected_clone`]; where it is `None`, there must be
    /// one attempt only: see [`is_repeatable`](Self::is_repeatable).
    #[inline]
    pub fn detected(clone: Option<fn(&T) -> T>, value: T) -> Self {
        Self {
            value: Some(value),
            clone,
        }
    }

    /// For a method that never gets a retry.
    #[inline]
    pub fn once(value: T) -> Self {
        Self {
            value: Some(value),
            clone: None,
        }
    }

    /// Whether it can be passed more than once.
    #[inline]
    pub fn is_repeatable(&self) -> bool {
        self.clone.is_some()
    }

    /// The argument of the next attempt.
    ///
    /// # Panics
    ///
    /// If an attempt follows the last one.
    #[inline]
    pub fn pass(&mut self, last: bool) -> T {
        let kept = match (&self.value, self.clone) {
            (Some(value), Some(clone)) if !last => Some(clone(value)),
            _ => None,
        };
        kept.or_else(|| self.value.take())
            .expect("no attempt follows the last one")
    }
}

/// What must be `Clone`, and in which words that is said.
macro_rules! needed_again {
    ($(#[$about:meta])* $Argument:ident, $message:literal, $label:literal, $note:literal) => {
        $(#[$about])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $Argument: Sized {
            /// A clone.
            #[must_use]
            fn again(&self) -> Self;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Clone> $Argument for T {
            #[inline]
            fn again(&self) -> Self {
                self.clone()
            }
        }
    };
}

needed_again! {
    /// An argument of a method with a stated retry.
    RepeatedArgument,
    "a retry needs this argument again, but `{Self}` is taken by value and cannot be cloned",
    "the first attempt would consume it",
    "take it by reference, make its type `Clone`, or put `#[retry(off)]` on the method"
}

needed_again! {
    /// An argument of a method whose fallback gets it too.
    LastingArgument,
    "a fallback needs this argument again, but `{Self}` is taken by value and cannot be cloned",
    "the attempt before it would consume it",
    "take it by reference, make its type `Clone`, or put `#[fallback(off)]` on the method"
}

needed_again! {
    /// An argument of a method whose attempts race.
    HedgedArgument,
    "a hedge needs this argument again, but `{Self}` is taken by value and cannot be cloned",
    "the first attempt would consume it",
    "take it by reference, make its type `Clone`, or put `#[hedge(off)]` on the method"
}

needed_again! {
    /// An argument of a method whose value is kept.
    LoadedArgument,
    "a cache needs this argument for its key and for the load, but `{Self}` is taken by value and cannot be cloned",
    "the load would consume it",
    "take it by reference, make its type `Clone`, or put `#[cached(off)]` on the method"
}

/// Finds out at compile time whether an argument can be cloned: the method of [`Detect`] itself is only there where it can,
/// and otherwise the one of the type it dereferences to is taken.
#[derive(Debug)]
pub struct Detect<T>(NotClone<T>);

/// What [`Detect`] falls back on.
#[derive(Debug)]
pub struct NotClone<T>(Option<fn(&T) -> T>);

impl<T> Detect<T> {
    /// For the type of this argument.
    #[inline]
    pub fn of(_argument: &T) -> Self {
        Self(NotClone(None))
    }
}

impl<E> Detect<E> {
    /// For the error of this load, which those who wait for its value may get too.
    #[inline]
    pub fn of_error<F, Fut>(_load: &F) -> Self
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output: Outcome<Error = E>>,
    {
        Self(NotClone(None))
    }
}

impl<T: Clone> Detect<T> {
    /// `T::clone`.
    #[inline]
    #[must_use]
    pub fn detected_clone(&self) -> Option<fn(&T) -> T> {
        self.0.0.or(Some(T::clone))
    }
}

impl<T> NotClone<T> {
    /// `None`.
    #[inline]
    #[must_use]
    pub fn detected_clone(&self) -> Option<fn(&T) -> T> {
        self.0
    }
}

impl<T> std::ops::Deref for Detect<T> {
    type Target = NotClone<T>;

    #[inline]
    fn deref(&self) -> &NotClone<T> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    struct Token;

    #[test]
    fn only_what_is_clone_can_be_passed_again() {
        let text = String::from("a");
        let mut text = Argument::detected(Detect::of(&text).detected_clone(), text);
        assert!(text.is_repeatable());
        assert_eq!(
            [text.pass(false), text.pass(false), text.pass(true)],
            ["a", "a", "a"]
        );

        let token = Token;
        let mut token = Argument::detected(Detect::of(&token).detected_clone(), token);
        assert!(!token.is_repeatable());
        let Token = token.pass(true);
    }

    #[test]
    fn a_generic_argument_counts_by_its_bounds() {
        fn without<T>(value: T) -> bool {
            Argument::detected(Detect::of(&value).detected_clone(), value).is_repeatable()
        }
        fn with<T: Clone>(value: T) -> bool {
            Argument::detected(Detect::of(&value).detected_clone(), value).is_repeatable()
        }
        assert!(!without(1));
        assert!(with(1));
    }

    #[test]
    fn the_last_attempt_gets_the_value_itself() {
        struct Counted(Rc<Cell<u32>>);
        impl Clone for Counted {
            fn clone(&self) -> Self {
                self.0.set(self.0.get() + 1);
                Self(Rc::clone(&self.0))
            }
        }
        let clones = Rc::new(Cell::new(0));
        let mut argument = Argument::cloned(Counted(Rc::clone(&clones)));
        drop(argument.pass(false));
        assert_eq!(clones.get(), 1);
        drop(argument.pass(true));
        assert_eq!(clones.get(), 1);

        drop(Argument::once(Counted(Rc::clone(&clones))).pass(true));
        assert_eq!(clones.get(), 1);
    }

    #[test]
    #[should_panic(expected = "no attempt follows the last one")]
    fn nothing_is_left_after_the_last() {
        let mut argument = Argument::once(Token);
        let (Token, Token) = (argument.pass(false), argument.pass(true));
    }
}
