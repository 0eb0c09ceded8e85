//! The kind is stated, and one of three words.
#[path = "../support.rs"]
mod support;
use support::*;

mod missing {
    use super::*;

    pub struct Http;

    #[adapter(retry, timeout(ms = 5))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod misspelt {
    use super::*;

    pub struct Http;

    #[adapter(kind = "externl")]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod not_quoted {
    use super::*;

    pub struct Http;

    #[adapter(kind = external)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
