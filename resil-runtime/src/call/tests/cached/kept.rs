//! What is kept, for how long and under which key.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::{advance, sleep};

use super::{Error, FIND, Hours, minute, ms};
use crate::instance::Instance;
use crate::policy::cached::Cached;
use crate::policy::circuit_breaker::CircuitBreaker;
use crate::private::{CacheSlot, Key, cached};
use crate::{Policies, PolicyError};

#[tokio::test(start_paused = true)]
async fn a_value_is_served_until_its_time_is_over() {
    let hours = Hours::new(Cached::new(ms(1000))).answers([(0, Ok(1)), (0, Ok(2)), (0, Ok(3))]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(999)).await;
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(1), 1));
    advance(ms(1)).await;
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(2), 2));
    advance(ms(2000)).await;
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(3), 3));
}

#[tokio::test(start_paused = true)]
async fn its_time_begins_when_it_is_loaded() {
    let hours = Hours::new(Cached::new(ms(1000))).answers([(5000, Ok(1)), (0, Ok(2))]);
    assert_eq!(hours.find("a").await, Ok(1));
    advance(ms(900)).await;
    assert_eq!(hours.find("a").await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn each_key_has_its_own_value_and_a_failure_leaves_nothing() {
    let hours = Hours::new(minute()).answers([(0, Err(Error::Down)), (0, Ok(5)), (0, Ok(6))]);
    assert_eq!(hours.find("a").await, Err(Error::Down));
    assert_eq!(hours.find_cache.len(), 0);
    assert_eq!(hours.find("a").await, Ok(5));
    assert_eq!(hours.find("b").await, Ok(6));
    assert_eq!((hours.find("a").await, hours.find("b").await), (Ok(5), Ok(6)));
    assert_eq!((hours.loads(), hours.find_cache.len()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn nothing_found_is_a_value_too() {
    let method = Instance::bound(&super::ADAPTER, Policies::new().cached(minute()))
        .expect("the policies of a test")
        .method(&FIND);
    let (slot, loads) = (CacheSlot::new(), AtomicU32::new(0));
    for _ in 0..2 {
        let load = || async {
            loads.fetch_add(1, SeqCst);
            Ok::<_, PolicyError>(None::<u32>)
        };
        let found = cached(&method, &slot, Key::of(()), None, None, load).await;
        assert_eq!(found, Ok(None));
    }
    assert_eq!(loads.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn one_slot_keeps_values_of_several_types_apart() {
    let method = Instance::bound(&super::ADAPTER, Policies::new().cached(minute()))
        .expect("the policies of a test")
        .method(&FIND);
    let slot = CacheSlot::new();
    for _ in 0..2 {
        let number = || async { Ok::<_, PolicyError>(slot.len()) };
        let number = cached(&method, &slot, Key::of(("a",)), None, None, number).await;
        let text = || async { Ok::<_, PolicyError>("text") };
        let text = cached(&method, &slot, Key::of(("a",)), None, None, text).await;
        assert_eq!((number, text), (Ok(0), Ok("text")));
    }
    assert_eq!(slot.len(), 2);
    crate::private::invalidate(&slot, Key::of((&1,)));
    assert_eq!(slot.len(), 2);
    crate::private::invalidate(&slot, Key::of(("a",)));
    assert_eq!(slot.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn where_it_is_switched_off_each_call_is_made() {
    let hours = Hours::with(&Policies::new()).answers([(0, Ok(1)), (5, Ok(2))]);
    assert_eq!((hours.find("a").await, hours.find("a").await), (Ok(1), Ok(2)));
}

#[tokio::test(start_paused = true)]
async fn no_more_values_are_kept_than_there_is_room_for() {
    for capacity in [1, 3, 50, 1000] {
        let hours = Hours::new(minute().capacity(capacity));
        for shop in 0..3 * capacity {
            hours.find(&shop.to_string()).await.expect("all are found");
        }
        let len = hours.find_cache.len();
        assert!(len > 0 && len <= capacity as usize, "{len} of {capacity}");
    }
}

#[tokio::test(start_paused = true)]
async fn values_are_dropped_and_copied_under_no_lock() {
    /// Asks the cache it is in, which would never answer under its lock.
    #[derive(Debug)]
    struct Curious(Arc<CacheSlot>);
    impl Drop for Curious {
        fn drop(&mut self) {
            crate::private::invalidate(&self.0, Key::of((&u32::MAX,)));
            let _ = self.0.len();
        }
    }
    impl Clone for Curious {
        fn clone(&self) -> Self {
            crate::private::invalidate(&self.0, Key::of((&u32::MAX,)));
            Self(Arc::clone(&self.0))
        }
    }
    let policy = minute().capacity(2).stale_if_error(ms(1000));
    let method = Instance::bound(&super::ADAPTER, Policies::new().cached(policy))
        .expect("the policies of a test")
        .method(&FIND);
    let slot = Arc::new(CacheSlot::new());
    for key in [0, 1, 2, 3, 4, 1, 2] {
        let load = || async { Ok::<_, PolicyError>(Curious(Arc::clone(&slot))) };
        cached(&method, &slot, Key::of((&key,)), None, None, load)
            .await
            .expect("it answers");
        // Each is replaced once.
        advance(ms(60_000)).await;
        let load = || async { Ok::<_, PolicyError>(Curious(Arc::clone(&slot))) };
        cached(&method, &slot, Key::of((&key,)), None, None, load)
            .await
            .expect("it answers");
    }
    crate::private::invalidate(&slot, Key::of((&2,)));
    slot.clear();
    assert!(slot.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_comparison_that_panics_harms_no_later_call() {
    /// Comparisons until one panics.
    static LEFT: AtomicU32 = AtomicU32::new(u32::MAX);
    struct Fragile(u8);
    impl Hash for Fragile {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }
    impl PartialEq for Fragile {
        fn eq(&self, other: &Self) -> bool {
            assert_ne!(LEFT.fetch_sub(1, SeqCst), 0, "it breaks");
            self.0 == other.0
        }
    }
    impl Eq for Fragile {}
    let method = Instance::bound(&super::ADAPTER, Policies::new().cached(minute()))
        .expect("the policies of a test")
        .method(&FIND);
    for left in 0..6 {
        let slot = CacheSlot::new();
        let ask = || async {
            let load = || async { Ok::<_, PolicyError>(7) };
            cached(&method, &slot, Key::owned(Fragile(1)), None, None, load).await
        };
        assert_eq!(ask().await, Ok(7));
        advance(ms(60_000)).await;
        LEFT.store(left, SeqCst);
        // Where it breaks while this one looks or stores, that may be its end, but not that of others.
        let mut asks = pin!(ask());
        let asks = || {
            asks.as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_ready()
        };
        let _ = catch_unwind(AssertUnwindSafe(asks));
        let forgets = || crate::private::invalidate(&slot, Key::owned(Fragile(1)));
        let _ = catch_unwind(AssertUnwindSafe(forgets));
        LEFT.store(u32::MAX, SeqCst);
        assert_eq!((ask().await, ask().await), (Ok(7), Ok(7)), "{left}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_forgotten_key_is_loaded_again_and_others_stay() {
    let hours = Hours::new(minute()).answers([(0, Ok(1)), (0, Ok(2)), (0, Ok(3))]);
    assert_eq!((hours.find("a").await, hours.find("b").await), (Ok(1), Ok(2)));
    hours.invalidate_find("a");
    assert_eq!((hours.find("b").await, hours.find("a").await), (Ok(2), Ok(3)));
    hours.find_cache.clear();
    assert_eq!(hours.find_cache.len(), 0);
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(7), 4));
}

#[tokio::test(start_paused = true)]
async fn what_is_served_from_the_cache_is_stamped_with_its_age() {
    let policy = Cached::new(ms(1000)).stale_if_error(ms(5000));
    let hours = Hours::new(policy)
        .aged(|value, age| value + u32::try_from(age.as_millis()).expect("a short time"))
        .answers([(100, Ok(1_000_000)), (0, Err(Error::Down))]);
    // Those who wait get what was loaded for them, as the one who loads it.
    assert_eq!(
        tokio::join!(hours.find("a"), hours.find("a")),
        (Ok(1_000_000), Ok(1_000_000))
    );
    advance(ms(300)).await;
    assert_eq!(hours.find("a").await, Ok(1_000_300));
    advance(ms(2000)).await;
    assert_eq!(hours.find("a").await, Ok(1_002_300));
}

#[tokio::test(start_paused = true)]
async fn a_hit_passes_an_open_circuit() {
    let hours = Hours::with(
        &Policies::new()
            .cached(minute())
            .circuit_breaker(CircuitBreaker::new().failure_threshold(1)),
    )
    .answers([(0, Ok(1)), (0, Err(Error::Down))]);
    assert_eq!(hours.find("a").await, Ok(1));
    assert_eq!(hours.find("b").await, Err(Error::Down));
    assert!(matches!(hours.find("b").await, Err(Error::Policy(_))));
    assert_eq!((hours.find("a").await, hours.loads()), (Ok(1), 2));
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_first_poll() {
    let hours = Hours::new(minute());
    drop(hours.find("a"));
    assert_eq!((hours.loads(), hours.find_cache.loading()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn what_is_at_hand_needs_no_second_load_after_a_long_one() {
    // The time of a value begins when it is loaded, so whoever waits longer than its time still gets it.
    let hours = Hours::new(Cached::new(Duration::from_millis(10))).answers([(1000, Ok(1))]);
    let late = async {
        sleep(ms(500)).await;
        hours.find("a").await
    };
    assert_eq!(tokio::join!(hours.find("a"), late), (Ok(1), Ok(1)));
    assert_eq!(hours.loads(), 1);
}
