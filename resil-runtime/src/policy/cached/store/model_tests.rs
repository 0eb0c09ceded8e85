//! Random interleavings of callers, ends and forgotten keys, against what a plain reading of the rules says.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tokio::time::Instant;

use super::{Joined, Lead, Store, Wait};
use crate::policy::cached::{AnyEntry, Entry, Landing, OwnedKey};

const TTL: u64 = 10;

/// All but one have the same hash, and are different all the same.
fn hash(key: u8) -> u64 {
    u64::from(key / 2)
}

fn owned(key: u8) -> OwnedKey {
    OwnedKey::new(hash(key), TypeId::of::<u32>(), key)
}

fn value(entry: &AnyEntry) -> u32 {
    let value: &dyn Any = &entry.value;
    *value.downcast_ref().expect("it is a number")
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A caller comes for this key.
    Ask(u8),
    /// The load at this place ends: with a value, a failure, or because its caller goes.
    Keep(usize),
    Fail(usize),
    Lose(usize),
    /// One who waits goes.
    Leave(usize),
    Forget(u8),
    Clear,
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..3_u8).prop_map(Step::Ask),
        3 => any::<usize>().prop_map(Step::Keep),
        1 => any::<usize>().prop_map(Step::Fail),
        2 => any::<usize>().prop_map(Step::Lose),
        1 => any::<usize>().prop_map(Step::Leave),
        1 => (0..3_u8).prop_map(Step::Forget),
        1 => Just(Step::Clear),
        1 => (1..2 * TTL).prop_map(Step::Pass),
    ];
    vec(step, 1..80)
}

/// What the rules say: by key the load that newcomers join, and the value with the end of its time.
#[derive(Debug, Default)]
struct Reference {
    flying: BTreeMap<u8, u32>,
    kept: BTreeMap<u8, (u32, u64)>,
    next: u32,
}

struct World<'s> {
    leads: Vec<(u8, u32, Lead<'s>)>,
    waits: Vec<(u32, Wait)>,
}

fn at<T>(list: &mut Vec<T>, index: usize) -> Option<T> {
    let len = list.len();
    (len > 0).then(|| list.swap_remove(index % len))
}

/// Those who wait for this load learn of its end, and they alone.
fn landed(world: &mut World<'_>, load: u32, is: impl Fn(&Landing) -> bool) {
    world
        .waits
        .retain(|(waits_for, wait)| match wait.poll(Waker::noop()) {
            Poll::Ready(landing) => {
                assert_eq!(*waits_for, load, "it waited for another load");
                assert!(is(&landing), "{landing:?}");
                false
            }
            Poll::Pending => {
                assert_ne!(*waits_for, load, "nobody told it of the end");
                true
            }
        });
}

impl Reference {
    fn ask<'s>(&mut self, world: &mut World<'s>, store: &'s Store, key: u8, start: Instant, ms: u64) {
        let now = start + Duration::from_millis(ms);
        let fresh = self.kept.get(&key).filter(|(_, end)| ms < *end);
        match (store.join(&mut Some(owned(key)), now), self.flying.get(&key)) {
            (Joined::Wait(wait), Some(load)) => world.waits.push((*load, wait)),
            (Joined::Hit(entry), None) => assert_eq!(Some(value(&entry)), fresh.map(|(value, _)| *value)),
            (Joined::Lead(lead), None) => {
                assert_eq!(fresh, None, "it was at hand");
                self.next += 1;
                self.flying.insert(key, self.next);
                world.leads.push((key, self.next, lead));
            }
            other => panic!("{other:?}"),
        }
    }

    /// Whether the load is still the one that newcomers join; from now on it is not.
    fn close(&mut self, key: u8, load: u32) -> bool {
        let current = self.flying.get(&key) == Some(&load);
        if current {
            self.flying.remove(&key);
        }
        current
    }
}

fn run(steps: Vec<Step>) {
    let store = Store::new(100);
    let (start, mut ms) = (Instant::now(), 0);
    let mut reference = Reference::default();
    let mut world = World {
        leads: Vec::new(),
        waits: Vec::new(),
    };
    for step in steps {
        match step {
            Step::Ask(key) => reference.ask(&mut world, &store, key, start, ms),
            Step::Keep(index) => {
                let Some((key, load, leader)) = at(&mut world.leads, index) else {
                    continue;
                };
                let (now, ttl) = (start + Duration::from_millis(ms), Duration::from_millis(TTL));
                leader.keep(Arc::new(Entry::new(load, now, ttl)));
                if reference.close(key, load) {
                    reference.kept.insert(key, (load, ms + TTL));
                }
                landed(
                    &mut world,
                    load,
                    |landing| matches!(landing, Landing::Value(entry) if value(entry) == load),
                );
            }
            Step::Fail(index) => {
                let Some((key, load, leader)) = at(&mut world.leads, index) else {
                    continue;
                };
                let waits = world.waits.iter().any(|(waits_for, _)| *waits_for == load);
                assert_eq!(leader.has_waiters(), waits);
                let now = start + Duration::from_millis(ms);
                let stale = leader.fail(false, Duration::from_millis(TTL), now);
                leader.land(Landing::Refused);
                let known = reference.kept.get(&key).filter(|(_, end)| ms < end + TTL);
                let known = known.filter(|_| reference.flying.get(&key) == Some(&load));
                assert_eq!(stale.map(|entry| value(&entry)), known.map(|(value, _)| *value));
                reference.close(key, load);
                drop(leader);
                landed(&mut world, load, |landing| matches!(landing, Landing::Refused));
            }
            Step::Lose(index) => {
                let Some((key, load, leader)) = at(&mut world.leads, index) else {
                    continue;
                };
                drop(leader);
                reference.close(key, load);
                landed(&mut world, load, |landing| matches!(landing, Landing::Lost));
            }
            Step::Leave(index) => drop(at(&mut world.waits, index)),
            Step::Forget(key) => {
                store.forget(hash(key), &|known| known.downcast_ref() == Some(&key));
                reference.flying.remove(&key);
                reference.kept.remove(&key);
            }
            Step::Clear => {
                store.clear();
                reference.flying.clear();
                reference.kept.clear();
            }
            Step::Pass(time) => ms += time,
        }
        assert_eq!(
            (store.loading(), store.len()),
            (reference.flying.len(), reference.kept.len())
        );
    }
    drop(world);
    assert_eq!(store.loading(), 0);
}

proptest! {
    #[test]
    fn any_interleaving_follows_the_rules(steps in steps()) {
        run(steps);
    }
}
