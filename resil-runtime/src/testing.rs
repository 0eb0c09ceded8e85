//! For tests of what is built on this crate.

/// Makes the waits of retries on this thread, and the identities of its calls, follow from `seed`.
///
/// Time in tests is tokio's paused clock; this makes what is left to chance repeatable too. Each thread draws its own numbers,
/// so a test on a current-thread runtime draws the same ones each time.
///
/// ```
/// resil_runtime::testing::seed(7);
/// ```
pub fn seed(seed: u64) {
    fastrand::seed(seed);
    crate::CallId::follow_seed();
}
