//! Every interleaving of a few threads. A lost wake-up shows as a deadlock.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Arc as Shared, Notify};
use loom::thread;

use super::{Gate, Joined};
use crate::policy::bulkhead::WaiterId;

struct Alarm(Notify);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }
}

/// Waits for its turn as a task does: polled first, then again after each wake-up.
fn wait(gate: &Gate, id: WaiterId) {
    let alarm = Arc::new(Alarm(Notify::new()));
    let waker = Waker::from(Arc::clone(&alarm));
    while gate.poll_turn(id, &waker).is_pending() {
        alarm.0.wait();
    }
}

/// Gets in, by the queue where there is need and place. `false`: the queue was full.
fn enter(gate: &Gate) -> bool {
    if gate.try_enter() {
        return true;
    }
    match gate.join() {
        Joined::Entered => true,
        Joined::Queued(id) => {
            wait(gate, id);
            true
        }
        Joined::Full => false,
    }
}

fn queue(gate: &Gate) -> WaiterId {
    match gate.join() {
        Joined::Queued(id) => id,
        other => panic!("expected to wait, got {other:?}"),
    }
}

fn assert_all_places_are_free(gate: &Gate, places: u32) {
    assert_eq!((gate.running(), gate.waiting()), (0, 0));
    for _ in 0..places {
        assert!(gate.try_enter());
    }
    assert!(!gate.try_enter());
}

/// What only one at a time may do: a second one at once, or one that did not see the first's work, loses a count.
fn work(done: &AtomicU32) {
    let before = done.load(Ordering::Relaxed);
    done.store(before + 1, Ordering::Relaxed);
}

#[test]
fn never_more_than_its_places_are_taken() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 0));
        let done = Shared::new(AtomicU32::new(0));
        let visit = |gate: &Gate, done: &AtomicU32| {
            let entered = gate.try_enter();
            if entered {
                work(done);
                gate.leave();
            }
            u32::from(entered)
        };
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (gate, done) = (Shared::clone(&gate), Shared::clone(&done));
                thread::spawn(move || visit(&gate, &done))
            })
            .collect();
        let mut entered = visit(&gate, &done);
        for thread in threads {
            entered += thread.join().expect("no assertion failed");
        }
        assert!(entered > 0);
        assert_eq!(done.load(Ordering::Relaxed), entered);
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn everybody_who_may_queue_gets_in_and_one_at_a_time() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 1));
        let done = Shared::new(AtomicU32::new(0));
        let visit = |gate: &Gate, done: &AtomicU32| {
            assert!(enter(gate), "of two, one runs and one may wait");
            work(done);
            gate.leave();
        };
        let other = {
            let (gate, done) = (Shared::clone(&gate), Shared::clone(&done));
            thread::spawn(move || visit(&gate, &done))
        };
        visit(&gate, &done);
        other.join().expect("no assertion failed");
        assert_eq!(done.load(Ordering::Relaxed), 2);
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn no_wake_up_is_lost_between_leaving_and_joining() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 1));
        assert!(gate.try_enter());
        let leaver = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.leave())
        };
        assert!(enter(&gate));
        leaver.join().expect("no assertion failed");
        gate.leave();
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn two_who_leave_serve_two_who_wait() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(2, 2));
        assert!(gate.try_enter() && gate.try_enter());
        let (first, second) = (queue(&gate), queue(&gate));
        let leaver = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.leave())
        };
        gate.leave();
        wait(&gate, second);
        wait(&gate, first);
        leaver.join().expect("no assertion failed");
        gate.leave();
        gate.leave();
        assert_all_places_are_free(&gate, 2);
    });
}

#[test]
fn one_place_in_the_queue_is_given_once() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 1));
        assert!(gate.try_enter());
        let other = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.join())
        };
        let mine = gate.join();
        let theirs = other.join().expect("no assertion failed");
        let id = match (mine, theirs) {
            (Joined::Queued(id), Joined::Full) | (Joined::Full, Joined::Queued(id)) => id,
            other => panic!("one waits and one is refused, got {other:?}"),
        };
        gate.leave();
        wait(&gate, id);
        gate.leave();
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn who_gives_up_as_a_place_is_granted_passes_it_on() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 2));
        assert!(gate.try_enter());
        let (first, second) = (queue(&gate), queue(&gate));
        let leaver = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.leave())
        };
        let quitter = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.abandon(first))
        };
        wait(&gate, second);
        leaver.join().expect("no assertion failed");
        quitter.join().expect("no assertion failed");
        gate.leave();
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn the_last_waiter_who_gives_up_leaves_the_place_to_all() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 1));
        assert!(gate.try_enter());
        let id = queue(&gate);
        let leaver = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || gate.leave())
        };
        gate.abandon(id);
        leaver.join().expect("no assertion failed");
        assert_all_places_are_free(&gate, 1);
    });
}

#[test]
fn who_joins_behind_one_who_gives_up_is_served() {
    loom::model(|| {
        let gate = Shared::new(Gate::new(1, 2));
        assert!(gate.try_enter());
        let id = queue(&gate);
        let leaver = {
            let gate = Shared::clone(&gate);
            thread::spawn(move || {
                gate.abandon(id);
                gate.leave();
            })
        };
        assert!(enter(&gate), "two may wait");
        leaver.join().expect("no assertion failed");
        gate.leave();
        assert_all_places_are_free(&gate, 1);
    });
}
