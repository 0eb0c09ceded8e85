//! Whether a type is marked as an aggregate: a question about any type, answered in a constant.
//!
//! A constant of the type itself goes before one of a trait, and is only there where its bounds hold. So
//! `Probe::<Order>::MARKED`, with the trait in scope, is `true` where `Order` is an aggregate, and `false` for every other type.

use std::marker::PhantomData;

use crate::Aggregate;

/// Asks about `T`.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T: Aggregate + ?Sized> Probe<T> {
    /// `T` is an aggregate.
    pub const MARKED: bool = true;
}

/// The answer for all other types.
pub trait Unmarked {
    /// `T` is none.
    const MARKED: bool = false;
}

impl<T: ?Sized> Unmarked for Probe<T> {}

/// Fails to compile where an aggregate would be cached, with this message at the caller's.
///
/// # Panics
///
/// There, with that message.
#[track_caller]
pub const fn not_cached(is_marked: bool, message: &str) {
    assert!(!is_marked, "{}", message);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Order;
    impl Aggregate for Order {}

    struct Line<T>(PhantomData<T>);
    impl<T: Aggregate> Aggregate for Line<T> {}

    struct View<'a>(PhantomData<&'a ()>);
    impl Aggregate for View<'_> {}

    struct Plain;

    #[test]
    fn only_what_is_marked_is_an_aggregate() {
        const ANSWERS: [(bool, bool); 8] = [
            (Probe::<Order>::MARKED, true),
            (Probe::<Line<Order>>::MARKED, true),
            (Probe::<View<'static>>::MARKED, true),
            (Probe::<View<'_>>::MARKED, true),
            (Probe::<Line<Plain>>::MARKED, false),
            (Probe::<Plain>::MARKED, false),
            // What holds one is asked about apart.
            (Probe::<Option<Order>>::MARKED, false),
            (Probe::<dyn Fn() -> Order>::MARKED, false),
        ];
        for (is_marked, wanted) in ANSWERS {
            assert_eq!(is_marked, wanted, "{ANSWERS:?}");
        }
    }

    #[test]
    fn an_aggregate_is_refused_with_the_message() {
        not_cached(Probe::<Plain>::MARKED, "no");
        let refused = std::panic::catch_unwind(|| not_cached(Probe::<Order>::MARKED, "because"));
        let said = refused.expect_err("it is refused");
        assert_eq!(said.downcast_ref::<String>().map(String::as_str), Some("because"));
    }
}
