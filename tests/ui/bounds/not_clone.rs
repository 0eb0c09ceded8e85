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

fn main() {}
