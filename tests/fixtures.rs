//! Crates that need a manifest of their own: other editions, other names for resil, ports of another crate.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[test]
fn crates_of_users_compile_and_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixtures = root.join("tests/fixtures");
    // The same versions as here, so that nothing else has to be fetched.
    let lock = root.join("Cargo.lock");
    if lock.exists() {
        fs::copy(lock, fixtures.join("Cargo.lock")).expect("the lock file can be copied");
    }
    let cargo = env::var_os("CARGO").expect("tests are run by cargo");
    let output = Command::new(cargo)
        .args(["test", "--workspace", "--manifest-path"])
        .arg(fixtures.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures"))
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let passed = said.lines().filter(|line| line.ends_with("... ok")).count();
    assert_eq!(passed, 5, "{said}");
}
