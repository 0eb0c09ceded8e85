//! What calls that run inside an attempt tell it.
//!
//! One layer retries: where the last nested call of an attempt had a retry and failed all the same, the attempt is not
//! repeated, whatever error it was turned into, and through layers without a retry. A nested call leaves a note on its thread when it ends; the attempt around it
//! keeps that note from one poll to the next. What runs in a spawned task is not nested.

use std::cell::Cell;

thread_local! {
    static SPENT: Cell<bool> = const { Cell::new(false) };
}

/// A call has ended: `spent` where it failed, and it or what it called last had a retry.
#[inline]
pub(super) fn leave(spent: bool) {
    SPENT.set(spent);
}

/// Puts the note of an attempt in place while its future is polled, and the outer one back.
#[inline]
pub(super) fn exchange(spent: bool) -> bool {
    SPENT.replace(spent)
}
