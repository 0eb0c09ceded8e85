//! Numbers that contradict, each beside a legal neighbour.

use super::{adapter, messages};

fn of(policy: &str) -> Vec<String> {
    messages(adapter(&format!(
        "#[adapter(kind = \"external\", timeout(ms = 5000), {policy})]
        impl Port for Http {{ async fn get(&self) -> Result<u8, Failed> {{ todo!() }} }}"
    )))
}

fn refuses(policy: &str, wanted: &str) {
    let said = of(policy);
    assert_eq!(said.len(), 1, "{policy}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{policy}: {}", said[0]);
    assert!(said[0].contains("\n\nhelp: "), "{policy}: {}", said[0]);
}

fn takes(policy: &str) {
    let said = of(policy);
    assert!(said.is_empty(), "{policy}: {said:#?}");
}

#[test]
fn retry() {
    refuses(
        "retry(base_ms = 20, max_ms = 10)",
        "`base_ms` (20) is over `max_ms` (10)",
    );
    refuses(
        "retry(base_ms = 20_000)",
        "`base_ms` (20000) is over `max_ms` (10000, the default)",
    );
    refuses(
        "retry(max_ms = 50)",
        "`base_ms` (100, the default) is over `max_ms` (50)",
    );
    takes("retry(base_ms = 10, max_ms = 10)");
    takes("retry(base_ms = 0, max_ms = 1)");
}

#[test]
fn bulkhead() {
    refuses(
        "bulkhead(max_concurrent = 1, max_queued = 1)",
        "a queue needs `max_wait_ms`",
    );
    takes("bulkhead(max_concurrent = 1, max_queued = 0)");
    refuses(
        "bulkhead(max_concurrent = 1, max_wait_ms = 5)",
        "`max_wait_ms` bounds the wait in a queue, and there is none",
    );
    refuses(
        "bulkhead(max_concurrent = 1, max_queued = 0, max_wait_ms = 5)",
        "`max_wait_ms` bounds the wait in a queue, and there is none",
    );
    takes("bulkhead(max_concurrent = 1, max_queued = 1, max_wait_ms = 0)");
    takes("bulkhead(max_concurrent = 1, max_queued = 1), deadline(ms = 5_000)");
    refuses(
        "bulkhead(max_concurrent = 1, max_queued = 1), deadline(ms = 5_000, mode = \"observe\")",
        "a queue needs `max_wait_ms`",
    );
}

#[test]
fn criteria() {
    refuses("circuit_breaker(within_ms = 5)", "`within_ms` says in which time");
    takes("circuit_breaker(within_ms = 5, failure_threshold = 2)");
    refuses(
        "circuit_breaker(slow_rate = 0.5)",
        "`slow_rate` is the share of slow calls",
    );
    takes("circuit_breaker(slow_rate = 0.5, slow_ms = 5)");
    takes("circuit_breaker");
    takes("circuit_breaker()");
}

#[test]
fn windows() {
    refuses(
        "circuit_breaker(window = 5, window_ms = 5)",
        "a window is counted in calls",
    );
    refuses(
        "circuit_breaker(failure_rate = 0.1, window = 5, window_ms = 5)",
        "a window is counted in calls",
    );
    refuses(
        "circuit_breaker(failure_threshold = 3, window = 30)",
        "`window` belongs to a rate",
    );
    refuses(
        "circuit_breaker(failure_threshold = 3, window_ms = 30)",
        "`window_ms` belongs to a rate",
    );
    refuses(
        "circuit_breaker(failure_threshold = 3, min_calls = 3)",
        "`min_calls` belongs to a rate",
    );
    takes("circuit_breaker(window = 30)");
    takes("circuit_breaker(failure_threshold = 3, slow_ms = 5, window_ms = 30)");
    refuses(
        "circuit_breaker(failure_rate = 1, min_calls = 21)",
        "`min_calls` (21) is over `window` (20, the default)",
    );
    refuses(
        "circuit_breaker(failure_rate = 1, window = 5, min_calls = 6)",
        "`min_calls` (6) is over `window` (5)",
    );
    takes("circuit_breaker(failure_rate = 1, window = 5)");
    takes("circuit_breaker(failure_rate = 1, window_ms = 5, min_calls = 600)");
}

