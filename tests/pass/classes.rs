//! What the derive says of each value.
#![deny(warnings)]

use std::time::Duration;

use resil::{Class, Classify, PolicyError, PolicyErrorKind};

#[derive(Classify)]
enum Inner {
    #[class(transient, not_sent, code = "connect")]
    Connect,
    #[class(permanent)]
    BadRequest { _status: u16 },
}

#[derive(Classify)]
#[class(transient, retry_after = wait)]
struct Busy {
    wait: Duration,
}

#[derive(Classify)]
enum Outer<E> {
    #[class(refusal)]
    NumberRefused,
    #[class(inherit)]
    Unreachable(Inner),
    #[class(inherit = source, code = "other")]
    Generic { source: Box<E>, _about: &'static str },
    #[class(transient, retry_after = 1)]
    Throttled((), Option<Duration>),
    #[class(policy)]
    Policy(PolicyError),
}

#[derive(Classify)]
enum Never {}

fn main() {
    let said = |outer: Outer<Busy>| {
        let class = outer.classify();
        let code = class.get_code().map(ToString::to_string);
        (class.class(), code.unwrap_or_default(), class.get_retry_after(), class.is_not_sent())
    };
    let two = Duration::from_secs(2);
    assert_eq!(said(Outer::NumberRefused), (Class::Refusal, "number_refused".into(), None, false));
    assert_eq!(
        said(Outer::Unreachable(Inner::Connect)),
        (Class::Transient, "unreachable.connect".into(), None, true)
    );
    assert_eq!(
        said(Outer::Unreachable(Inner::BadRequest { _status: 400 })),
        (Class::Permanent, "unreachable.bad_request".into(), None, false)
    );
    assert_eq!(
        said(Outer::Generic { source: Box::new(Busy { wait: two }), _about: "" }),
        (Class::Transient, "other.busy".into(), Some(two), false)
    );
    assert_eq!(said(Outer::Throttled((), Some(two))), (Class::Transient, "throttled".into(), Some(two), false));
    assert_eq!(said(Outer::Throttled((), None)), (Class::Transient, "throttled".into(), None, false));

    let open = PolicyError::new(PolicyErrorKind::CircuitOpen);
    assert_eq!(Outer::<Never>::Policy(open.clone()).classify(), open.classify());
}
