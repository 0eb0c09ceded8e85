//! Inputs that nobody writes: sound ones with tokens deleted, doubled, swapped, replaced, wrapped and mixed, and random ones. Whatever
//! comes in, the laws in `laws` hold.
//!
//! The same cases each time. More of them: `PROPTEST_CASES=100000`, other ones: `PROPTEST_RNG_SEED=7`.

mod change;
mod laws;
mod seeds;
mod tree;

use std::env;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use self::change::{changed, random, sound};
use self::laws::{Outcome, attribute, derive};
use self::seeds::{IMPL_TEXTS, IMPLS, TYPE_TEXTS, TYPES};
use self::tree::{Input, tokens};

fn holds(cases: u32, inputs: impl Strategy<Value = Input>, law: fn(&Input) -> Outcome) {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let outcome = TestRunner::new(config).run(&inputs, |input| {
        // The places of earlier cases would pile up.
        proc_macro2::extra::invalidate_current_thread_spans();
        law(&input).map_err(TestCaseError::fail)
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn impls_with_changes() {
    holds(1_500, changed(IMPLS, IMPL_TEXTS), attribute);
}

#[test]
fn impls_of_random_tokens() {
    holds(1_500, random(IMPL_TEXTS, "impl Port for Http"), attribute);
}

#[test]
fn types_with_changes() {
    holds(2_000, changed(TYPES, TYPE_TEXTS), derive);
}

#[test]
fn types_of_random_tokens() {
    holds(2_000, random(TYPE_TEXTS, "enum Failed"), derive);
}

#[test]
fn what_the_changes_begin_with_is_sound() {
    for (args, item) in IMPLS {
        let (args, item) = tokens(&sound(args, item).args, &sound(args, item).item).expect("Rust");
        assert_eq!(super::messages(crate::adapter::adapter(args, item)), [""; 0]);
    }
    for (_, item) in TYPES {
        let (_, item) = tokens(&[], &sound("", item).item).expect("Rust");
        assert_eq!(super::messages(crate::classify::classify(item)), [""; 0]);
    }
}
