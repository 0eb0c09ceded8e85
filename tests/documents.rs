//! The documents show what the code does.

use std::fs;
use std::path::PathBuf;
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

/// All that the compiler said in the tests of what does not compile, by file.
fn said() -> Vec<(String, Vec<String>)> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ui"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "stderr") {
                let text = fs::read_to_string(&path).expect("a text");
                files.push((path.display().to_string(), lines(&text)));
            }
        }
    }
    assert!(files.len() > 20, "{files:#?}");
    files
}

/// The lines that are not empty, without what the compiler puts before a message or a note.
fn lines(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line = line.trim().trim_start_matches("= ");
        let line = match line.strip_prefix("error") {
            Some(rest) => rest.split_once(": ").map_or(line, |(_, message)| message),
            None => line,
        };
        line.trim_start_matches("evaluation panicked: ").to_owned()
    };
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

/// Whether `said` has these lines, in this order, each close to the one before it.
fn quotes(said: &[String], block: &[String]) -> bool {
    let Some((first, rest)) = block.split_first() else {
        return false;
    };
    (0..said.len())
        .filter(|start| said[*start] == *first)
        .any(|start| {
            // Between a message and its notes stands the code that it is about.
            let near: Vec<_> = said[start + 1..].iter().take(20).collect();
            let mut near = near.into_iter();
            rest.iter().all(|line| near.any(|said| said == line))
        })
}

fn quoted() -> Vec<Vec<String>> {
    let rules = read("docs/rules.md");
    let blocks = rules
        .split("```text")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    blocks.map(lines).collect()
}

#[test]
fn each_message_among_the_rules_is_one_that_a_test_saw() {
    let (said, quoted) = (said(), quoted());
    assert!(quoted.len() > 50, "{quoted:#?}");
    for block in quoted {
        let found = said.iter().any(|(_, said)| quotes(said, &block));
        assert!(found, "no test printed this: {block:#?}");
    }
}

#[test]
fn each_test_of_what_does_not_compile_has_its_rule() {
    // Where rustc speaks, there is nothing to quote.
    let rustcs = [
        "bounds/body.stderr",
        "bounds/functions.stderr",
        "derive/policy_type.stderr",
    ];
    let quoted = quoted();
    for (file, said) in said() {
        let known = rustcs.iter().any(|rustcs| file.ends_with(rustcs));
        let has_rule = quoted.iter().any(|block| quotes(&said, block));
        assert!(
            known != has_rule,
            "docs/rules.md quotes nothing of {file}, or now does"
        );
    }
}
