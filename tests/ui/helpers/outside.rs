//! What methods state belongs inside an `#[adapter]` impl.
#[path = "../support.rs"]
mod support;
use support::*;

mod function {
    #[resil::retry(attempts = 3)]
    pub async fn get() -> u8 {
        1
    }

    // Told once, whatever else stands on it.
    #[resil::timeout(ms = 5)]
    #[resil::idempotent]
    #[inline]
    pub fn put(_: u8) {}
}

mod method {
    use super::*;

    impl Http {
        #[resil::own(reason = "x")]
        async fn other(&self) -> u8 {
            1
        }
    }

    impl Port for Http {
        #[resil::cached(ttl_ms = 5)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod port {
    trait Sms {
        #[resil::circuit_breaker]
        fn send(&self);
    }
}

mod whole {
    use super::*;

    pub struct Own;

    #[resil::bulkhead(max_concurrent = 4)]
    #[adapter(kind = "external", timeout(ms = 5))]
    impl Port for Own {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }

    #[resil::non_idempotent]
    impl Two for Own {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

#[resil::hedge(after_ms = 5)]
pub struct Other;

fn main() {
    // Nothing else follows from it.
    let _ = (function::get(), function::put(1), whole::ResilientOwn::new(whole::Own));
}
