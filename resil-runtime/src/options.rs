//! Every policy and option: name, kind of value, limits, default. The attribute, the builders and the
//! documentation follow this table.
//!
//! This file stands in `resil-macros` and in `resil-runtime`, since a macro crate can neither export a table nor
//! depend on what it generates calls to; a test holds the two equal.

/// The longest duration: ten years.
pub(crate) const MAX_MS: u64 = 10 * 365 * 24 * 60 * 60 * 1000;
/// The largest count.
pub(crate) const MAX_COUNT: u32 = 1_000_000;

/// A policy and its options.
#[derive(Debug)]
pub(crate) struct PolicyTable {
    pub(crate) name: &'static str,
    pub(crate) options: &'static [OptionTable],
}

/// One option of a policy.
#[derive(Debug)]
pub(crate) struct OptionTable {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    #[allow(
        dead_code,
        reason = "the macros fill it in; the builders have it as a constructor"
    )]
    pub(crate) default: Omitted,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Whole milliseconds from `min` to [`MAX_MS`].
    Millis { min: u64 },
    /// A whole number from `min` to [`MAX_COUNT`].
    Count { min: u32 },
    /// A share: above 0, at most 1.
    Rate,
    /// A share, or `"off"`.
    RateOrOff,
    /// A number from 1 to [`MAX_COUNT`].
    Factor,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The path of a function; only the attribute has it.
    Path,
    /// An expression; only the attribute has it.
    Expr,
}

/// What holds where an option is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omitted {
    /// It must be given.
    Required,
    /// Nothing: what it would turn on stays off.
    None,
    /// This value, written as in the attribute or in words.
    Is(&'static str),
}

use Omitted::{Is, None as Absent, Required};
use Value::{Count, Expr, Factor, Millis, Path, Rate, RateOrOff, Word};

const fn option(name: &'static str, value: Value, default: Omitted) -> OptionTable {
    OptionTable { name, value, default }
}

const MODE: OptionTable = option("mode", Word(&["enforce", "observe"]), Is("\"enforce\""));
const SCOPE: OptionTable = option("scope", Word(&["method", "instance"]), Is("\"method\""));

/// All policies, in the order in which the documentation lists them.
pub(crate) const POLICIES: &[PolicyTable] = &[
    PolicyTable {
        name: "timeout",
        options: &[option("ms", Millis { min: 1 }, Required), MODE],
    },
    PolicyTable {
        name: "retry",
        options: &[
            option("attempts", Count { min: 1 }, Is("3")),
            option("base_ms", Millis { min: 0 }, Is("100")),
            option("factor", Factor, Is("2")),
            option("max_ms", Millis { min: 1 }, Is("10000")),
            option("jitter", Word(&["full", "equal", "none"]), Is("\"full\"")),
            option("budget", RateOrOff, Is("0.2")),
            option("budget_min_per_s", Count { min: 0 }, Is("10")),
        ],
    },
    PolicyTable {
        name: "circuit_breaker",
        options: &[
            option(
                "failure_threshold",
                Count { min: 1 },
                Is("5 where no criterion is given"),
            ),
            option("within_ms", Millis { min: 1 }, Absent),
            option("failure_rate", Rate, Is("0.5 where no criterion is given")),
            option(
                "window",
                Count { min: 1 },
                Is("20 calls, unless `window_ms` is given"),
            ),
            option("window_ms", Millis { min: 1 }, Absent),
            option(
                "min_calls",
                Count { min: 1 },
                Is("10, or `window` where that is less"),
            ),
            option("slow_ms", Millis { min: 1 }, Absent),
            option("slow_rate", Rate, Is("1.0")),
            option("reset_after_ms", Millis { min: 1 }, Is("30000")),
            option(
                "reset_after_timeout_ms",
                Millis { min: 1 },
                Is("`reset_after_ms`"),
            ),
            option("max_reset_after_ms", Millis { min: 1 }, Absent),
            option("reset", Word(&["timer", "manual"]), Is("\"timer\"")),
            option("half_open_calls", Count { min: 1 }, Is("1")),
            option("success_threshold", Count { min: 1 }, Is("`half_open_calls`")),
            option("half_open_max_ms", Millis { min: 1 }, Is("`reset_after_ms`")),
            option("probe", Path, Absent),
            SCOPE,
            MODE,
        ],
    },
    PolicyTable {
        name: "bulkhead",
        options: &[
            option("max_concurrent", Count { min: 1 }, Required),
            option("max_queued", Count { min: 0 }, Is("0")),
            option("max_wait_ms", Millis { min: 0 }, Absent),
            SCOPE,
            MODE,
        ],
    },
    PolicyTable {
        name: "cached",
        options: &[
            option("ttl_ms", Millis { min: 1 }, Required),
            option("capacity", Count { min: 1 }, Is("10000")),
            option("key", Path, Absent),
            option("stale_if_error_ms", Millis { min: 0 }, Is("0")),
            option("aged", Path, Absent),
        ],
    },
    PolicyTable {
        name: "fallback",
        options: &[option("with", Path, Absent), option("value", Expr, Absent)],
    },
    PolicyTable {
        name: "deadline",
        options: &[option("ms", Millis { min: 1 }, Required), MODE],
    },
    PolicyTable {
        name: "rate_limit",
        options: &[
            option("permits", Count { min: 1 }, Required),
            option("per_ms", Millis { min: 1 }, Is("1000")),
            option("burst", Count { min: 1 }, Is("`permits`")),
            option("max_wait_ms", Millis { min: 0 }, Is("0")),
            SCOPE,
            MODE,
        ],
    },
    PolicyTable {
        name: "hedge",
        options: &[
            option("after_ms", Millis { min: 0 }, Required),
            option("max", Count { min: 1 }, Is("1")),
        ],
    },
];
