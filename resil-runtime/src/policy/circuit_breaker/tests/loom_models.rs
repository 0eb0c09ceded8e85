//! Every interleaving of two threads.

use ::loom::sync::Arc;
use ::loom::thread;

use super::*;

fn rules(policy: CircuitBreaker) -> Rules {
    policy.check().expect("the options agree");
    policy.rules()
}

/// Opens at the first failure, for a second.
fn fragile() -> CircuitBreaker {
    CircuitBreaker::new().failure_threshold(1).reset_after(ms(1_000))
}

fn admit(breaker: &Breaker, rules: &Rules, at_ms: u64) -> Option<Admission> {
    breaker.admit(Some(rules), Moment::at_ms(at_ms)).ok()
}

fn fail(breaker: &Breaker, rules: &Rules, admission: Admission, at_ms: u64) {
    breaker.failure(Some(rules), admission, Failure::default(), Moment::at_ms(at_ms));
}

/// `breaker` on which `other` runs beside what the caller does.
fn beside(breaker: &Arc<Breaker>, other: impl FnOnce(&Breaker) + 'static) -> thread::JoinHandle<()> {
    let breaker = Arc::clone(breaker);
    thread::spawn(move || other(&breaker))
}

#[test]
fn places_never_exceed_the_limit() {
    ::loom::model(|| {
        let rules = rules(fragile());
        let breaker = Arc::new(Breaker::new(&NAMES));
        let first = admit(&breaker, &rules, 0).expect("closed");
        fail(&breaker, &rules, first, 0);
        let running = Arc::new(::loom::sync::atomic::AtomicUsize::new(0));
        let probe = {
            let running = Arc::clone(&running);
            move |breaker: &Breaker| {
                if let Some(probe) = admit(breaker, &rules, 1_000) {
                    let before = running.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    assert_eq!(before, 0, "one place");
                    running.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    breaker.cancel(probe);
                }
            }
        };
        let other = beside(&breaker, probe.clone());
        probe(&breaker);
        other.join().expect("it does not panic");
        assert_eq!(breaker.state(), CircuitState::HalfOpen);
        assert!(admit(&breaker, &rules, 1_000).is_some(), "the place came back");
        assert!(admit(&breaker, &rules, 1_000).is_none());
    });
}

#[test]
fn one_opening_for_each_epoch() {
    ::loom::model(|| {
        let rules = rules(fragile());
        let breaker = Arc::new(Breaker::new(&NAMES));
        let mine = admit(&breaker, &rules, 0).expect("closed");
        let theirs = admit(&breaker, &rules, 0).expect("closed");
        let other = beside(&breaker, move |breaker| fail(breaker, &rules, theirs, 0));
        fail(&breaker, &rules, mine, 0);
        other.join().expect("it does not panic");
        let status = breaker.status();
        assert_eq!((status.state, status.opened), (CircuitState::Open, 1));
    });
}

/// Two failures that together reach the threshold: whoever is second opens it.
#[test]
fn no_failure_is_lost() {
    ::loom::model(|| {
        let rules = rules(fragile().failure_threshold(2));
        let breaker = Arc::new(Breaker::new(&NAMES));
        let mine = admit(&breaker, &rules, 0).expect("closed");
        let theirs = admit(&breaker, &rules, 0).expect("closed");
        let other = beside(&breaker, move |breaker| fail(breaker, &rules, theirs, 0));
        fail(&breaker, &rules, mine, 0);
        other.join().expect("it does not panic");
        assert_eq!(breaker.status().opened, 1);
    });
}

/// A success and a failure that fill a window of two: whoever is second opens it.
#[test]
fn a_success_and_a_failure_are_both_counted() {
    ::loom::model(|| {
        let rules = rules(CircuitBreaker::new().failure_rate(0.5).window(2).min_calls(2));
        let breaker = Arc::new(Breaker::new(&NAMES));
        let mine = admit(&breaker, &rules, 0).expect("closed");
        let theirs = admit(&breaker, &rules, 0).expect("closed");
        let other = beside(&breaker, move |breaker| {
            breaker.success(Some(&rules), theirs, false, || Moment::at_ms(0));
        });
        fail(&breaker, &rules, mine, 0);
        other.join().expect("it does not panic");
        assert_eq!(breaker.status().opened, 1);
    });
}

