use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Poll, Wake, Waker};

use super::{Gate, Joined};
use crate::policy::bulkhead::WaiterId;

/// Counts how often it is woken.
#[derive(Default)]
pub(super) struct Bell(AtomicU32);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bell {
    pub(super) fn rings(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A place held the way callers hold theirs: given back whatever happens.
struct Place<'a>(&'a Gate);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn enter(gate: &Gate) -> Joined {
    if gate.try_enter() {
        Joined::Entered
    } else {
        gate.join()
    }
}

fn queue(gate: &Gate) -> WaiterId {
    match enter(gate) {
        Joined::Queued(id) => id,
        other => panic!("expected to wait, got {other:?}"),
    }
}

fn poll(gate: &Gate, id: WaiterId) -> Poll<()> {
    gate.poll_turn(id, Waker::noop())
}

/// Fill, overflow, release one, refill, overflow (rows 55, 56, 57, 59, 60).
fn overflows_exactly(running: u32, waiting: u32) {
    let gate = Gate::new(running, waiting);
    for _ in 0..running {
        assert_eq!(enter(&gate), Joined::Entered);
    }
    let waiters: Vec<_> = (0..waiting).map(|_| queue(&gate)).collect();
    assert_eq!(enter(&gate), Joined::Full);
    assert_eq!((gate.running(), gate.waiting()), (running, waiting));

    gate.leave();
    let started = waiters.iter().filter(|id| poll(&gate, **id).is_ready()).count();
    assert_eq!(started, waiters.len().min(1), "exactly one waiter starts");
    if waiting == 0 {
        assert_eq!(enter(&gate), Joined::Entered);
    } else {
        queue(&gate);
    }
    assert_eq!(enter(&gate), Joined::Full);
    assert_eq!((gate.running(), gate.waiting()), (running, waiting));
}

#[test]
fn overflows_at_exactly_its_limits() {
    for (running, waiting) in [(10, 10), (3, 10), (3, 0), (10, 0), (1, 1), (1, 0)] {
        overflows_exactly(running, waiting);
    }
}

#[test]
fn a_place_is_held_until_it_is_given_back() {
    // Row 58.
    let gate = Gate::new(2, 2);
    assert_eq!((enter(&gate), enter(&gate)), (Joined::Entered, Joined::Entered));
    let (third, fourth) = (queue(&gate), queue(&gate));
    assert_eq!(enter(&gate), Joined::Full);
    assert!(poll(&gate, third).is_pending() && poll(&gate, fourth).is_pending());
    gate.leave();
    gate.leave();
    assert!(poll(&gate, third).is_ready() && poll(&gate, fourth).is_ready());
    gate.leave();
    gate.leave();
    assert_eq!((gate.running(), gate.waiting()), (0, 0));
}

#[test]
fn who_comes_back_while_the_queue_is_full_is_refused() {
    // Row 64: A leaves and B runs; C takes the one place in the queue; A comes back.
    let gate = Gate::new(1, 1);
    assert!(gate.try_enter());
    let b = queue(&gate);
    gate.leave();
    assert!(poll(&gate, b).is_ready());
    let c = queue(&gate);
    assert_eq!(enter(&gate), Joined::Full);
    gate.leave();
    assert!(poll(&gate, c).is_ready());
}

#[test]
fn who_comes_back_queues_behind_who_waits() {
    // Row 65: A leaves and comes back at once, behind B and C.
    let gate = Gate::new(1, 5);
    assert!(gate.try_enter());
    let (b, c) = (queue(&gate), queue(&gate));
    gate.leave();
    let a = queue(&gate);
    for (turn, later) in [(b, vec![c, a]), (c, vec![a]), (a, vec![])] {
        assert!(later.iter().all(|id| poll(&gate, *id).is_pending()));
        assert!(poll(&gate, turn).is_ready());
        gate.leave();
    }
    assert_eq!(gate.running(), 0);
}

#[test]
fn nobody_overtakes_a_waiter_who_was_granted_a_place_or_still_waits() {
    let gate = Gate::new(1, 2);
    assert!(gate.try_enter());
    let (first, second) = (queue(&gate), queue(&gate));
    gate.leave();
    assert_eq!(
        (gate.running(), gate.waiting()),
        (1, 1),
        "the place is the first's, polled or not"
    );
    assert!(!gate.try_enter());
    assert!(poll(&gate, second).is_pending());
    assert!(poll(&gate, first).is_ready());
}

#[test]
fn waiters_that_gave_up_cost_no_place() {
    // BH-1, whether they leave while they wait or after they were granted a place.
    let gate = Gate::new(8, 8);
    for _ in 0..3 {
        for _ in 0..8 {
            assert!(gate.try_enter());
        }
        let waiters: Vec<_> = (0..8).map(|_| queue(&gate)).collect();
        let (early, late) = waiters.split_at(4);
        for id in early {
            gate.abandon(*id);
        }
        assert_eq!(gate.waiting(), 4);
        (0..8).for_each(|_| gate.leave());
        assert_eq!((gate.running(), gate.waiting()), (4, 0));
        for id in late {
            gate.abandon(*id);
        }
        assert_eq!((gate.running(), gate.waiting()), (0, 0));
        for _ in 0..8 {
            assert!(gate.try_enter());
        }
        assert!(!gate.try_enter());
        (0..8).for_each(|_| gate.leave());
    }
}

#[test]
fn a_granted_waiter_that_leaves_passes_its_place_on() {
    let gate = Gate::new(1, 2);
    let bell = Arc::new(Bell::default());
    assert!(gate.try_enter());
    let (first, second) = (queue(&gate), queue(&gate));
    assert!(
        gate.poll_turn(second, &Waker::from(Arc::clone(&bell)))
            .is_pending()
    );
    gate.leave();
    assert_eq!(bell.rings(), 0);
    gate.abandon(first);
    assert_eq!(bell.rings(), 1);
    assert!(poll(&gate, second).is_ready());
}

#[test]
fn a_panic_gives_its_place_back() {
    // BH-2.
    let gate = Gate::new(1, 0);
    let call = catch_unwind(AssertUnwindSafe(|| {
        assert!(gate.try_enter());
        let _place = Place(&gate);
        panic!("before there is a future");
    }));
    assert!(call.is_err());
    assert_eq!(gate.running(), 0);
    assert!(gate.try_enter());
}

#[test]
fn a_panicking_waker_costs_no_place() {
    struct Broken;
    impl Wake for Broken {
        fn wake(self: Arc<Self>) {
            panic!("a broken waker");
        }
    }
    let gate = Gate::new(1, 2);
    assert!(gate.try_enter());
    let (first, second) = (queue(&gate), queue(&gate));
    assert!(gate.poll_turn(first, &Waker::from(Arc::new(Broken))).is_pending());
    gate.leave();
    gate.abandon(first);
    assert!(poll(&gate, second).is_ready());
    gate.leave();
    assert_eq!((gate.running(), gate.waiting()), (0, 0));
}

#[test]
fn neither_refusals_nor_dropped_waiters_raise_the_limit() {
    // BH-4.
    let gate = Gate::new(2, 0);
    assert!(gate.try_enter() && gate.try_enter());
    (0..50).for_each(|_| assert_eq!(enter(&gate), Joined::Full));
    gate.leave();
    gate.leave();
    let three = [enter(&gate), enter(&gate), enter(&gate)];
    assert_eq!(three, [Joined::Entered, Joined::Entered, Joined::Full]);

    let gate = Gate::new(2, 50);
    assert!(gate.try_enter() && gate.try_enter());
    let waiters: Vec<_> = (0..50).map(|_| queue(&gate)).collect();
    for id in &waiters {
        gate.abandon(*id);
    }
    gate.leave();
    gate.leave();
    assert!(gate.try_enter() && gate.try_enter() && !gate.try_enter());
}

#[test]
fn an_id_that_is_out_of_date_does_nothing() {
    let gate = Gate::new(1, 1);
    assert!(gate.try_enter());
    let gone = queue(&gate);
    gate.leave();
    assert!(poll(&gate, gone).is_ready());
    let waiter = queue(&gate);
    assert!(poll(&gate, gone).is_pending());
    gate.abandon(gone);
    assert_eq!((gate.running(), gate.waiting()), (1, 1));
    gate.leave();
    assert!(poll(&gate, waiter).is_ready());
}

#[test]
fn the_latest_waker_is_woken_and_no_other() {
    let gate = Gate::new(1, 1);
    let (old, new) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    assert!(gate.try_enter());
    let id = queue(&gate);
    let waker = Waker::from(Arc::clone(&old));
    assert!(gate.poll_turn(id, &waker).is_pending());
    assert_eq!(Arc::strong_count(&old), 3);
    assert!(gate.poll_turn(id, &waker).is_pending());
    assert_eq!(
        Arc::strong_count(&old),
        3,
        "the same waker is kept, not cloned again"
    );
    assert!(gate.poll_turn(id, &Waker::from(Arc::clone(&new))).is_pending());
    assert_eq!(Arc::strong_count(&old), 2);
    gate.leave();
    assert_eq!((old.rings(), new.rings()), (0, 1));
}

#[test]
fn a_waker_may_use_the_gate() {
    /// Makes somebody leave the queue when it is woken, and when it is dropped.
    struct Nosy(Arc<Gate>, WaiterId);
    impl Wake for Nosy {
        fn wake(self: Arc<Self>) {
            self.0.abandon(self.1);
        }
    }
    impl Drop for Nosy {
        fn drop(&mut self) {
            self.0.abandon(self.1);
        }
    }
    let gate = Arc::new(Gate::new(1, 3));
    assert!(gate.try_enter());
    let (first, second, third) = (queue(&gate), queue(&gate), queue(&gate));
    let nosy = Waker::from(Arc::new(Nosy(Arc::clone(&gate), second)));
    assert!(gate.poll_turn(first, &nosy).is_pending());
    drop(nosy);
    gate.leave();
    assert_eq!(
        (gate.running(), gate.waiting()),
        (1, 1),
        "the second was made to leave"
    );
    let nosy = Waker::from(Arc::new(Nosy(Arc::clone(&gate), first)));
    assert!(gate.poll_turn(third, &nosy).is_pending());
    drop(nosy);
    assert!(
        gate.poll_turn(third, Waker::noop()).is_pending(),
        "not before the first is gone"
    );
    assert!(
        poll(&gate, third).is_ready(),
        "replacing the waker dropped it, which made the first leave"
    );
}

#[test]
fn is_small_and_allocates_for_nobody_who_does_not_wait() {
    assert!(size_of::<Gate>() <= 64, "{}", size_of::<Gate>());
    let gate = Gate::new(1, 1);
    assert!(gate.try_enter());
    gate.leave();
    assert!(gate.try_enter());
    assert!(crate::sync::lock(&gate.queue).is_none());
    queue(&gate);
    assert_eq!(enter(&gate), Joined::Full);
    assert!(crate::sync::lock(&gate.queue).is_some());
}

#[test]
fn the_largest_limits_are_no_special_case() {
    let gate = Gate::new(1, u32::MAX);
    assert!(gate.try_enter());
    queue(&gate);
    queue(&gate);
    assert_eq!((gate.running(), gate.waiting()), (1, 2));
    let gate = Gate::new(u32::MAX, 0);
    assert!(gate.try_enter() && gate.try_enter());
    assert_eq!(gate.running(), 2);
}
