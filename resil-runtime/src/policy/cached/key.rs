//! The key of a value: all the arguments by value, or what the author's function makes of them.
//!
//! It is looked up as it stands in the call, by references, and owned only where a value is loaded for it.

use std::any::Any;
use std::borrow::Borrow;
use std::fmt::{self, Debug, Formatter};
use std::hash::Hash;

/// The key of one call, before it is known whether a value is kept for it.
///
/// It holds no more than references to the arguments: `Key::of((phone, &day))`.
#[derive(Clone, Copy, Hash)]
pub struct Key<Q>(Q);

impl<Q: Lookup> Key<Q> {
    /// All the arguments, in their order. Two keys are equal where each argument is.
    #[inline]
    pub fn of(arguments: Q) -> Self {
        Self(arguments)
    }

    #[inline]
    pub(crate) fn into_owned(self) -> Q::Owned {
        self.0.into_owned()
    }

    /// Whether it is this one that is kept.
    #[inline]
    pub(crate) fn is(&self, known: &dyn Any) -> bool {
        known.downcast_ref().is_some_and(|owned| self.0.finds(owned))
    }
}

impl<K: OwnKey> Key<Whole<K>> {
    /// What the author's own function made of the arguments.
    #[inline]
    pub fn owned(key: K) -> Self {
        Self(Whole(key))
    }
}

/// Arguments are none of anybody's business.
impl<Q> Debug for Key<Q> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

/// What a value is looked up by.
pub trait Lookup: Hash {
    /// As it is kept.
    type Owned: Eq + Send + Sync + 'static;

    /// Whether it is this one that is kept.
    fn finds(&self, owned: &Self::Owned) -> bool;

    /// To be kept.
    fn into_owned(self) -> Self::Owned;
}

/// An argument as a part of a key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a cache key",
    label = "`cached` keeps the arguments as the key of their value, and this one cannot be kept or compared",
    note = "what it refers to needs `Eq`, `Hash` and `ToOwned` (which whatever is `Clone` has), and its owned form `Send`, `Sync` and `'static`",
    note = "or name a function that makes a key of the arguments, `key = path` in `cached`"
)]
pub trait KeyPart: Hash {
    /// As it is kept.
    type Kept: Eq + Send + Sync + 'static;

    /// Whether it is this one that is kept.
    fn is(&self, kept: &Self::Kept) -> bool;

    /// To be kept.
    fn keep(self) -> Self::Kept;
}

#[diagnostic::do_not_recommend]
impl<T> KeyPart for &T
where
    T: ToOwned<Owned: Send + Sync + 'static> + Eq + Hash + ?Sized + 'static,
{
    type Kept = Kept<T>;

    #[inline]
    fn is(&self, kept: &Kept<T>) -> bool {
        **self == *kept.lent()
    }

    #[inline]
    fn keep(self) -> Kept<T> {
        Kept(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized> KeyPart for Option<&'a T>
where
    &'a T: KeyPart,
{
    type Kept = Option<<&'a T as KeyPart>::Kept>;

    #[inline]
    fn is(&self, kept: &Self::Kept) -> bool {
        match (self, kept) {
            (Some(part), Some(kept)) => part.is(kept),
            (None, None) => true,
            _ => false,
        }
    }

    #[inline]
    fn keep(self) -> Self::Kept {
        self.map(KeyPart::keep)
    }
}

/// An argument that is kept. It is compared as what it was lent as, whatever its owned form does.
pub struct Kept<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> Kept<T> {
    #[inline]
    fn lent(&self) -> &T {
        self.0.borrow()
    }
}

impl<T: ToOwned + Eq + ?Sized> Eq for Kept<T> {}

impl<T: ToOwned + Eq + ?Sized> PartialEq for Kept<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        *self.lent() == *other.lent()
    }
}

impl<T: ToOwned + ?Sized> Debug for Kept<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

/// A key that the author's function made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Whole<K>(K);

/// What a function named by `key = path` may answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a cache",
    label = "the function that `key` names answers this",
    note = "a key is kept and compared by value: it needs `Eq`, `Hash`, `Send`, `Sync` and `'static`"
)]
pub trait OwnKey: Eq + Hash + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Eq + Hash + Send + Sync + 'static> OwnKey for K {}

impl<K: OwnKey> Lookup for Whole<K> {
    type Owned = Self;

    #[inline]
    fn finds(&self, owned: &Self) -> bool {
        self == owned
    }

    #[inline]
    fn into_owned(self) -> Self {
        self
    }
}

macro_rules! arguments {
    ($($part:ident $index:tt),*) => {
        impl<$($part: KeyPart),*> Lookup for ($($part,)*) {
            type Owned = ($($part::Kept,)*);

            #[inline]
            fn finds(&self, owned: &Self::Owned) -> bool {
                // Without arguments there is one key.
                let _ = owned;
                true $(&& self.$index.is(&owned.$index))*
            }

            #[inline]
            #[allow(clippy::unused_unit, reason = "what is left of it without arguments")]
            fn into_owned(self) -> Self::Owned {
                ($(self.$index.keep(),)*)
            }
        }
    };
}

arguments!();
arguments!(A 0);
arguments!(A 0, B 1);
arguments!(A 0, B 1, C 2);
arguments!(A 0, B 1, C 2, D 3);
arguments!(A 0, B 1, C 2, D 3, E 4);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
arguments!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

#[cfg(test)]
mod tests;
