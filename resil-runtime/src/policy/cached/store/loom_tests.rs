//! Every interleaving of a few threads. A lost wake-up shows as a deadlock.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::task::{Poll, Wake, Waker};
use std::time::Duration;

use loom::sync::atomic::{AtomicU32, Ordering::SeqCst};
use loom::sync::{Arc as Shared, Notify};
use loom::thread;
use tokio::time::Instant;

use super::{Joined, Store, Wait};
use crate::policy::cached::{AnyEntry, Entry, Landing, OwnedKey};

fn key() -> OwnedKey {
    OwnedKey::new(1, TypeId::of::<u32>(), 1_u8)
}

fn forget(store: &Store) {
    store.forget(1, &|known| known.downcast_ref() == Some(&1_u8));
}

fn value(entry: &AnyEntry) -> u32 {
    let value: &dyn Any = &entry.value;
    *value.downcast_ref().expect("it is a number")
}

struct Alarm(Notify);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }
}

fn landing(wait: &Wait) -> Landing {
    let alarm = Arc::new(Alarm(Notify::new()));
    let waker = Waker::from(Arc::clone(&alarm));
    loop {
        if let Poll::Ready(landing) = wait.poll(&waker) {
            return landing;
        }
        alarm.0.wait();
    }
}

fn entry(value: u32) -> Arc<AnyEntry> {
    Arc::new(Entry::new(value, Instant::now(), Duration::from_secs(60)))
}

/// Asks until there is a value, and loads it where nobody else does.
fn ask(store: &Store, load: impl Fn() -> u32) -> u32 {
    loop {
        match store.join(&mut Some(key()), Instant::now()) {
            Joined::Hit(entry) => return value(&entry),
            Joined::Lead(lead) => {
                let entry = entry(load());
                lead.keep(Arc::clone(&entry));
                return value(&entry);
            }
            Joined::Wait(wait) => match landing(&wait) {
                Landing::Value(entry) => return value(&entry),
                Landing::Lost => {}
                other => panic!("nothing fails here: {other:?}"),
            },
            Joined::Inside => panic!("nothing is nested here"),
        }
    }
}

/// Leads, and is dropped before it has a value; or leaves those who wait.
fn ask_and_go(store: &Store) {
    match store.join(&mut Some(key()), Instant::now()) {
        Joined::Hit(_) => {}
        Joined::Lead(lead) => drop(lead),
        Joined::Wait(wait) => {
            let waker = Waker::noop();
            let _ = wait.poll(waker);
        }
        Joined::Inside => panic!("nothing is nested here"),
    }
}

fn kept(store: &Store) -> Option<u32> {
    match store.join(&mut Some(key()), Instant::now()) {
        Joined::Hit(entry) => Some(value(&entry)),
        Joined::Lead(_) => None,
        other => panic!("nobody loads any more: {other:?}"),
    }
}

#[test]
fn misses_at_the_same_time_make_one_load() {
    loom::model(|| {
        let shared = Shared::new((Store::new(8), AtomicU32::new(0)));
        let load = |shared: &(Store, AtomicU32)| shared.1.fetch_add(1, SeqCst) + 10;
        let threads = [0, 1].map(|_| {
            let shared = Shared::clone(&shared);
            thread::spawn(move || ask(&shared.0, || load(&shared)))
        });
        for thread in threads {
            assert_eq!(thread.join().expect("no thread panics"), 10);
        }
        assert_eq!((shared.1.load(SeqCst), shared.0.loading()), (1, 0));
        assert_eq!(kept(&shared.0), Some(10));
    });
}

#[test]
fn who_waits_leads_where_the_leader_is_lost() {
    loom::model(|| {
        let store = Shared::new(Store::new(8));
        let gone = {
            let store = Shared::clone(&store);
            thread::spawn(move || ask_and_go(&store))
        };
        assert_eq!(ask(&store, || 1), 1);
        gone.join().expect("no thread panics");
        assert_eq!((kept(&store), store.loading()), (Some(1), 0));
    });
}

#[test]
fn one_of_several_leads_where_the_leader_is_lost() {
    let mut model = loom::model::Builder::new();
    // All interleavings of three threads are too many.
    model.preemption_bound = Some(2);
    model.check(|| {
        let store = Shared::new(Store::new(8));
        let gone = {
            let store = Shared::clone(&store);
            thread::spawn(move || ask_and_go(&store))
        };
        let other = {
            let store = Shared::clone(&store);
            thread::spawn(move || ask(&store, || 1))
        };
        assert_eq!(ask(&store, || 2), other.join().expect("no thread panics"));
        gone.join().expect("no thread panics");
        assert_eq!(store.loading(), 0);
    });
}

#[test]
fn what_is_forgotten_while_it_loads_is_not_kept() {
    loom::model(|| {
        let shared = Shared::new((Store::new(8), AtomicU32::new(1)));
        let loading = {
            let shared = Shared::clone(&shared);
            thread::spawn(move || ask(&shared.0, || shared.1.load(SeqCst)))
        };
        shared.1.store(2, SeqCst);
        forget(&shared.0);
        // Who asks after that never gets what was loaded before.
        assert_eq!(ask(&shared.0, || shared.1.load(SeqCst)), 2);
        loading.join().expect("no thread panics");
        assert_eq!((kept(&shared.0), shared.0.loading()), (Some(2), 0));
    });
}

#[test]
fn what_is_cleared_while_it_loads_is_not_kept() {
    loom::model(|| {
        let shared = Shared::new((Store::new(8), AtomicU32::new(1)));
        let loading = {
            let shared = Shared::clone(&shared);
            thread::spawn(move || ask(&shared.0, || shared.1.load(SeqCst)))
        };
        shared.1.store(2, SeqCst);
        shared.0.clear();
        assert_eq!(ask(&shared.0, || shared.1.load(SeqCst)), 2);
        loading.join().expect("no thread panics");
        assert_eq!(shared.0.loading(), 0);
    });
}
