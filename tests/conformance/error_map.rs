//! Rows on hierarchies of error kinds: an `ErrorMap` says of each kind what it is.

use resil::{Class, Classification, ErrorMap, Policies, PolicyError, PolicyErrorKind};

use crate::given::at_once;
use crate::method::Method;

/// The kinds of the hierarchy rows, as flat as Rust has them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tag {
    X,
    E0,
    E0S,
    E1,
    E1S,
    E2,
    E2S,
    Rt,
    Err,
    Policy(PolicyErrorKind),
}

/// R(a2, on {E0, E2}, no {E1}): what is under E1 is never repeated.
struct ServiceA;

impl ErrorMap<Tag> for ServiceA {
    fn classify(error: &Tag) -> Classification {
        match error {
            Tag::E0 | Tag::E0S => Class::Transient.into(),
            _ => Class::Permanent.into(),
        }
    }

    fn policy(error: PolicyError) -> Tag {
        Tag::Policy(error.kind())
    }
}

/// R(a2, on {E1, E2}, no {E0}): all of those are under E0.
struct ServiceC;

impl ErrorMap<Tag> for ServiceC {
    fn classify(_error: &Tag) -> Classification {
        Class::Permanent.into()
    }

    fn policy(error: PolicyError) -> Tag {
        Tag::Policy(error.kind())
    }
}

async fn attempts_of<M: ErrorMap<Tag>>(tag: Tag) -> u32 {
    let mut calls = 0;
    let method = Method::read(Policies::new().retry(at_once(2)));
    let answer: Result<(), Tag> = method
        .call_as::<M, _>(|| {
            calls += 1;
            async move { Err(tag) }
        })
        .await;
    assert_eq!(answer, Err(tag));
    calls
}

#[tokio::test(start_paused = true)]
async fn an_error_map_says_which_kinds_are_repeated() {
    let rows = [
        (Tag::X, 1),
        (Tag::E0, 2),
        (Tag::E0S, 2),
        (Tag::E1, 1),
        (Tag::E1S, 1),
        (Tag::E2, 1),
        (Tag::E2S, 1),
        (Tag::Rt, 1),
        (Tag::Err, 1),
    ];
    for (tag, calls) in rows {
        // 21: RetryExceptionHierarchyTest.serviceA* (9)
        assert_eq!(attempts_of::<ServiceA>(tag).await, calls, "row 21, {tag:?}");
        // 22: RetryExceptionHierarchyTest.serviceC* (9)
        assert_eq!(attempts_of::<ServiceC>(tag).await, 1, "row 22, {tag:?}");
    }
}
