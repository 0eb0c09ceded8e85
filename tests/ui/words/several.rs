//! All mistakes are reported in one run, and none follows from another.
#[path = "../support.rs"]
mod support;
use support::*;

#[adapter(kind = "externl", retry(attempts = 0, jiter = "full") timeout(ms = "2s"), colour = 3)]
impl Two for Http {
    #[retry(attempts = 2, factor = 0.5)]
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[idempotent]
    #[non_idempotent]
    #[own]
    async fn put(&self, _: String) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn uses(http: Http) -> impl Two {
    ResilientHttp::new(http)
}

fn main() {}
