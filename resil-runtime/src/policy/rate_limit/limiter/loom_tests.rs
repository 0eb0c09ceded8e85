//! Every interleaving of a few threads.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;

use super::{Limiter, Rate};
use crate::policy::rate_limit::RateLimit;
use crate::time::Moment;

const NOW: Moment = Moment::at_ms(0);

fn rate(burst: u32) -> Rate {
    RateLimit::new(10).burst(burst).rate()
}

fn starts_at_once(limiter: &Limiter, rate: Rate) -> bool {
    limiter.admit(rate, Duration::ZERO, NOW).is_ok()
}

#[test]
fn a_permit_is_given_once() {
    loom::model(|| {
        let limiter = Arc::new(Limiter::new());
        let others: Vec<_> = (0..2)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                thread::spawn(move || starts_at_once(&limiter, rate(2)))
            })
            .collect();
        let mine = starts_at_once(&limiter, rate(2));
        let theirs = others
            .into_iter()
            .map(|other| other.join().expect("no assertion failed"));
        let started = theirs.chain([mine]).filter(|started| *started).count();
        assert_eq!(started, 2);
    });
}

#[test]
fn a_turn_that_is_given_back_is_never_given_to_two() {
    loom::model(|| {
        let limiter = Arc::new(Limiter::new());
        let second = Duration::from_secs(1);
        assert!(starts_at_once(&limiter, rate(1)));
        let turn = limiter.admit(rate(1), second, NOW).expect("it may wait");
        let other = {
            let limiter = Arc::clone(&limiter);
            thread::spawn(move || limiter.admit(rate(1), second, NOW).expect("it may wait").at())
        };
        limiter.give_back(turn);
        let mine = limiter.admit(rate(1), second, NOW).expect("it may wait").at();
        let theirs = other.join().expect("no assertion failed");
        assert_ne!(mine, theirs);
        assert!(mine >= Moment::at_ms(100) && theirs >= Moment::at_ms(100));
    });
}
