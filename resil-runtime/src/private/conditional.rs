//! `Clone` and `Debug` of a wrapper exactly where its adapter has them.
//!
//! A plain bound that names no type parameter must hold, or the impl is an error. One that speaks of every lifetime is only
//! asked where the impl is used.

use std::fmt::{self, Debug, Formatter};

/// An adapter that is `Clone`. The lifetime has no meaning but to make a bound on it conditional.
#[diagnostic::on_unimplemented(
    message = "a wrapper is `Clone` where its adapter is, and `{Self}` is not",
    label = "this wrapper cannot be cloned",
    note = "derive `Clone` on `{Self}`, or share the wrapper through an `Arc`"
)]
pub trait IfClone<'a>: Sized {
    /// A clone.
    #[must_use]
    fn clone_adapter(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> IfClone<'_> for T {
    #[inline]
    fn clone_adapter(&self) -> Self {
        self.clone()
    }
}

/// An adapter that is `Debug`. The lifetime has no meaning but to make a bound on it conditional.
#[diagnostic::on_unimplemented(
    message = "a wrapper is `Debug` where its adapter is, and `{Self}` is not",
    label = "this wrapper cannot be formatted with `{{:?}}`",
    note = "derive `Debug` on `{Self}`"
)]
pub trait IfDebug<'a> {
    /// Formats its wrapper, which has this name.
    ///
    /// # Errors
    ///
    /// If the formatter has one.
    fn debug_wrapper(&self, wrapper: &str, f: &mut Formatter<'_>) -> fmt::Result;
}

#[diagnostic::do_not_recommend]
impl<T: Debug> IfDebug<'_> for T {
    fn debug_wrapper(&self, wrapper: &str, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct(wrapper)
            .field("inner", self)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Wrapper<T>(T);

    struct Plain;
    #[derive(Clone, Debug)]
    struct Rich;

    impl Clone for Wrapper<Plain>
    where
        for<'a> Plain: IfClone<'a>,
    {
        fn clone(&self) -> Self {
            Self(self.0.clone_adapter())
        }
    }

    impl Clone for Wrapper<Rich>
    where
        for<'a> Rich: IfClone<'a>,
    {
        fn clone(&self) -> Self {
            Self(self.0.clone_adapter())
        }
    }

    impl Debug for Wrapper<Plain>
    where
        for<'a> Plain: IfDebug<'a>,
    {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.0.debug_wrapper("Wrapper", f)
        }
    }

    impl Debug for Wrapper<Rich>
    where
        for<'a> Rich: IfDebug<'a>,
    {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.0.debug_wrapper("Wrapper", f)
        }
    }

    #[test]
    fn a_bound_that_does_not_hold_is_no_error_until_it_is_needed() {
        let Wrapper(Plain) = Wrapper(Plain);
        let rich = Wrapper(Rich);
        assert_eq!(format!("{:?}", rich.clone()), "Wrapper { inner: Rich, .. }");
    }
}
