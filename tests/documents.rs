//! The documents show what the code does.

use std::fs;
use std::time::Duration;

use resil::{Kind, Policies, Retry, Timeout};

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

#[test]
fn the_defaults_that_wrappers_document_are_those_of_the_kinds() {
    let snapshot = read("resil-macros/src/tests/snapshots/nothing_to_clone_at_run_time.snap");
    let shown = "| `put` | the default of `external`: `retry(attempts = 3)`, `timeout(ms = 2000)` |";
    assert!(snapshot.contains(shown), "{snapshot}");
    let leaving = Policies::new()
        .retry(Retry::attempts(3))
        .timeout(Timeout::new(Duration::from_secs(2)));
    for (kind, default) in [
        (Kind::External, leaving),
        (Kind::Gateway, leaving),
        (Kind::Repository, Policies::new()),
    ] {
        assert_eq!(kind.default_policies(), default, "{kind}");
    }
}
