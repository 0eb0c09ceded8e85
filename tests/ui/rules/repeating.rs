//! A retry for several methods says which may be repeated; a repository is not retried.
#[path = "../support.rs"]
mod support;
use support::*;

mod several {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry, timeout(ms = 5))]
    impl Two for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn put(&self, _: String) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod both_marks {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        #[idempotent]
        #[non_idempotent]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod repository {
    use super::*;

    pub struct Http;

    #[adapter(kind = "repository", timeout(ms = 5), retry)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
