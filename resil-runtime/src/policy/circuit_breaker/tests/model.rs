//! The breaker beside its plain reference, under random rules and histories.

use proptest::prelude::*;

use super::reference::{Numbers, Outcome, Reference, State, Ticket};
use super::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A call that ends at once.
    Call(Outcome),
    /// A call that stays under way.
    Start,
    /// One of those ends, however long ago it started.
    End(usize, Outcome),
    Wait(u64),
    /// The next step is told a clock reading that is this much too old.
    Late(u64, Outcome),
    Reset,
    ForceOpen,
    ForceClosed,
    Release,
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let failed = (any::<bool>(), any::<bool>(), proptest::option::of(0..2_000_u64)).prop_map(
        |(slow, timed_out, wish)| Outcome::Failed {
            slow,
            timed_out,
            wish: wish.map(ms),
        },
    );
    prop_oneof![
        5 => any::<bool>().prop_map(|slow| Outcome::Ok { slow }),
        4 => Just(Outcome::Ok { slow: false }),
        6 => failed,
        1 => Just(Outcome::None),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        30 => outcome().prop_map(Step::Call),
        6 => Just(Step::Start),
        6 => (any::<usize>(), outcome()).prop_map(|(which, outcome)| Step::End(which, outcome)),
        6 => (0..30_u64).prop_map(Step::Wait),
        2 => (100..1_000_u64).prop_map(Step::Wait),
        1 => (0..5_u64, outcome()).prop_map(|(late, outcome)| Step::Late(late, outcome)),
        1 => prop_oneof![
            Just(Step::Reset),
            Just(Step::ForceOpen),
            Just(Step::ForceClosed),
            Just(Step::Release),
            Just(Step::Release),
        ],
    ]
}

/// Percentages of which each is a binary fraction, a decimal one, or neither.
fn percent() -> impl Strategy<Value = u32> {
    prop_oneof![Just(25), Just(50), Just(75), Just(100), 1..=100_u32]
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let criteria = (
        proptest::option::of(1..6_u32),
        proptest::option::of(1..200_u64),
        proptest::option::of(percent()),
        proptest::option::of(percent()),
        1..12_u32,
        prop_oneof![
            (1..=45_u32).prop_map(Window::Calls),
            (5..60_u64).prop_map(|tenth| Window::Time(ms(tenth * 10))),
        ],
    );
    let times = (
        1..100_u64,
        1..100_u64,
        proptest::option::of(100..1_000_u64),
        proptest::bool::weighted(0.1),
        1..100_u64,
        1..4_u32,
        1..5_u32,
        proptest::bool::weighted(0.2),
    );
    (criteria, times).prop_map(|((threshold, within, failed, slow, min_calls, window), times)| {
        let (reset, after_timeout, max, manual, half_open_max, places, successes, observe) = times;
        let rate = |percent: u32| f64::from(percent) / 100.0;
        Numbers {
            rules: Rules {
                failure_threshold: threshold,
                within: within.map(ms),
                failure_rate: failed.map(rate),
                window,
                min_calls,
                slow: slow.map(|percent| Slow {
                    after: ms(1),
                    rate: rate(percent),
                }),
                reset_after: ms(reset),
                reset_after_timeout: ms(after_timeout),
                max_reset_after: max.map(ms),
                manual,
                half_open_calls: places,
                success_threshold: successes,
                half_open_max: ms(half_open_max),
                observe,
                examine: false,
            },
            failure_percent: failed.unwrap_or(100),
            slow_percent: slow.unwrap_or(100),
        }
    })
}

/// Both, side by side.
struct Pair {
    rig: Rig,
    reference: Reference,
    under_way: Vec<(Admission, Ticket)>,
}

impl Pair {
    fn new(numbers: Numbers) -> Self {
        let rig = Rig::of(numbers.rules);
        rig.pass(1_000);
        Self {
            rig,
            reference: Reference::new(numbers),
            under_way: Vec::new(),
        }
    }

