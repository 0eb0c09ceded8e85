//! The library's rows: what `#[resil::adapter]` generates, written by hand.

use std::sync::Arc;

use resil::{Call, Class, Classification, ErrorMap, MethodState, PolicyError, PolicyErrorKind};

use crate::{Adapter, Fault, Port};

pub(super) struct Wrapped {
    pub(super) adapter: Adapter,
    pub(super) states: Arc<MethodState>,
}

impl Port for Wrapped {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        let mut call = Call::new(&self.states);
        loop {
            if let Some(result) = call
                .attempt::<Faults, _, _>(|_last| self.adapter.call(input))
                .await
            {
                return result;
            }
        }
    }
}

pub(super) struct Faults;

impl ErrorMap<Fault> for Faults {
    fn classify(_: &Fault) -> Classification {
        Class::Transient.code("down")
    }

    fn policy(error: PolicyError) -> Fault {
        match error.kind() {
            PolicyErrorKind::CircuitOpen => Fault::CircuitOpen,
            PolicyErrorKind::BulkheadFull => Fault::BulkheadFull,
            _ => Fault::TimedOut,
        }
    }
}

macro_rules! resil_row {
    ($group:expr, $name:literal, $($policy:ident = $value:expr),+) => {{
        use resil::{AdapterSpec, Instance, Kind, MethodSpec, Policies};
        static ADAPTER: AdapterSpec = AdapterSpec::new("bench", "Port", "Adapter", Kind::External)
            .policies(Policies::new()$(.$policy($value))+);
        static CALL: MethodSpec = MethodSpec::new(&ADAPTER, "call").idempotent();
        crate::Row::new($group, $name, |parts| super::resil::Wrapped {
            adapter: parts.adapter,
            states: std::sync::Arc::new(Instance::new(&ADAPTER).method(&CALL)),
        })
    }};
}

pub(super) use resil_row;
