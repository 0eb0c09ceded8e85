//! Marks of aggregates: the attribute, the derive and the impl mean the same.
#![deny(warnings, missing_docs, clippy::pedantic)]
#![forbid(unsafe_code)]

use std::marker::PhantomData;

use resil::__private::{Probe, Unmarked as _};

/// With the attribute.
#[resil::aggregate]
#[derive(Debug)]
pub struct Order {
    /// Content.
    pub lines: Vec<Line>,
}

/// With the derive, beside others.
#[derive(Clone, Debug, resil::Aggregate)]
pub enum Customer {
    /// A variant.
    Known(u64),
    /// Another.
    Unknown,
}

/// By hand.
#[derive(Debug)]
pub struct Invoice;
impl resil::Aggregate for Invoice {}

/// Not at all.
#[derive(Debug)]
pub struct Line;

/// With all that a head can have.
#[resil::aggregate]
#[derive(Debug)]
pub struct Generic<'a, T: ?Sized = str, const N: usize = 2>
where
    T: ToString,
{
    /// Content.
    pub of: [&'a T; N],
}

/// Derived likewise.
#[derive(resil::Aggregate)]
pub struct Derived<'a, T: 'a>(PhantomData<&'a T>)
where
    T: Send;

/// No unions are known to be aggregates, but why not.
#[resil::aggregate]
pub union Bits {
    /// Content.
    pub of: u8,
}

/// Not compiled, so not marked.
#[resil::aggregate]
#[cfg(any())]
pub struct Missing;

macro_rules! made {
    ($name:ident, $ty:ty) => {
        /// By a macro.
        #[resil::aggregate]
        #[derive(Debug)]
        pub struct $name(pub $ty);
    };
}
made!(Made, Vec<u8>);

#[no_implicit_prelude]
mod renamed {
    pub(crate) mod company {
        pub(crate) use ::resil as policies;
    }
    use self::company::policies::{Aggregate, aggregate};

    mod core {}
    mod resil {}

    #[aggregate(crate = company::policies)]
    pub(crate) struct Attributed;

    #[derive(Aggregate)]
    #[aggregate(crate = company::policies)]
    pub(crate) struct Derived;
}

fn main() {
    let marked = [
        Probe::<Order>::MARKED,
        Probe::<Customer>::MARKED,
        Probe::<Invoice>::MARKED,
        Probe::<Generic<'_>>::MARKED,
        Probe::<Generic<'_, u8, 7>>::MARKED,
        Probe::<Derived<'_, u8>>::MARKED,
        Probe::<Bits>::MARKED,
        Probe::<Made>::MARKED,
        Probe::<renamed::Attributed>::MARKED,
        Probe::<renamed::Derived>::MARKED,
    ];
    assert_eq!(marked, [true; 10]);
    let unmarked = [Probe::<Line>::MARKED, Probe::<Vec<Order>>::MARKED, Probe::<&Order>::MARKED];
    assert_eq!(unmarked, [false; 3]);
}