#[test]
fn open_times() {
    refuses(
        "circuit_breaker(max_reset_after_ms = 29_999)",
        "`max_reset_after_ms` (29_999) is below `reset_after_ms` (30000, the default)",
    );
    refuses(
        "circuit_breaker(reset_after_ms = 5, reset_after_timeout_ms = 9, max_reset_after_ms = 8)",
        "`max_reset_after_ms` (8) is below `reset_after_timeout_ms` (9)",
    );
    takes("circuit_breaker(reset_after_ms = 5, max_reset_after_ms = 5)");
    refuses(
        "circuit_breaker(reset = \"manual\", max_reset_after_ms = 50_000)",
        "with `reset = \"manual\"`",
    );
    refuses(
        "circuit_breaker(reset = \"manual\", reset_after_timeout_ms = 5)",
        "with `reset = \"manual\"`",
    );
    takes("circuit_breaker(reset = \"timer\", max_reset_after_ms = 50_000)");
    takes("circuit_breaker(reset = \"manual\")");
}

#[test]
fn deadline() {
    refuses(
        "deadline(ms = 4_999)",
        "the `timeout` of an attempt (5000 ms) is over the `deadline` of the whole call (4999 ms)",
    );
    takes("deadline(ms = 5_000)");
}

#[test]
fn fallback() {
    refuses("fallback", "`fallback` does not say what answers");
    refuses("fallback()", "`fallback` does not say what answers");
    refuses(
        "fallback(with = Self::f, value = 1)",
        "`fallback` has two answers",
    );
    refuses(
        "fallback(value = vec![self.n])",
        "`self` in the expression of `value` would be the wrapper",
    );
    takes("fallback(with = Self::f)");
    takes("fallback(value = 1)");
}

#[test]
fn slow_calls_end_before_their_timeout() {
    refuses(
        "circuit_breaker(slow_ms = 5_000)",
        "`slow_ms` (5_000) is not below the `timeout` (5000), so no call that answers is ever slow",
    );
    takes("circuit_breaker(slow_ms = 4_999)");
    let on_methods = |args: &str, first: &str, second: &str| {
        messages(adapter(&format!(
            "#[adapter(kind = \"external\", {args})] impl Port for Http {{
                {first} async fn get(&self) -> Result<u8, Failed> {{ todo!() }}
                {second} async fn put(&self) -> Result<u8, Failed> {{ todo!() }}
            }}"
        )))
        .len()
    };
    let both = "timeout(ms = 100), circuit_breaker(slow_ms = 100)";
    assert_eq!(on_methods(both, "", ""), 1);
    assert_eq!(
        on_methods(both, "#[timeout(ms = 200)]", "#[circuit_breaker(off)]"),
        0
    );
    assert_eq!(
        on_methods(both, "#[own(reason = \"x\")]", "#[timeout(off, reason = \"x\")]"),
        0
    );
    assert_eq!(
        on_methods("timeout(ms = 100)", "#[circuit_breaker(slow_ms = 100)]", ""),
        1
    );
    assert_eq!(
        on_methods(
            "timeout(ms = 100)",
            "#[circuit_breaker(slow_ms = 100)] #[timeout(ms = 101)]",
            ""
        ),
        0
    );
    let fine = "timeout(ms = 100), circuit_breaker(slow_ms = 90)";
    assert_eq!(on_methods(fine, "#[timeout(ms = 80)]", "#[timeout(ms = 90)]"), 2);
    assert_eq!(
        on_methods(
            "timeout(ms = 100, mode = \"observe\"), no_timeout = \"x\", circuit_breaker(slow_ms = 100)",
            "",
            ""
        ),
        0
    );
}
