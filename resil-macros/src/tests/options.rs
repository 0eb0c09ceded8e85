//! The value of each option, by the table.

use super::{adapter, messages};
use crate::options::{MAX_COUNT, MAX_MS, POLICIES, Value};

/// What is said of one option of a policy.
fn of(policy: &str, options: &str) -> Vec<String> {
    let timeout = if policy == "timeout" {
        ""
    } else {
        "timeout(ms = 5), "
    };
    messages(adapter(&format!(
        "#[adapter(kind = \"external\", idempotent, no_timeout = \"x\", {timeout}{policy}({options}))]
        impl Port for Http {{ async fn get(&self) -> Result<u8, Failed> {{ todo!() }} }}"
    )))
    .into_iter()
    .filter(|said| !said.starts_with("`no_timeout`"))
    .collect()
}

/// Other options that the one needs beside it.
fn beside(policy: &str, option: &str) -> &'static str {
    match (policy, option) {
        ("bulkhead", "max_wait_ms") => "max_concurrent = 4, max_queued = 4, ",
        ("bulkhead", "max_queued") => "max_concurrent = 4, max_wait_ms = 5, ",
        ("timeout" | "deadline", "mode") => "ms = 5, ",
        ("bulkhead", "max_concurrent")
        | ("cached", "ttl_ms")
        | ("rate_limit", "permits")
        | ("hedge", "after_ms") => "",
        ("bulkhead", _) => "max_concurrent = 4, ",
        ("cached", _) => "ttl_ms = 5, ",
        ("rate_limit", _) => "permits = 5, ",
        ("hedge", _) => "after_ms = 5, ",
        ("retry", "base_ms") => "max_ms = 315360000000, ",
        ("retry", "max_ms") => "base_ms = 0, ",
        ("circuit_breaker", "within_ms") => "failure_threshold = 3, ",
        ("circuit_breaker", "window") => "min_calls = 1, failure_rate = 0.5, ",
        ("circuit_breaker", "window_ms") => "failure_rate = 0.5, ",
        ("circuit_breaker", "min_calls") => "failure_rate = 0.5, window_ms = 1000, ",
        ("circuit_breaker", "slow_rate") => "slow_ms = 5, ",
        ("circuit_breaker", "max_reset_after_ms") => "reset_after_ms = 1, ",
        _ => "",
    }
}

fn each(check: impl Fn(&str, &str, Value, &dyn Fn(&str) -> Vec<String>)) {
    for policy in POLICIES {
        for option in policy.options {
            let say = |value: &str| {
                let beside = beside(policy.name, option.name);
                of(policy.name, &format!("{beside}{} = {value}", option.name))
            };
            check(policy.name, option.name, option.value, &say);
        }
    }
}

