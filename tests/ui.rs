//! What does not compile, with what is said of it; and what does.
//!
//! After a change of messages: `TRYBUILD=overwrite cargo test --test ui`, then read the difference.

use std::env;
use std::process::Command;

#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

#[test]
fn taken() {
    trybuild::TestCases::new().pass("tests/pass/*.rs");
}

/// The compiler must have the variable, and a test cannot change its own environment: it runs itself in another one.
#[test]
fn layers_named_by_the_environment() {
    let (name, value) = ("RESIL_FORBIDDEN_LAYERS", "usecases, rules");
    if env::var(name).is_ok_and(|given| given == value) {
        trybuild::TestCases::new().compile_fail("tests/ui/layers/named/*.rs");
        return;
    }
    let this = env::current_exe().expect("the test has a file");
    let test = ["--exact", "layers_named_by_the_environment", "--nocapture"];
    let status = Command::new(this).args(test).env(name, value).status();
    assert!(status.expect("the test runs").success());
}
