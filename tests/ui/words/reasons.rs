//! What is exempted has a reason.
#[path = "../support.rs"]
mod support;
use support::*;

mod own {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", own)]
    impl Two for Http {
        #[own(reason = "")]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[timeout(off)]
        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod no_timeout {
    use super::*;

    pub struct Http;

    #[adapter(kind = "repository", no_timeout = "  ", retry, allow(retry))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