fn a_stale_outcome_leaves_no_trace(
    rules: Rules,
    preemptions: Option<usize>,
    late: impl Fn(&Breaker, &Rules, Admission) + Clone + Send + Sync + 'static,
) {
    let mut model = ::loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let breaker = Arc::new(Breaker::new(&NAMES));
        let (before, stale) = (
            admit(&breaker, &rules, 0).expect("closed"),
            admit(&breaker, &rules, 0).expect("closed"),
        );
        // Something to be emptied, and whatever is made on first use.
        fail(&breaker, &rules, before, 0);
        let late = late.clone();
        let other = beside(&breaker, move |breaker| late(breaker, &rules, stale));
        breaker.reset(Moment::at_ms(0));
        let fresh = admit(&breaker, &rules, 0).expect("closed");
        fail(&breaker, &rules, fresh, 0);
        other.join().expect("it does not panic");
        assert_eq!(breaker.state(), CircuitState::Closed, "one call is too few");
        assert_eq!(breaker.status().failures, 1);
        let fresh = admit(&breaker, &rules, 0).expect("closed");
        fail(&breaker, &rules, fresh, 0);
        assert_eq!(breaker.state(), CircuitState::Open, "two are enough");
    });
}

fn two_of_all(policy: CircuitBreaker) -> Rules {
    rules(policy.failure_rate(0.9).min_calls(2))
}

fn succeed(breaker: &Breaker, rules: &Rules, admission: Admission) {
    breaker.success(Some(rules), admission, false, || Moment::at_ms(0));
}

#[test]
fn a_stale_success_leaves_no_trace_in_a_register() {
    a_stale_outcome_leaves_no_trace(two_of_all(CircuitBreaker::new().window(4)), None, succeed);
}

/// It has too many counters for every interleaving: a thread is overtaken at most three times.
#[test]
fn a_stale_success_leaves_no_trace_in_a_window_of_time() {
    a_stale_outcome_leaves_no_trace(
        two_of_all(CircuitBreaker::new().window_time(ms(1_000))),
        Some(3),
        succeed,
    );
}

#[test]
fn a_stale_success_leaves_no_trace_in_a_ring() {
    a_stale_outcome_leaves_no_trace(two_of_all(CircuitBreaker::new().window(40)), None, succeed);
}

/// Before the reset it is the second failure, and opens the circuit; after it, it is nothing.
#[test]
fn a_stale_failure_leaves_no_trace() {
    a_stale_outcome_leaves_no_trace(
        two_of_all(CircuitBreaker::new().window(4)),
        None,
        |breaker, rules, admission| fail(breaker, rules, admission, 0),
    );
}

/// The call that comes when the place is overdue, and the probe that ends just then: its success counts, or its place is
/// lost, never both.
#[test]
fn a_place_is_taken_over_or_kept() {
    ::loom::model(|| {
        let rules = rules(fragile().half_open_max(ms(10)).success_threshold(2));
        let breaker = Arc::new(Breaker::new(&NAMES));
        let first = admit(&breaker, &rules, 0).expect("closed");
        fail(&breaker, &rules, first, 0);
        let probe = admit(&breaker, &rules, 1_000).expect("the probe");
        let other = beside(&breaker, move |breaker| succeed(breaker, &rules, probe));
        let second = admit(&breaker, &rules, 1_010).expect("its place, or a free one");
        assert!(breaker.holds(&second));
        other.join().expect("it does not panic");
        assert!(!breaker.holds(&probe));
        assert!(admit(&breaker, &rules, 1_011).is_none(), "one place");
        succeed(&breaker, &rules, second);
        assert_ne!(breaker.state(), CircuitState::Open);
    });
}
