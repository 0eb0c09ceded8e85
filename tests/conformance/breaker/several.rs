//! A port of several methods, whose adapter passes them on to another port.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use resil_runtime::{AdapterSpec, Call, Instance, MethodSpec, MethodState, States};
use resil_runtime::{
    CircuitBreaker, Classification, Classify, ErrorMap, Kind, Overrides, Policies, PolicyError, Protected,
};

use crate::support::{Answer, Error, Port, Scripted, Step};

pub(super) trait Several: Send + Sync {
    fn one(&self) -> impl Future<Output = Answer> + Send;
    fn other(&self) -> impl Future<Output = Answer> + Send;
    fn of_two(&self) -> impl Future<Output = Answer> + Send;
    fn of_eight(&self) -> impl Future<Output = Answer> + Send;
}

/// Passes every method on to another port, wrapped or not.
#[derive(Clone)]
pub(super) struct PassedOn<P>(pub(super) P);

impl<P: Port> Several for PassedOn<P> {
    async fn one(&self) -> Answer {
        self.0.call().await
    }
    async fn other(&self) -> Answer {
        self.0.call().await
    }
    // #[circuit_breaker(failure_rate = 1.0, window = 2, reset_after_ms = 50_000, half_open_calls = 2)]
    async fn of_two(&self) -> Answer {
        self.0.call().await
    }
    // #[circuit_breaker(failure_rate = 0.5, window = 8, min_calls = 8, reset_after_ms = 5_000)]
    async fn of_eight(&self) -> Answer {
        self.0.call().await
    }
}

thread_local! {
    /// What the classifier does beside classifying, for one error.
    static ON_CLASSIFY: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

pub(super) fn on_classify(hook: impl FnOnce() + 'static) {
    ON_CLASSIFY.set(Some(Box::new(hook)));
}

/// `errors = Watched`
struct Watched;

impl ErrorMap<Error> for Watched {
    fn classify(error: &Error) -> Classification {
        if let Some(hook) = ON_CLASSIFY.take() {
            hook();
        }
        error.classify()
    }
    fn policy(error: PolicyError) -> Error {
        error.into()
    }
}

// What the attribute will generate.
#[derive(Clone)]
pub(super) struct ResilientPassedOn<P> {
    inner: PassedOn<P>,
    states: Arc<SeveralStates>,
}
#[derive(Debug)]
pub(super) struct SeveralStates {
    one: MethodState,
    other: MethodState,
    of_two: MethodState,
    of_eight: MethodState,
}
static ADAPTER: AdapterSpec = AdapterSpec::new("resil", "Several", "PassedOn", Kind::External);
static ONE: MethodSpec = MethodSpec::new(&ADAPTER, "one").idempotent();
static OTHER: MethodSpec = MethodSpec::new(&ADAPTER, "other").idempotent();
static OF_TWO: MethodSpec = MethodSpec::new(&ADAPTER, "of_two").idempotent().overrides(
    Overrides::new().circuit_breaker(
        CircuitBreaker::new()
            .failure_rate(1.0)
            .window(2)
            .reset_after(Duration::from_secs(50))
            .half_open_calls(2),
    ),
);
static OF_EIGHT: MethodSpec = MethodSpec::new(&ADAPTER, "of_eight").idempotent().overrides(
    Overrides::new().circuit_breaker(
        CircuitBreaker::new()
            .failure_rate(0.5)
            .window(8)
            .min_calls(8)
            .reset_after(Duration::from_secs(5)),
    ),
);
impl States for SeveralStates {
    fn method(&self, name: &str) -> Option<&MethodState> {
        match name {
            "one" => Some(&self.one),
            "other" => Some(&self.other),
            "of_two" => Some(&self.of_two),
            "of_eight" => Some(&self.of_eight),
            _ => None,
        }
    }
    fn names(&self) -> &'static [&'static str] {
        &["one", "other", "of_two", "of_eight"]
    }
}
impl<P> Protected for ResilientPassedOn<P> {
    fn __states(&self) -> Arc<dyn States> {
        self.states.clone()
    }
}
impl<P: Port> ResilientPassedOn<P> {
    pub(super) fn with_policies(inner: PassedOn<P>, policies: Policies) -> Self {
        let instance = Instance::bound(&ADAPTER, policies).expect("the numbers are legal");
        let [one, other, of_two, of_eight] =
            [&ONE, &OTHER, &OF_TWO, &OF_EIGHT].map(|method| instance.method(method));
        Self {
            inner,
            states: Arc::new(SeveralStates {
                one,
                other,
                of_two,
                of_eight,
            }),
        }
    }
}
macro_rules! delegate {
    ($($method:ident)*) => {
        impl<P: Port> Several for ResilientPassedOn<P> {
            $(async fn $method(&self) -> Answer {
                let mut call = Call::new(&self.states.$method);
                loop {
                    if let Some(answer) = call.attempt::<Watched, _, _>(|_last| self.inner.$method()).await {
                        return answer;
                    }
                }
            })*
        }
    };
}
delegate!(one other of_two of_eight);

pub(super) fn several(
    policies: Policies,
    script: impl Fn(u32) -> Step + Send + Sync + 'static,
) -> (ResilientPassedOn<Scripted>, Scripted) {
    let adapter = Scripted::new(script);
    (
        ResilientPassedOn::with_policies(PassedOn(adapter.clone()), policies),
        adapter,
    )
}
