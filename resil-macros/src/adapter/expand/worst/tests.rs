//! Tables of what policies add up to.

use super::*;

fn numbers(words: &str) -> Numbers {
    let stated = Stated::in_words(words);
    Numbers::of(&stated.iter().collect::<Vec<_>>())
}

/// Attempts, time, and the time where each error asks to wait.
fn shown(numbers: Numbers) -> (u64, String, String) {
    let worst = of(numbers);
    let time = |time: Option<Duration>| time.map_or_else(|| "unbounded".to_owned(), readable);
    (worst.attempts, time(worst.time), time(worst.asked_to_wait))
}

/// What holds for `words`; the third only where it differs.
fn case(words: &str, attempts: u64, time: &str, asked: &str) {
    assert_eq!(
        shown(numbers(words)),
        (attempts, time.to_owned(), asked.to_owned()),
        "{words}"
    );
}

#[test]
fn attempts_and_the_waits_between_them_add_up() {
    case("timeout(ms = 2000)", 1, "2 s", "2 s");
    case("retry, timeout(ms = 2000)", 3, "6.3 s", "26 s");
    case("retry(attempts = 1), timeout(ms = 2000)", 1, "2 s", "2 s");
    case(
        "retry(attempts = 4, base_ms = 0), timeout(ms = 5)",
        4,
        "20 ms",
        "30.02 s",
    );
    case(
        "retry(attempts = 4, jitter = \"none\", factor = 1), timeout(ms = 5)",
        4,
        "320 ms",
        "30.02 s",
    );
    // 100, 150, 225 ms.
    case(
        "retry(attempts = 4, factor = 1.5), timeout(ms = 5)",
        4,
        "495 ms",
        "30.02 s",
    );
    // 100, 200, 400, 500, 500 ms: each wait has its bound.
    case(
        "retry(attempts = 6, max_ms = 500), timeout(ms = 1)",
        6,
        "1.706 s",
        "2.506 s",
    );
}

#[test]
fn waiting_for_a_place_and_for_a_turn_is_part_of_each_attempt() {
    case(
        "retry, timeout(ms = 1000), bulkhead(max_concurrent = 1)",
        3,
        "3.3 s",
        "23 s",
    );
    let queue = "bulkhead(max_concurrent = 1, max_queued = 2, max_wait_ms = 250";
    case(
        &format!("retry, timeout(ms = 1000), {queue})"),
        3,
        "4.05 s",
        "23.75 s",
    );
    case(
        &format!("timeout(ms = 1000), {queue}, mode = \"observe\")"),
        1,
        "1 s",
        "1 s",
    );
    case("timeout(ms = 1000), rate_limit(permits = 1)", 1, "1 s", "1 s");
    case(
        "timeout(ms = 1000), rate_limit(permits = 1, max_wait_ms = 40)",
        1,
        "1.04 s",
        "1.04 s",
    );
    case(
        "timeout(ms = 1000), rate_limit(permits = 1, max_wait_ms = 40, mode = \"observe\")",
        1,
        "1 s",
        "1 s",
    );
    let both = format!(
        "retry(attempts = 2), timeout(ms = 1000), {queue}), rate_limit(permits = 1, max_wait_ms = 40)"
    );
    case(&both, 2, "2.68 s", "12.58 s");
}

#[test]
fn a_deadline_is_the_last_word() {
    case("retry, timeout(ms = 2000), deadline(ms = 5000)", 3, "5 s", "5 s");
    case(
        "retry, timeout(ms = 2000), deadline(ms = 10_000)",
        3,
        "6.3 s",
        "10 s",
    );
    case("deadline(ms = 5000), retry", 3, "5 s", "5 s");
    case(
        "deadline(ms = 5000, mode = \"observe\"), timeout(ms = 9000)",
        1,
        "9 s",
        "9 s",
    );
}

#[test]
fn what_nothing_bounds_is_unbounded() {
    case("", 1, "unbounded", "unbounded");
    case("retry", 3, "unbounded", "unbounded");
    case("timeout(ms = 5, mode = \"observe\")", 1, "unbounded", "unbounded");
    let endless = Numbers {
        queue: None,
        ..numbers("timeout(ms = 5)")
    };
    assert_eq!(of(endless).time, None);
    let deadline = Some(Duration::from_secs(5));
    assert_eq!(of(Numbers { deadline, ..endless }).time, deadline);
}

