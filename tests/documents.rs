//! The documents show what the code does.

use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/").to_owned() + path).expect(path)
}

#[test]
fn the_expansion_in_the_guide_is_the_one_of_the_snapshot() {
    let snapshot = read("resil-macros/src/tests/snapshots/flagship.snap");
    let (_, body) = snapshot.split_once("rs\n---\n").expect("a header");
    let (written, expanded) = body.split_once("// ---- becomes ----").expect("both sides");
    let guide = read("docs/generated.md");
    let blocks: Vec<_> = guide
        .split("```rust,ignore")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let [shown_written, shown_expanded] = blocks[..] else {
        panic!("two blocks of code")
    };
    assert_eq!(shown_written.trim(), written.trim());
    assert_eq!(shown_expanded.trim(), expanded.trim());
}
