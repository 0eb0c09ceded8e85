//! Which loads this thread is polling, so that one which asks for its own value does not wait for itself.

use std::cell::RefCell;

thread_local! {
    /// Where the flights are, from the outside in.
    static POLLED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether this thread polls the load of the flight at this address.
pub(super) fn is_polled(flight: usize) -> bool {
    POLLED.with_borrow(|polled| polled.contains(&flight))
}

/// As long as it lives, the load is being polled.
#[derive(Debug)]
#[must_use]
pub(crate) struct Polled(());

impl Polled {
    pub(super) fn enter(flight: usize) -> Self {
        POLLED.with_borrow_mut(|polled| polled.push(flight));
        Self(())
    }
}

impl Drop for Polled {
    fn drop(&mut self) {
        POLLED.with_borrow_mut(Vec::pop);
    }
}