#[test]
fn hedges_run_beside_each_other() {
    case("hedge(after_ms = 80), timeout(ms = 500)", 2, "580 ms", "580 ms");
    case(
        "hedge(after_ms = 80, max = 3), timeout(ms = 500)",
        4,
        "740 ms",
        "740 ms",
    );
    case(
        "hedge(after_ms = 0, max = 2), timeout(ms = 500)",
        3,
        "500 ms",
        "500 ms",
    );
    case(
        "hedge(after_ms = 80), timeout(ms = 500), deadline(ms = 550)",
        2,
        "550 ms",
        "550 ms",
    );
}

#[test]
fn who_waits_for_the_load_of_another_waits_within_the_deadline() {
    case(
        "cached(ttl_ms = 60_000), timeout(ms = 200)",
        1,
        "200 ms",
        "200 ms",
    );
    case(
        "cached(ttl_ms = 60_000), timeout(ms = 200), deadline(ms = 500)",
        1,
        "500 ms",
        "500 ms",
    );
}

#[test]
fn a_fallback_has_a_timeout_of_its_own() {
    case("fallback(with = f), timeout(ms = 500)", 1, "1 s", "1 s");
    case("fallback(value = 0), timeout(ms = 500)", 1, "500 ms", "500 ms");
    case(
        "fallback(with = f), retry, timeout(ms = 2000), deadline(ms = 5000)",
        3,
        "7 s",
        "7 s",
    );
    // The deadline is over when it begins.
    case(
        "fallback(with = f), deadline(ms = 5000)",
        1,
        "unbounded",
        "unbounded",
    );
}

#[test]
fn a_probe_may_go_before_each_attempt() {
    let worst = of(numbers("retry, timeout(ms = 2000), circuit_breaker(probe = f)"));
    assert_eq!((worst.attempts, worst.probes), (3, 3));
    assert_eq!(worst.time, Some(Duration::from_millis(12_300)));
    let observing = of(numbers(
        "timeout(ms = 2000), circuit_breaker(probe = f, mode = \"observe\")",
    ));
    assert_eq!(
        (observing.probes, observing.time),
        (0, Some(Duration::from_secs(2)))
    );
    let raced = of(numbers(
        "hedge(after_ms = 80), timeout(ms = 500), circuit_breaker(probe = f)",
    ));
    assert_eq!((raced.attempts, raced.probes), (2, 1));
    assert_eq!(raced.time, Some(Duration::from_millis(1080)));
}

#[test]
fn the_largest_numbers_of_all_end() {
    let most = "retry(attempts = 1_000_000, base_ms = 315_360_000_000, factor = 1_000_000, max_ms = 315_360_000_000), \
                timeout(ms = 315_360_000_000), bulkhead(max_concurrent = 1, max_queued = 1, max_wait_ms = 315_360_000_000), \
                rate_limit(permits = 1, max_wait_ms = 315_360_000_000)";
    let (attempts, time, asked) = shown(numbers(most));
    assert_eq!(attempts, 1_000_000);
    assert_eq!(
        (time.as_str(), asked.as_str()),
        ("14599996350 d", "14599996350 d")
    );
    let slow = "retry(attempts = 1_000_000, base_ms = 1, factor = 1.000001, max_ms = 315_360_000_000), timeout(ms = 1)";
    assert!(of(numbers(slow)).time.is_some());
    let raced = "hedge(after_ms = 315_360_000_000, max = 1_000_000), timeout(ms = 1)";
    assert!(of(numbers(raced)).time.is_some());
    assert_eq!(times(Duration::MAX, u64::MAX), Duration::MAX);
}

#[test]
fn times_are_readable_and_never_too_short() {
    let cases = [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (6300, "6.3 s"),
        (1001, "1.001 s"),
        (119_999, "119.999 s"),
        (120_000, "2 min"),
        (150_001, "2 min 31 s"),
        (7_199_001, "120 min"),
        (7_200_000, "2 h"),
        (7_260_001, "2 h 2 min"),
        (172_800_000, "2 d"),
        (172_800_001, "3 d"),
    ];
    for (millis, text) in cases {
        assert_eq!(readable(Duration::from_millis(millis)), text);
    }
    assert_eq!(readable(Duration::from_nanos(1)), "1 ms");
}
