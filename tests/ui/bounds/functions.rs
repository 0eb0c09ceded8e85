//! What a fallback and a probe take and answer is said where they are named.
#[path = "../support.rs"]
mod support;
use support::*;

pub trait Quotes {
    async fn get(&self, symbol: &str) -> Result<u8, Failed>;
    async fn put(&self, symbol: &str, text: String) -> Result<u8, Failed>;
    async fn add(&self, symbol: &str) -> Result<u8, Failed>;
    async fn all(&self) -> Result<u8, Failed>;
    async fn one(&self) -> Result<u8, Failed>;
    async fn two(&self) -> Result<u8, Failed>;
    async fn three(&self) -> Result<u8, Failed>;
}

impl Http {
    async fn too_few(&self, _: Failed) -> Result<u8, Failed> {
        Ok(1)
    }
    async fn of_another_type(&self, _: &str, _: u8, _: Failed) -> Result<u8, Failed> {
        Ok(1)
    }
    async fn answers_another_type(&self, _: &str, _: Failed) -> Result<String, Failed> {
        Ok(String::new())
    }
    fn not_async(&self, _: Failed) -> Result<u8, Failed> {
        Ok(1)
    }
    async fn asks_too_much(&self, _: u8) -> Result<(), Failed> {
        Ok(())
    }
}

#[adapter(kind = "external", timeout(ms = 5))]
impl Quotes for Http {
    #[fallback(with = Self::too_few)]
    async fn get(&self, symbol: &str) -> Result<u8, Failed> {
        Ok(symbol.len() as u8)
    }

    #[fallback(with = Self::of_another_type)]
    async fn put(&self, symbol: &str, text: String) -> Result<u8, Failed> {
        Ok((symbol.len() + text.len()) as u8)
    }

    #[fallback(with = Self::answers_another_type)]
    async fn add(&self, symbol: &str) -> Result<u8, Failed> {
        Ok(symbol.len() as u8)
    }

    #[fallback(with = Self::not_async)]
    async fn all(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[fallback(value = "none")]
    async fn one(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[circuit_breaker(probe = Self::asks_too_much)]
    async fn two(&self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[fallback(with = Self::nowhere)]
    async fn three(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
