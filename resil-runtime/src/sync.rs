//! What is shared between threads, from `loom` where a model is checked.

#[cfg(resil_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU32, AtomicU64},
};
#[cfg(not(resil_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU32, AtomicU64},
};

/// Locks, whatever happened to an earlier holder.
///
/// No code of a user runs under a lock of this crate, and each critical section leaves its data whole at
/// every step, so a poisoned lock says nothing about what it protects.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
