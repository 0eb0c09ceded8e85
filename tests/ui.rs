//! What does not compile, with what is said of it; and what does.
//!
//! After a change of messages: `TRYBUILD=overwrite cargo test --test ui`, then read the difference.

#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

#[test]
fn taken() {
    trybuild::TestCases::new().pass("tests/pass/*.rs");
}
