//! `Clone` and `Debug` of a wrapper exactly where its adapter has them.
//!
//! A plain bound that names no type parameter must hold, or the impl is an error. One that speaks of every lifetime is only
//! asked where the impl is used.

use std::fmt::Debug;

/// An adapter that is `Clone`. The lifetime has no meaning but to make a bound on it conditional.
#[diagnostic::on_unimplemented(
    message = "a wrapper is `Clone` where its adapter is, and `{Self}` is not",
    label = "this wrapper cannot be cloned",
    note = "derive `Clone` on `{Self}`, or share the wrapper through an `Arc`"
)]
pub trait IfClone<'a>: Sized {
    /// A clone.
    fn clone_adapter(&self) -> Self;
}

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
    /// As what it is formatted as.
    fn debug_adapter(&self) -> &dyn Debug;
}

impl<T: Debug> IfDebug<'_> for T {
    fn debug_adapter(&self) -> &dyn Debug {
        self
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

    #[test]
    fn a_bound_that_does_not_hold_is_no_error_until_it_is_needed() {
        let Wrapper(Plain) = Wrapper(Plain);
        let rich = Wrapper(Rich);
        assert_eq!(format!("{:?}", rich.clone().0.debug_adapter()), "Rich");
    }
}
