//! What was nearly meant is said once, on the word itself.
#[path = "../support.rs"]
mod support;
use support::*;

mod attribute_on_a_method {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        #[circuit_breaker]
        #[timout(ms = 5)]
        #[inline]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod required_option {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(millis = 100), bulkhead(max = 5))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod kind_alone {
    use super::*;

    pub struct Http;

    #[adapter(external, timeout = 100)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod off_on_the_impl {
    use super::*;

    pub struct Http;

    const LIMIT: u64 = 5;

    #[adapter(kind = "external", retry = false, timeout(ms = LIMIT))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
