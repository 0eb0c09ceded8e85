//! Every interleaving of a few threads.

use loom::sync::Arc;
use loom::thread;

use super::Budget;
use crate::policy::retry::Retry;
use crate::time::Moment;

const RETRY: Retry = Retry::attempts(2).budget(1.0).budget_min_per_s(0);

#[test]
fn what_one_call_earned_is_spent_once() {
    loom::model(|| {
        let budget = Arc::new(Budget::new(Moment::at_ms(0)));
        budget.count_call();
        let other = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || {
                let granted = budget.withdraw(&RETRY, Moment::at_ms(500));
                budget.tick(|| Moment::at_ms(2000));
                granted
            })
        };
        budget.tick(|| Moment::at_ms(1000));
        let mine = budget.withdraw(&RETRY, Moment::at_ms(1500));
        let theirs = other.join().expect("no assertion failed");
        assert!(mine ^ theirs);
        assert_eq!(budget.refused(), 1);
    });
}
