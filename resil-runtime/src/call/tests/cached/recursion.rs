//! Loads that ask their own wrapper.

use std::pin::Pin;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use super::{ADAPTER, FIND, answers, minute};
use crate::Policies;
use crate::PolicyError;
use crate::instance::{Instance, MethodState};
use crate::private::{CacheSlot, Key, cached};

/// An adapter that holds its own wrapper.
struct Fib {
    state: MethodState,
    slot: CacheSlot,
    loads: AtomicU32,
}

type Number<'f> = Pin<Box<dyn Future<Output = Result<u64, PolicyError>> + Send + 'f>>;

impl Fib {
    fn new() -> Self {
        let instance = Instance::bound(&ADAPTER, Policies::new().cached(minute()));
        Self {
            state: instance.expect("the policies of a test").method(&FIND),
            slot: CacheSlot::new(),
            loads: AtomicU32::new(0),
        }
    }

    fn of(&self, n: u64) -> Number<'_> {
        self.by(n, move |n| {
            Box::pin(async move {
                if n < 2 {
                    return Ok(n);
                }
                tokio::task::yield_now().await;
                let (one, two) = tokio::join!(self.of(n - 1), self.of(n - 2));
                Ok(one? + two?)
            })
        })
    }

    /// Asks for the same number again, so often.
    fn itself(&self, n: u64, depth: u32) -> Number<'_> {
        self.by(n, move |n| {
            Box::pin(async move {
                if depth == 0 {
                    return Ok(n);
                }
                tokio::task::yield_now().await;
                self.itself(n, depth - 1).await
            })
        })
    }

    fn by<'f>(&'f self, n: u64, load: impl Fn(u64) -> Number<'f> + Send + Sync + 'f) -> Number<'f> {
        Box::pin(async move {
            let load = || async {
                self.loads.fetch_add(1, SeqCst);
                load(n).await
            };
            cached(&self.state, &self.slot, Key::of((&n,)), None, None, load).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_load_may_ask_its_own_wrapper_for_other_keys() {
    let fib = Fib::new();
    assert_eq!(answers(fib.of(10)).await, Ok(55));
    assert_eq!(
        (fib.loads.load(SeqCst), fib.slot.len(), fib.slot.loading()),
        (11, 11, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_load_that_asks_for_its_own_key_runs_uncached_instead_of_waiting_for_itself() {
    let fib = Fib::new();
    assert_eq!(answers(fib.itself(5, 3)).await, Ok(5));
    assert_eq!(
        (fib.loads.load(SeqCst), fib.slot.len(), fib.slot.loading()),
        (4, 1, 0)
    );
    // And what the outermost one loaded is kept.
    assert_eq!((fib.itself(5, 3).await, fib.loads.load(SeqCst)), (Ok(5), 4));
}