    fn start(&mut self) -> Result<Option<(Admission, Ticket)>, TestCaseError> {
        let ours = self.rig.try_admit();
        let theirs = self.reference.admit(self.rig.now());
        match (ours, theirs) {
            (Ok(admission), Ok(ticket)) => {
                prop_assert_eq!(admission.is_shadow(), ticket == Ticket::Shadow);
                Ok(Some((admission, ticket)))
            }
            (Err(refused), Err(retry_after)) => {
                prop_assert_eq!(refused.retry_after, retry_after);
                Ok(None)
            }
            (ours, theirs) => Err(TestCaseError::fail(format!("{ours:?} is not {theirs:?}"))),
        }
    }

    fn end(&mut self, (admission, ticket): (Admission, Ticket), outcome: Outcome) {
        let now = self.rig.now();
        self.reference.end(ticket, outcome, now);
        match outcome {
            Outcome::Ok { slow: false } => self.rig.ok(admission),
            Outcome::Ok { slow: true } => self.rig.slow(admission),
            Outcome::None => self.rig.breaker.cancel(admission),
            Outcome::Failed {
                slow,
                timed_out,
                wish,
            } => self.rig.fail_with(
                admission,
                Failure {
                    slow,
                    timed_out,
                    code: Some("failed".into()),
                    retry_after: wish,
                },
            ),
        }
    }

    fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        let now = self.rig.now();
        match step {
            Step::Wait(ms) => self.rig.pass(ms),
            Step::Start => {
                let started = self.start()?;
                self.under_way.extend(started);
            }
            Step::Call(outcome) => {
                if let Some(call) = self.start()? {
                    self.end(call, outcome);
                }
            }
            Step::Late(late, outcome) => {
                let right = self.rig.now_ms.get();
                self.rig.now_ms.set(right - late);
                self.step(Step::Call(outcome))?;
                self.rig.now_ms.set(right);
            }
            Step::End(which, outcome) => {
                if let Some(which) = which.checked_rem(self.under_way.len()) {
                    let call = self.under_way.swap_remove(which);
                    self.end(call, outcome);
                }
            }
            Step::Reset => {
                self.rig.breaker.reset(now);
                self.reference.reset();
            }
            Step::ForceOpen => {
                self.rig.breaker.force_open(now);
                self.reference.force(State::ForcedOpen);
            }
            Step::ForceClosed => {
                self.rig.breaker.force_closed(now);
                self.reference.force(State::ForcedClosed);
            }
            Step::Release => {
                self.rig.breaker.release(now);
                self.reference.release();
            }
        }
        self.compare()
    }

    fn compare(&self) -> Result<(), TestCaseError> {
        let status = self.rig.breaker.status();
        let state = match (status.state, status.forced) {
            (CircuitState::Closed, false) => State::Closed,
            (CircuitState::Closed, true) => State::ForcedClosed,
            (CircuitState::Open, false) => State::Open,
            (CircuitState::Open, true) => State::ForcedOpen,
            (CircuitState::HalfOpen, _) => State::HalfOpen,
        };
        prop_assert_eq!(state, self.reference.state);
        prop_assert_eq!(self.rig.state(), status.state);
        prop_assert_eq!(status.failures, self.reference.in_a_row());
        prop_assert_eq!(
            (status.opened, status.reopened, status.refused),
            (
                self.reference.opened,
                self.reference.reopened,
                self.reference.refused
            )
        );
        for (admission, ticket) in &self.under_way {
            prop_assert_eq!(self.rig.breaker.holds(admission), self.reference.holds(*ticket));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn does_what_the_reference_does(
        numbers in numbers(),
        steps in proptest::collection::vec(step(), 1..250),
    ) {
        let mut pair = Pair::new(numbers);
        for step in steps {
            pair.step(step)?;
        }
    }
}
