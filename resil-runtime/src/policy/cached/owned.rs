//! Keys of whatever types, as they are kept: with their hash, compared by value.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use quick_cache::Equivalent;

/// A key that is kept.
pub(crate) struct OwnedKey {
    hash: u64,
    /// What is asked for by it: two methods of one slot may differ in that alone.
    asks: TypeId,
    key: Box<dyn AnyKey>,
}

/// A key that can be compared with another one of its type.
trait AnyKey: Any + Send + Sync {
    fn is(&self, other: &dyn Any) -> bool;
}

impl<K: Eq + Send + Sync + 'static> AnyKey for K {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref().is_some_and(|other: &K| self == other)
    }
}

impl OwnedKey {
    pub(crate) fn new<K>(hash: u64, asks: TypeId, key: K) -> Self
    where
        K: Eq + Send + Sync + 'static,
    {
        let key = Box::new(key);
        Self { hash, asks, key }
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    pub(super) fn asks(&self) -> TypeId {
        self.asks
    }
}

impl Eq for OwnedKey {}

impl PartialEq for OwnedKey {
    /// Runs under locks of the cache crate, which a panic would close for ever. A comparison that panics finds nothing.
    fn eq(&self, other: &Self) -> bool {
        let other_key: &dyn Any = &*other.key;
        let is = || self.key.is(other_key);
        self.hash == other.hash
            && self.asks == other.asks
            && catch_unwind(AssertUnwindSafe(is)).unwrap_or(false)
    }
}

impl Hash for OwnedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Keys are none of anybody's business.
impl Debug for OwnedKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedKey").finish_non_exhaustive()
    }
}

/// A key that is looked up: whether a known one is meant is for `is` to say.
pub(super) struct Wanted<'a, I: ?Sized> {
    hash: u64,
    asks: TypeId,
    is: &'a I,
}

/// Where it need not be fast.
pub(super) type AnyWanted<'a> = Wanted<'a, dyn Fn(&dyn Any) -> bool + 'a>;

impl<'a, I: Fn(&dyn Any) -> bool + ?Sized> Wanted<'a, I> {
    #[inline]
    pub(super) fn new(hash: u64, asks: TypeId, is: &'a I) -> Self {
        Self { hash, asks, is }
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    pub(super) fn is(&self, known: &OwnedKey) -> bool {
        let key: &dyn Any = &*known.key;
        self.hash == known.hash && self.asks == known.asks && (self.is)(key)
    }
}

impl<I: ?Sized> Hash for Wanted<'_, I> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<I: Fn(&dyn Any) -> bool + ?Sized> Equivalent<OwnedKey> for Wanted<'_, I> {
    #[inline]
    fn equivalent(&self, known: &OwnedKey) -> bool {
        self.is(known)
    }
}

/// What is hashed already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
