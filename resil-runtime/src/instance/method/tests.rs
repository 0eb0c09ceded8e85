use std::time::Duration;

use super::MethodState;
use crate::policy::bulkhead::Joined;
use crate::time::Moment;
use crate::{
    AdapterSpec, Bulkhead, Deadline, Instance, Kind, MethodSpec, Overrides, Policies, RateLimit, Scope,
};

static BARE: AdapterSpec = AdapterSpec::new("billing", "Sms", "HttpSms", Kind::External).own();
static SEND: MethodSpec = MethodSpec::new(&BARE, "send");
static FIND: MethodSpec = MethodSpec::new(&BARE, "find");
static SLOW: MethodSpec =
    MethodSpec::new(&BARE, "slow").overrides(Overrides::new().rate_limit(RateLimit::new(1)));
static FREE: MethodSpec = MethodSpec::new(&BARE, "free").overrides(Overrides::new().rate_limit_off());

const NOW: Moment = Moment::at_ms(0);

/// How many may start at once.
fn starts(method: &MethodState) -> usize {
    let (limiter, rate) = method.limiter().expect("it has a rate limit");
    let started = |_: &i32| limiter.admit(rate, Duration::ZERO, NOW).is_ok();
    (0..100).take_while(started).count()
}

fn bound(limit: RateLimit) -> Instance {
    Instance::bound(&BARE, Policies::new().rate_limit(limit)).expect("the numbers are within their limits")
}

#[test]
fn each_method_of_each_instance_has_its_own_rate_limit() {
    for _ in 0..2 {
        let instance = bound(RateLimit::new(3));
        let (send, find, slow) = (
            instance.method(&SEND),
            instance.method(&FIND),
            instance.method(&SLOW),
        );
        assert_eq!([starts(&send), starts(&find), starts(&slow)], [3, 3, 1]);
        assert!(instance.method(&FREE).limiter().is_none());
    }
    assert!(Instance::new(&BARE).method(&SEND).limiter().is_none());
}

#[test]
fn the_methods_of_one_instance_can_share_a_rate_limit_that_none_of_them_changes() {
    for _ in 0..2 {
        let instance = bound(RateLimit::new(3).scope(Scope::Instance));
        let (send, slow) = (instance.method(&SEND), instance.method(&SLOW));
        assert_eq!([starts(&slow), starts(&send)], [3, 0]);
        assert!(instance.method(&FREE).limiter().is_none());
    }
}

#[test]
fn a_method_alone_can_have_one_for_itself() {
    let instance = Instance::new(&BARE);
    assert_eq!(starts(&instance.method(&SLOW)), 1);
}

#[test]
fn a_queue_that_only_a_deadline_bounds_lets_callers_wait() {
    let queue = Bulkhead::new(1).max_queued(1);
    let policies = Policies::new()
        .bulkhead(queue)
        .deadline(Deadline::new(Duration::from_secs(1)));
    let bounded = Instance::bound(&BARE, policies).expect("the deadline bounds it");
    let method = bounded.method(&SEND);
    let gate = method.gate().expect("it has a bulkhead");
    assert!(gate.try_enter());
    assert!(matches!(gate.join(), Joined::Queued(_)));
}

#[test]
fn is_small() {
    assert!(size_of::<MethodState>() <= 256, "{}", size_of::<MethodState>());
}
