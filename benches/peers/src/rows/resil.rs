//! The library's own rows: a port, an adapter, one attribute.

use resil::{Class, Classification, ErrorMap, PolicyError, PolicyErrorKind};

use crate::Fault;

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

/// A row with these policies.
macro_rules! resil_row {
    ($group:expr, $name:literal, $($policies:tt)+) => {{
        use crate::rows::resil::Faults;
        use crate::{Adapter, Fault, Port, Row};

        pub struct Plain(Adapter);

        #[resil::adapter(kind = "external", errors = Faults, wrapper = Protected, $($policies)+)]
        impl Port for Plain {
            type Error = Fault;

            fn call(&self, input: u64) -> impl Future<Output = Result<u64, Fault>> + Send {
                self.0.call(input)
            }
        }

        Row::new($group, $name, |parts| Protected::new(Plain(parts.adapter)))
    }};
}

pub(super) use resil_row;
