//! An unknown policy, key or option comes with the nearest name and all others.
#[path = "../support.rs"]
mod support;
use support::*;

mod policy {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retyr(attempts = 3), timeout(ms = 5))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod key {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", contxt = "billing")]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod option {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry(atempts = 3), timeout(ms = 5))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod method_option {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Port for Http {
        #[retry(jiter = "full")]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
