//! A wrapped method whose body the test writes itself, where the script of `support` cannot say it.

use std::ops::Deref;
use std::sync::Arc;

use resil_runtime::{
    AdapterSpec, Call, Circuit, ErrorMap, Instance, Kind, MethodSpec, MethodState, Outcome, Own, Policies,
    States,
};

use crate::support::Answer;

pub(crate) static ADAPTER: AdapterSpec = AdapterSpec::new("resil", "Port", "Bodies", Kind::External);
/// Its author says that it may be repeated.
pub(crate) static READ: MethodSpec = MethodSpec::new(&ADAPTER, "read").idempotent();
/// Nobody says so.
pub(crate) static WRITE: MethodSpec = MethodSpec::new(&ADAPTER, "write");

#[derive(Clone, Debug)]
pub(crate) struct Method(Arc<Only>);

#[derive(Debug)]
struct Only(MethodState);

impl States for Only {
    fn method(&self, name: &str) -> Option<&MethodState> {
        (name == self.0.spec().method()).then_some(&self.0)
    }

    fn names(&self) -> &'static [&'static str] {
        match self.0.spec().method() {
            "read" => &["read"],
            _ => &["write"],
        }
    }
}

/// An instance of the adapter with these policies in place of the kind's.
pub(crate) fn bound(policies: Policies) -> Instance {
    Instance::bound(&ADAPTER, policies).expect("the test's numbers are legal")
}

impl Method {
    pub(crate) fn of(instance: &Instance, spec: &'static MethodSpec) -> Self {
        Self(Arc::new(Only(instance.method(spec))))
    }

    /// One that may be repeated.
    pub(crate) fn read(policies: Policies) -> Self {
        Self::of(&bound(policies), &READ)
    }

    /// One that may be repeated only where nothing was sent.
    pub(crate) fn write(policies: Policies) -> Self {
        Self::of(&bound(policies), &WRITE)
    }

    /// One call with this body in the adapter's place, entered once per attempt.
    pub(crate) async fn call<F>(&self, body: impl FnMut() -> F) -> Answer
    where
        F: Future<Output = Answer>,
    {
        self.call_as::<Own, F>(body).await
    }

    /// The same with an error type of the test's own.
    pub(crate) async fn call_as<M, F>(&self, mut body: impl FnMut() -> F) -> F::Output
    where
        F: Future<Output: Outcome>,
        M: ErrorMap<<F::Output as Outcome>::Error>,
    {
        let mut call = Call::new(self);
        loop {
            if let Some(answer) = call.attempt::<M, _, _>(|_last| body()).await {
                return answer;
            }
        }
    }

    pub(crate) fn circuit(&self) -> Circuit {
        let states: Arc<dyn States> = self.0.clone();
        Circuit::of(states, self.spec().method()).expect("it has this method")
    }
}

impl Deref for Method {
    type Target = MethodState;

    fn deref(&self) -> &MethodState {
        &self.0.0
    }
}
