//! What a stated retry needs again can be cloned.
#[path = "../support.rs"]
mod support;
use support::*;

pub struct Token;

pub trait Taking {
    async fn put(&self, id: u8, token: Token) -> Result<u8, Failed>;
}

#[adapter(kind = "external", retry, timeout(ms = 5))]
impl Taking for Http {
    async fn put(&self, id: u8, token: Token) -> Result<u8, Failed> {
        let Token = token;
        Ok(id)
    }
}

mod lasting {
    use super::*;

    pub struct Other;

    #[adapter(kind = "external", timeout(ms = 5), fallback(value = token.0.len() as u8))]
    impl Handing for Other {
        async fn hand(&self, token: Ticket) -> Result<u8, Failed> {
            Ok(token.0.len() as u8)
        }
    }
}

mod raced {
    use super::*;

    #[adapter(kind = "external", timeout(ms = 5), hedge(after_ms = 5), idempotent)]
    impl Handing for Http {
        async fn hand(&self, token: Ticket) -> Result<u8, Failed> {
            Ok(token.0.len() as u8)
        }
    }
}

pub struct Ticket(String);

pub trait Handing {
    async fn hand(&self, token: Ticket) -> Result<u8, Failed>;
}

fn main() {}
