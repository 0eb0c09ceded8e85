use std::time::Duration;

use super::Policies;
use crate::policy::Overrides;
use crate::policy::cached::Cached;
use crate::policy::hedge::Hedge;
use crate::{Bulkhead, CircuitBreaker, Deadline, Mode, RateLimit, Retry, Scope, Timeout};

const MS: Duration = Duration::from_millis(1);
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

fn all() -> Policies {
    Policies::new()
        .timeout(Timeout::new(10 * MS))
        .circuit_breaker(CircuitBreaker::new())
        .bulkhead(Bulkhead::new(4))
        .rate_limit(RateLimit::new(5))
        .deadline(Deadline::new(10 * MS))
        .hedge(Hedge::new(MS))
        .cached(Cached::new(MS))
        .fallback()
}

fn said(policies: &Policies) -> String {
    policies
        .check()
        .map_or_else(|error| error.to_string(), |()| String::new())
}

#[test]
fn numbers_at_their_limits_are_taken() {
    let policies = Policies::new()
        .rate_limit(
            RateLimit::new(1_000_000)
                .per(TEN_YEARS)
                .burst(1_000_000)
                .max_wait(TEN_YEARS),
        )
        .deadline(Deadline::new(TEN_YEARS))
        .hedge(Hedge::new(Duration::ZERO).max(1_000_000))
        .cached(
            Cached::new(TEN_YEARS)
                .capacity(1_000_000)
                .stale_if_error(TEN_YEARS),
        );
    assert_eq!(said(&policies), "");
    assert_eq!(said(&all()), "");
}

#[test]
fn a_number_outside_its_limits_is_named() {
    let none = Policies::new();
    let rate = |limit| none.rate_limit(limit);
    let over = TEN_YEARS + MS;
    let cases = [
        (rate(RateLimit::new(0)), "`permits` of `rate_limit`"),
        (rate(RateLimit::new(1_000_001)), "`permits` of `rate_limit`"),
        (
            rate(RateLimit::new(1).per(Duration::ZERO)),
            "`per_ms` of `rate_limit`",
        ),
        (rate(RateLimit::new(1).per(over)), "`per_ms` of `rate_limit`"),
        (rate(RateLimit::new(1).burst(0)), "`burst` of `rate_limit`"),
        (
            rate(RateLimit::new(1).max_wait(over)),
            "`max_wait_ms` of `rate_limit`",
        ),
        (none.deadline(Deadline::new(Duration::ZERO)), "`ms` of `deadline`"),
        (none.hedge(Hedge::new(over)), "`after_ms` of `hedge`"),
        (none.hedge(Hedge::new(MS).max(0)), "`max` of `hedge`"),
        (none.cached(Cached::new(Duration::ZERO)), "`ttl_ms` of `cached`"),
        (none.cached(Cached::new(MS).capacity(0)), "`capacity` of `cached`"),
        (
            none.cached(Cached::new(MS).stale_if_error(over)),
            "`stale_if_error_ms` of `cached`",
        ),
    ];
    for (policies, named) in cases {
        let said = said(&policies);
        assert!(said.starts_with(&format!("{named} must be ")), "{named}: {said}");
    }
}

#[test]
fn a_timeout_may_be_as_long_as_the_deadline_but_no_longer() {
    let timeout = Policies::new().timeout(Timeout::new(10 * MS));
    assert_eq!(said(&timeout.deadline(Deadline::new(10 * MS))), "");
    assert_eq!(
        said(&timeout.deadline(Deadline::new(9 * MS))),
        "`timeout`: `ms` of 10ms is over the deadline's 9ms, so no attempt could use it up"
    );
}

#[test]
fn a_queue_needs_a_bound_on_the_wait_or_a_deadline_that_is_enforced() {
    let queue = Policies::new().bulkhead(Bulkhead::new(1).max_queued(1));
    let deadline = Deadline::new(MS);
    assert!(said(&queue).starts_with("`bulkhead`: a queue needs `max_wait_ms`, or a deadline"));
    assert_eq!(said(&queue.deadline(deadline)), "");
    assert_ne!(said(&queue.deadline(deadline.mode(Mode::Observe))), "");
    let bounded = Bulkhead::new(1).max_queued(1).max_wait(Duration::ZERO);
    assert_eq!(said(&queue.bulkhead(bounded)), "");
    assert_eq!(said(&queue.bulkhead(Bulkhead::new(1))), "");
}

