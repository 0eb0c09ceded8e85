//! Nothing is given twice.
#[path = "../support.rs"]
mod support;
use support::*;

mod policy {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry, timeout(ms = 5), retry(attempts = 4))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod option {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5, ms = 6))]
    impl Port for Http {
        #[retry]
        #[retry(attempts = 2)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
