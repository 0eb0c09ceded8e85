//! Own policies stand beside none.
#[path = "../support.rs"]
mod support;
use support::*;

mod on_impl {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), own(reason = "the client bounds it"))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod on_method {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        #[own(reason = "the client bounds it")]
        #[timeout(ms = 5)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
