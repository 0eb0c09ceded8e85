//! The breaker as a whole, with the time given.

#[cfg(not(resil_loom))]
mod cost;
#[cfg(not(resil_loom))]
mod half_open;
#[cfg(not(resil_loom))]
mod kinds;
#[cfg(resil_loom)]
mod loom_models;
#[cfg(not(resil_loom))]
mod model;
#[cfg(not(resil_loom))]
mod opening;
#[cfg(not(resil_loom))]
mod operator;
#[cfg(not(resil_loom))]
mod published;
#[cfg(not(resil_loom))]
mod reference;
#[cfg(not(resil_loom))]
mod reload;
#[cfg(not(resil_loom))]
mod rows;
#[cfg(not(resil_loom))]
mod rows_rates;

use std::cell::Cell;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tracing::subscriber::NoSubscriber;

use super::*;
use crate::time::Moment;

static NAMES: Names = Names {
    port: "SmsSender",
    adapter: "HttpSmsSender",
    method: "send",
};

/// Where there is one subscriber at most, `tracing` asks only the thread that comes first whether an event is of interest,
/// and keeps the answer for all: so there are always more.
static TWO_SUBSCRIBERS: LazyLock<[tracing::Dispatch; 2]> =
    LazyLock::new(|| std::array::from_fn(|_| tracing::Dispatch::new(NoSubscriber::new())));

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A breaker with its rules, on a clock of its own.
struct Rig {
    breaker: Arc<Breaker>,
    rules: Rules,
    now_ms: Cell<u64>,
}

impl Rig {
    fn new(policy: CircuitBreaker) -> Self {
        policy.check().expect("the options agree");
        Self::of(policy.rules())
    }

    /// Numbers that no user can give.
    fn of(rules: Rules) -> Self {
        LazyLock::force(&TWO_SUBSCRIBERS);
        Self {
            breaker: Arc::new(Breaker::new(&NAMES)),
            rules,
            now_ms: Cell::new(0),
        }
    }

    fn now(&self) -> Moment {
        Moment::at_ms(self.now_ms.get())
    }

    fn pass(&self, ms: u64) {
        self.now_ms.set(self.now_ms.get() + ms);
    }

    fn try_admit(&self) -> Result<Admission, Refused> {
        self.breaker.admit(Some(&self.rules), self.now())
    }

    #[track_caller]
    fn admit(&self) -> Admission {
        self.try_admit().expect("it is let through")
    }

    #[track_caller]
    fn refused(&self) -> Refused {
        self.try_admit().expect_err("it is refused")
    }

    fn ok(&self, admission: Admission) {
        self.breaker
            .success(Some(&self.rules), admission, false, || self.now());
    }

    fn slow(&self, admission: Admission) {
        self.breaker
            .success(Some(&self.rules), admission, true, || self.now());
    }

    fn fail(&self, admission: Admission) {
        self.fail_with(admission, Failure::default());
    }

    fn fail_with(&self, admission: Admission, failure: Failure) {
        self.breaker
            .failure(Some(&self.rules), admission, failure, self.now());
    }

    fn state(&self) -> CircuitState {
        self.breaker.state()
    }

    /// Does calls one after the other: `ok`, `E` an error, `T` a timeout, `slow` and `slowE`; `+5` lets 5 ms pass. Says what
    /// became of each, where `CBO` is one that the circuit refused.
    fn run(&self, script: &str) -> String {
        let mut seen = Vec::new();
        for step in script.split_whitespace() {
            if let Some(wait) = step.strip_prefix('+') {
                self.pass(wait.parse().expect("a number of milliseconds"));
                continue;
            }
            let Ok(admission) = self.try_admit() else {
                seen.push("CBO");
                continue;
            };
            seen.push(step);
            let failure = |timed_out, slow| Failure {
                slow,
                timed_out,
                ..Failure::default()
            };
            match step {
                "ok" => self.ok(admission),
                "slow" => self.slow(admission),
                "E" => self.fail_with(admission, failure(false, false)),
                "slowE" => self.fail_with(admission, failure(false, true)),
                "T" => self.fail_with(admission, failure(true, false)),
                _ => panic!("no such step: {step}"),
            }
        }
        seen.join(" ")
    }

    /// Opens it by failures in a row, and returns after its reset time.
    fn until_half_open(&self) {
        while self.state() == CircuitState::Closed {
            self.run("E");
        }
        let wait = self.refused().retry_after.expect("time ends it");
        self.pass(u64::try_from(wait.as_millis()).expect("a short time"));
    }
}

/// CB(window, rate, reset after, successes) of the conformance rows.
fn cb(window: u32, rate: f64, reset_after: u64, successes: u32) -> Rig {
    Rig::new(
        CircuitBreaker::new()
            .failure_rate(rate)
            .window(window)
            .min_calls(window)
            .reset_after(ms(reset_after))
            .half_open_calls(successes),
    )
}

/// Opens after this many failures in a row, for a second.
fn in_a_row(failures: u32) -> Rig {
    Rig::new(
        CircuitBreaker::new()
            .failure_threshold(failures)
            .reset_after(ms(1_000)),
    )
}
