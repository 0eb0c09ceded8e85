//! The two copies of the table of options.

#[test]
fn the_macros_and_the_runtime_have_the_same_options() {
    let macros = include_str!("../resil-macros/src/options.rs");
    let runtime = include_str!("../resil-runtime/src/options.rs");
    assert!(
        macros == runtime,
        "the tables differ: copy the one that was changed over the other, `cp resil-runtime/src/options.rs resil-macros/src/`"
    );
}
