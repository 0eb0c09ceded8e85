//! What may be sent again while the first call is under way.
#[path = "../support.rs"]
mod support;
use support::*;

pub trait Store {
    async fn get(&self) -> Result<u8, Failed>;
    async fn fill(&self, out: &mut Vec<u8>) -> Result<u8, Failed>;
    async fn put(&self) -> Result<u8, Failed>;
    async fn add(&self) -> Result<u8, Failed>;
}

mod on_methods {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Store for Http {
        #[hedge(after_ms = 5)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[idempotent]
        #[hedge(after_ms = 5)]
        async fn fill(&self, out: &mut Vec<u8>) -> Result<u8, Failed> {
            Ok(out.len() as u8)
        }

        #[non_idempotent]
        #[hedge(after_ms = 5)]
        async fn put(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[idempotent]
        #[hedge(after_ms = 5)]
        #[retry]
        async fn add(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod on_the_impl {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), hedge(after_ms = 5))]
    impl Two for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn put(&self, text: String) -> Result<u8, Failed> {
            Ok(text.len() as u8)
        }
    }
}

mod beside_retry {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), hedge(after_ms = 5), retry, idempotent)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
