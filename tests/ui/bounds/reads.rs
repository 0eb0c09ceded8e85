//! What makes a key, and what is kept under it.
#[path = "../support.rs"]
mod support;
use support::*;
use std::time::Duration;

#[derive(Clone)]
pub struct NoHash;
pub struct NoClone;

pub trait Store {
    async fn a(&self, shop: &str) -> Result<u8, Failed>;
    async fn b(&self, shop: &str) -> Result<u8, Failed>;
    async fn c(&self, of: NoHash) -> Result<u8, Failed>;
    async fn d(&self, of: NoClone) -> Result<u8, Failed>;
    async fn e(&self) -> Result<NoClone, Failed>;
    async fn f(&self, of: &NoClone) -> Result<u8, Failed>;
    async fn g(&self, shop: &str) -> Result<u8, Failed>;
}

fn key_of_two(_: &str, _: u8) -> u8 { 1 }
fn key_without_hash(_: &str) -> NoHash { NoHash }
fn with_age(value: String, _: Duration) -> String { value }

#[adapter(kind = "external", timeout(ms = 5), cached(ttl_ms = 50))]
impl Store for Http {
    #[cached(ttl_ms = 50, key = key_of_two)]
    async fn a(&self, shop: &str) -> Result<u8, Failed> { Ok(shop.len() as u8) }
    #[cached(ttl_ms = 50, aged = with_age)]
    async fn b(&self, shop: &str) -> Result<u8, Failed> { Ok(shop.len() as u8) }
    async fn c(&self, of: NoHash) -> Result<u8, Failed> { let NoHash = of; Ok(1) }
    async fn d(&self, of: NoClone) -> Result<u8, Failed> { let NoClone = of; Ok(1) }
    async fn e(&self) -> Result<NoClone, Failed> { Ok(NoClone) }
    async fn f(&self, of: &NoClone) -> Result<u8, Failed> { let NoClone = of; Ok(1) }
    #[cached(ttl_ms = 50, key = key_without_hash)]
    async fn g(&self, shop: &str) -> Result<u8, Failed> { Ok(shop.len() as u8) }
}

fn main() {}
