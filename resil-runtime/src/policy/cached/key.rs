//! What a value is looked up by: the arguments themselves, compared by value, without an owned copy until one is stored.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use quick_cache::Equivalent;

/// A key that may borrow; it hashes and compares as the owned one.
pub trait Lookup: Hash + Equivalent<Self::Key> {
    /// What is stored.
    type Key: Clone + Eq + Hash + Send + Sync + 'static;

    /// The owned key.
    fn into_key(self) -> Self::Key;
}

/// The arguments of a method, each behind a reference.
#[derive(Debug)]
pub struct Arguments<T>(T);

/// The arguments of a method as a key: `arguments((phone, &day))`.
#[inline]
pub fn arguments<T>(parts: T) -> Arguments<T>
where
    Arguments<T>: Lookup,
{
    Arguments(parts)
}

/// An argument that can be part of a key.
#[diagnostic::on_unimplemented(
    message = "this argument cannot be part of a cache key: `{Self}` cannot be kept, or cannot be compared and hashed",
    label = "a key is all arguments, compared by value",
    note = "derive `Clone`, `PartialEq`, `Eq` and `Hash` for its type, or name what makes the key: `key = Self::key`"
)]
pub trait Part {
    /// What is stored of it.
    type Owned: Clone + Eq + Hash + Send + Sync + 'static;

    /// An owned copy.
    fn keep(&self) -> Self::Owned;
    /// Whether it is what was stored.
    fn is(&self, kept: &Self::Owned) -> bool;
    /// As the owned one.
    fn hash<H: Hasher>(&self, state: &mut H);
}

#[diagnostic::do_not_recommend]
impl<T> Part for &T
where
    T: ?Sized + ToOwned + Eq + Hash,
    T::Owned: Clone + Eq + Hash + Send + Sync + 'static,
{
    type Owned = T::Owned;

    #[inline]
    fn keep(&self) -> T::Owned {
        (*self).to_owned()
    }

    #[inline]
    fn is(&self, kept: &T::Owned) -> bool {
        *self == kept.borrow()
    }

    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        T::hash(self, state);
    }
}

/// An argument of type `Option<&T>`.
#[derive(Debug)]
pub struct OptionPart<'a, T: ?Sized>(pub Option<&'a T>);

#[diagnostic::do_not_recommend]
impl<T> Part for OptionPart<'_, T>
where
    T: ?Sized + ToOwned + Eq + Hash,
    T::Owned: Clone + Eq + Hash + Send + Sync + 'static,
{
    type Owned = Option<T::Owned>;

    #[inline]
    fn keep(&self) -> Self::Owned {
        self.0.map(ToOwned::to_owned)
    }

    #[inline]
    fn is(&self, kept: &Self::Owned) -> bool {
        self.0 == kept.as_ref().map(Borrow::borrow)
    }

    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        // An `Option` hashes its reference as it does its value.
        Hash::hash(&self.0, state);
    }
}

impl Hash for Arguments<()> {
    #[inline]
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Equivalent<()> for Arguments<()> {
    #[inline]
    fn equivalent(&self, (): &()) -> bool {
        true
    }
}

impl Lookup for Arguments<()> {
    type Key = ();

    #[inline]
    fn into_key(self) {}
}

macro_rules! tuples {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Part),*> Hash for Arguments<($($name,)*)> {
            #[inline]
            fn hash<Hash_: Hasher>(&self, state: &mut Hash_) {
                $(self.0.$index.hash(state);)*
            }
        }

        impl<$($name: Part),*> Equivalent<($($name::Owned,)*)> for Arguments<($($name,)*)> {
            #[inline]
            fn equivalent(&self, kept: &($($name::Owned,)*)) -> bool {
                true $(&& self.0.$index.is(&kept.$index))*
            }
        }

        impl<$($name: Part),*> Lookup for Arguments<($($name,)*)> {
            type Key = ($($name::Owned,)*);

            #[inline]
            fn into_key(self) -> Self::Key {
                ($(self.0.$index.keep(),)*)
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// What a function of the user's made of the arguments.
#[derive(Debug, Hash)]
pub struct OwnKey<K>(K);

/// A key that the user's own function made.
#[inline]
pub fn own_key<K: KeptKey>(key: K) -> OwnKey<K> {
    OwnKey(key)
}

/// A key of the user's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a cache",
    label = "a key is kept, compared and hashed",
    note = "derive `Clone`, `PartialEq`, `Eq` and `Hash` for it, without anything borrowed"
)]
pub trait KeptKey: Clone + Eq + Hash + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Clone + Eq + Hash + Send + Sync + 'static> KeptKey for K {}

impl<K: Eq> Equivalent<K> for OwnKey<K> {
    #[inline]
    fn equivalent(&self, kept: &K) -> bool {
        self.0 == *kept
    }
}

impl<K: KeptKey> Lookup for OwnKey<K> {
    type Key = K;

    #[inline]
    fn into_key(self) -> K {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};

    use super::*;

    fn same<L: Lookup>(lookup: impl Fn() -> L, key: &L::Key) -> bool {
        let state = RandomState::new();
        let made = lookup().into_key();
        assert_eq!(state.hash_one(lookup()), state.hash_one(&made));
        assert!(lookup().equivalent(&made));
        lookup().equivalent(key)
    }

    #[test]
    fn a_borrowed_key_is_the_owned_one() {
        let owned = (String::from("a:b"), String::from("c"));
        assert!(same(|| arguments(("a:b", "c")), &owned));
        assert!(!same(|| arguments(("a", "b:c")), &owned));
        assert!(!same(
            || arguments(("ab", "c")),
            &(String::from("a"), String::from("bc"))
        ));
        assert!(same(|| arguments(()), &()));
        assert!(same(|| arguments((&7_u64, &[1_u8, 2][..])), &(7, vec![1, 2])));
        assert!(same(
            || arguments((OptionPart(Some("None")),)),
            &(Some("None".to_owned()),)
        ));
        assert!(!same(
            || arguments((OptionPart::<str>(None),)),
            &(Some("None".to_owned()),)
        ));
        assert!(same(|| own_key((1, "x".to_owned())), &(1, "x".to_owned())));
    }
}