#[test]
fn a_hedge_stands_beside_everything_but_a_retry() {
    assert!(said(&all().retry(Retry::attempts(2))).starts_with("`hedge`: not beside `retry`"));
}

#[test]
fn each_setting_alone_states_a_policy_and_off_states_none() {
    let none = Overrides::new();
    let stated = [
        none.timeout(Timeout::new(MS)),
        none.retry(Retry::attempts(2)),
        none.circuit_breaker(CircuitBreaker::new()),
        none.bulkhead(Bulkhead::new(1)),
        none.rate_limit(RateLimit::new(1)),
        none.deadline(Deadline::new(MS)),
        none.hedge(Hedge::new(MS)),
        none.cached(Cached::new(MS)),
        none.fallback(),
    ];
    for overrides in stated {
        assert!(overrides.state_any(), "{overrides:?}");
    }
    let off = all_off();
    assert!(!off.state_any() && !none.state_any());
}

const fn all_off() -> Overrides {
    Overrides::new()
        .timeout_off()
        .retry_off()
        .circuit_breaker_off()
        .bulkhead_off()
        .rate_limit_off()
        .deadline_off()
        .hedge_off()
        .cached_off()
        .fallback_off()
}

#[test]
fn a_method_inherits_what_it_says_nothing_of_and_switches_off_what_it_names() {
    assert_eq!(Overrides::new().over(&all()), all());
    assert_eq!(all_off().over(&all()), Policies::new());
}

#[test]
fn what_a_method_states_is_as_if_the_base_had_it() {
    let overrides = Overrides::new()
        .timeout(Timeout::new(10 * MS))
        .circuit_breaker(CircuitBreaker::new())
        .bulkhead(Bulkhead::new(4))
        .rate_limit(RateLimit::new(5))
        .deadline(Deadline::new(10 * MS))
        .hedge(Hedge::new(MS))
        .cached(Cached::new(MS))
        .fallback();
    assert_eq!(overrides.over(&Policies::new()), all());
    let base = all()
        .rate_limit(RateLimit::new(7).scope(Scope::Method))
        .deadline(Deadline::new(MS))
        .hedge(Hedge::new(2 * MS))
        .cached(Cached::new(2 * MS));
    assert_eq!(overrides.over(&base), all());
}

#[test]
fn a_method_cannot_change_what_the_whole_instance_shares_but_can_leave_it() {
    let base = Policies::new()
        .rate_limit(RateLimit::new(5).scope(Scope::Instance))
        .bulkhead(Bulkhead::new(4).scope(Scope::Instance))
        .circuit_breaker(CircuitBreaker::new().scope(Scope::Instance));
    let own = Overrides::new()
        .rate_limit(RateLimit::new(1))
        .bulkhead(Bulkhead::new(1))
        .circuit_breaker(CircuitBreaker::new());
    assert_eq!(own.over(&base), base);
    assert_eq!(all_off().over(&base), Policies::new());
}

#[test]
fn of_retry_and_hedge_the_one_that_is_stated_nearer_holds() {
    let (retry, hedge) = (Retry::attempts(2), Hedge::new(MS));
    let repeated = Policies::new().retry(retry);
    let hedged = Policies::new().hedge(hedge);
    assert_eq!(Overrides::new().hedge(hedge).over(&repeated), hedged);
    assert_eq!(Overrides::new().retry(retry).over(&hedged), repeated);
    assert_eq!(Overrides::new().hedge_off().over(&hedged), Policies::new());
}

#[test]
fn a_slow_call_ends_before_its_timeout() {
    let ms = Duration::from_millis;
    let with = |slow, timeout: Timeout| {
        let breaker = CircuitBreaker::new().slow(ms(slow));
        Policies::new().circuit_breaker(breaker).timeout(timeout).check()
    };
    assert!(with(99, Timeout::new(ms(100))).is_ok());
    assert!(with(100, Timeout::new(ms(100)).mode(Mode::Observe)).is_ok());
    let error = with(100, Timeout::new(ms(100))).expect_err("not below");
    assert_eq!(
        error.to_string(),
        "`circuit_breaker`: `slow_ms` is not below the `timeout`, so no call that answers is ever slow"
    );
}