#[test]
fn what_is_within_the_limits_is_taken() {
    each(|policy, option, value, say| {
        let values: Vec<String> = match value {
            Value::Millis { min } => vec![min.to_string(), MAX_MS.to_string(), String::from("1_0")],
            Value::Count { min } => vec![min.to_string(), MAX_COUNT.to_string()],
            Value::Rate => vec!["0.01".into(), "1".into(), "1.0".into()],
            Value::RateOrOff => vec!["0.01".into(), "1".into(), "\"off\"".into()],
            Value::Factor => vec!["1".into(), "1.5".into(), MAX_COUNT.to_string()],
            Value::Word(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
            Value::Path => vec!["f".into(), "Self::f".into(), "crate::f::<u8>".into()],
            Value::Expr => vec!["1".into(), "vec![1, 2]".into(), "a.max(b)".into()],
        };
        for value in values {
            let said = say(&value);
            let contradicts = said.iter().all(|said| {
                [
                    "is below",
                    "is over",
                    " over the `deadline`",
                    "is not below",
                    "there is none",
                ]
                .iter()
                .any(|words| said.contains(words))
            });
            assert!(
                said.is_empty() || contradicts,
                "{policy}({option} = {value}): {said:#?}"
            );
        }
    });
}

#[test]
fn what_is_outside_is_said_once_with_what_to_write() {
    each(|policy, option, value, say| {
        let values: &[&str] = match value {
            Value::Millis { min: 0 } => &["-1", "315360000001", "99999999999999999999"],
            Value::Millis { .. } => &["0", "-4", "315360000001", "99999999999999999999"],
            Value::Count { min: 0 } => &["-1", "1000001", "99999999999999999999"],
            Value::Count { .. } => &["0", "-1", "1000001"],
            Value::Rate | Value::RateOrOff => &["0", "0.0", "-0.5", "150", "1.01", "1e999"],
            Value::Factor => &["0", "0.99", "-2", "1000001", "1e999"],
            Value::Word(_) | Value::Path | Value::Expr => &[],
        };
        for value in values {
            let said = say(value);
            assert_eq!(said.len(), 1, "{policy}({option} = {value}): {said:#?}");
            let start = format!("`{option}` must be ");
            assert!(
                said[0].starts_with(&start) && said[0].contains("\n\nhelp: "),
                "{}",
                said[0]
            );
        }
    });
}

#[test]
fn what_is_of_another_type_is_said_once_with_what_to_write() {
    each(|policy, option, value, say| {
        let values: &[&str] = match value {
            Value::Millis { .. } | Value::Count { .. } => {
                &["\"3\"", "2.5", "2s", "3u32", "true", "Duration::MAX", "-x"]
            }
            Value::Rate | Value::RateOrOff | Value::Factor => &["\"half\"", "0.5f32", "true", "x"],
            Value::Word(_) => &["\"nonsense\"", "3", "full", "true"],
            Value::Path => &["\"f\"", "|x| x", "3", "f()"],
            Value::Expr => &["let", "1 +"],
        };
        for value in values {
            let said = say(value);
            assert_eq!(said.len(), 1, "{policy}({option} = {value}): {said:#?}");
            let starts = [format!("`{option}` takes "), format!("`{option}` is one of ")];
            assert!(
                starts.iter().any(|start| said[0].starts_with(start)),
                "{}",
                said[0]
            );
        }
        for form in ["", "()", "(3)"] {
            let said = of(policy, &format!("{}{option}{form}", beside(policy, option)));
            assert_eq!(said.len(), 1, "{policy}({option}{form}): {said:#?}");
            assert!(
                said[0].starts_with(&format!("`{option}` needs a value")),
                "{}",
                said[0]
            );
        }
    });
}

#[test]
fn the_help_can_be_pasted() {
    assert!(
        of("timeout", "ms = \"2s\"")
            .concat()
            .contains("help: write `ms = 2000`")
    );
    assert!(
        of("timeout", "ms = 1.5s")
            .concat()
            .contains("help: write `ms = 1500`")
    );
    assert!(
        of("timeout", "ms = \"250 ms\"")
            .concat()
            .contains("help: write `ms = 250`")
    );
    assert!(
        of("timeout", "ms = 2.5")
            .concat()
            .contains("help: write `ms = 3`, or `ms = 2500` if it is in seconds")
    );
    assert_eq!(
        of("timeout", "ms = TIMEOUT"),
        ["`ms` takes a whole number of milliseconds, got `TIMEOUT`\n\n\
             help: write the number itself, such as `ms = 2000`; `with_policies` takes expressions\n\
             note: an attribute is read before constants have values"]
    );
    for (policy, expression) in [
        ("timeout", "ms = limits::TIMEOUT"),
        ("timeout", "ms = Duration::from_secs(2)"),
        ("retry", "attempts = -N"),
        ("retry", "factor = e()"),
        ("circuit_breaker", "failure_rate = [HALF][0]"),
    ] {
        let said = of(policy, expression).concat();
        assert!(said.contains("`with_policies` takes expressions"), "{said}");
    }
    for word in ["\"none\"", "\"of\"", "false"] {
        assert!(
            of("retry", &format!("budget = {word}"))
                .concat()
                .contains("help: write `budget = \"off\"`, or `budget = 0.2`")
        );
    }
    assert!(
        of("circuit_breaker", "failure_rate = 50")
            .concat()
            .contains("note: it is a share: 50 % is `failure_rate = 0.5`")
    );
    assert!(
        of("retry", "jitter = \"ful\"")
            .concat()
            .contains("help: write `jitter = \"full\"`")
    );
    assert!(
        of("retry", "attempts = 0")
            .concat()
            .contains("help: leave it out for its default: 3")
    );
    assert_eq!(
        of("bulkhead", ""),
        [
            "`bulkhead` needs `max_concurrent`\n\nhelp: write `bulkhead(max_concurrent = …)`; no default would suit every dependency"
        ]
    );
}

#[test]
fn what_is_no_literal_is_told_what_the_option_takes() {
    for (policy, option, takes) in [
        (
            "retry",
            "attempts = TIMES",
            "`attempts` takes a whole number, got `TIMES`",
        ),
        (
            "retry",
            "budget = SHARE",
            "`budget` takes a share or `\"off\"`, got `SHARE`",
        ),
        ("retry", "factor = BY", "`factor` takes a number, got `BY`"),
        (
            "circuit_breaker",
            "probe = #[late] Self::ask",
            "`probe` takes the path of a function",
        ),
    ] {
        let said = of(policy, option);
        assert_eq!(said.len(), 1, "{option}: {said:#?}");
        assert!(said[0].starts_with(takes), "{option}: {}", said[0]);
    }
    // Nothing is named here that could have a value later.
    let said = of("deadline", "ms = 1000 + 500").concat();
    assert!(!said.contains("before constants have values"), "{said}");
}

#[test]
fn a_unit_is_no_part_of_a_fraction() {
    let said = of("deadline", "ms = 90m").concat();
    assert!(said.contains("\n\nhelp: write `ms = 5400000`"), "{said}");
    assert!(!said.contains("if it is in seconds"), "{said}");
    let said = of("deadline", "ms = 1.5").concat();
    assert!(
        said.contains("write `ms = 2`, or `ms = 1500` if it is in seconds"),
        "{said}"
    );
}
