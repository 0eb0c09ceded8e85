//! The gate beside the plainest thing that keeps the same promises, under any order of steps.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use proptest::prelude::*;

use super::tests::Bell;
use super::{Gate, Joined};
use crate::policy::bulkhead::WaiterId;

#[derive(Clone, Copy, Debug)]
enum Step {
    Enter,
    Join,
    Leave,
    /// Of one of those who joined, by position.
    Poll(usize),
    Abandon(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Enter),
        4 => Just(Step::Join),
        4 => Just(Step::Leave),
        4 => any::<usize>().prop_map(Step::Poll),
        2 => any::<usize>().prop_map(Step::Abandon),
    ]
}

struct Waiter {
    id: WaiterId,
    bell: Arc<Bell>,
    polled: bool,
}

/// Places that are held, those granted but not yet polled for, and who waits.
struct Model {
    max_concurrent: usize,
    max_queued: usize,
    held: usize,
    granted: Vec<Waiter>,
    waiting: VecDeque<Waiter>,
}

impl Model {
    fn running(&self) -> usize {
        self.held + self.granted.len()
    }

    fn has_room(&self) -> bool {
        self.running() < self.max_concurrent && self.waiting.is_empty()
    }

    fn give_on(&mut self) {
        if let Some(first) = self.waiting.pop_front() {
            self.granted.push(first);
        }
    }
}

fn check(gate: &Gate, model: &Model) {
    assert_eq!(gate.running() as usize, model.running());
    assert_eq!(gate.waiting() as usize, model.waiting.len());
    assert!(model.running() <= model.max_concurrent);
    for waiter in &model.waiting {
        assert_eq!(waiter.bell.rings(), 0, "woken before its turn");
    }
    for waiter in &model.granted {
        assert_eq!(
            waiter.bell.rings(),
            u32::from(waiter.polled),
            "woken once, if it could be"
        );
    }
}

fn take(gate: &Gate, model: &mut Model, step: Step) {
    match step {
        Step::Enter => {
            let enters = model.has_room();
            assert_eq!(gate.try_enter(), enters);
            model.held += usize::from(enters);
        }
        Step::Join => match gate.join() {
            Joined::Entered => {
                assert!(model.has_room());
                model.held += 1;
            }
            Joined::Queued(id) => {
                assert!(!model.has_room() && model.waiting.len() < model.max_queued);
                model.waiting.push_back(Waiter {
                    id,
                    bell: Arc::default(),
                    polled: false,
                });
            }
            Joined::Full => assert!(!model.has_room() && model.waiting.len() >= model.max_queued),
        },
        Step::Leave if model.held > 0 => {
            gate.leave();
            model.held -= 1;
            model.give_on();
        }
        Step::Leave => {}
        Step::Poll(which) => {
            let all = model.granted.len() + model.waiting.len();
            let Some(which) = which.checked_rem(all) else {
                return;
            };
            if which < model.granted.len() {
                let waiter = model.granted.remove(which);
                assert!(gate.poll_turn(waiter.id, Waker::noop()).is_ready());
                model.held += 1;
            } else {
                let waiter = &mut model.waiting[which - model.granted.len()];
                let waker = Waker::from(Arc::clone(&waiter.bell));
                assert!(gate.poll_turn(waiter.id, &waker).is_pending());
                waiter.polled = true;
            }
        }
        Step::Abandon(which) => {
            let all = model.granted.len() + model.waiting.len();
            let Some(which) = which.checked_rem(all) else {
                return;
            };
            if which < model.granted.len() {
                let waiter = model.granted.remove(which);
                gate.abandon(waiter.id);
                model.give_on();
            } else if let Some(waiter) = model.waiting.remove(which - model.granted.len()) {
                gate.abandon(waiter.id);
                assert_eq!(waiter.bell.rings(), 0);
            }
        }
    }
}

proptest! {
    #[test]
    fn agrees_with_the_model_and_loses_no_place(
        max_concurrent in 1_u32..4,
        max_queued in 0_u32..4,
        steps in prop::collection::vec(step(), 0..200),
    ) {
        let gate = Gate::new(max_concurrent, max_queued);
        let mut model = Model {
            max_concurrent: max_concurrent as usize,
            max_queued: max_queued as usize,
            held: 0,
            granted: Vec::new(),
            waiting: VecDeque::new(),
        };
        for step in steps {
            take(&gate, &mut model, step);
            check(&gate, &model);
        }
        while model.running() > 0 {
            take(&gate, &mut model, Step::Poll(0));
            take(&gate, &mut model, Step::Leave);
            check(&gate, &model);
        }
        prop_assert!(model.waiting.is_empty());
        for _ in 0..max_concurrent {
            prop_assert!(gate.try_enter());
        }
        prop_assert!(!gate.try_enter());
    }
}
