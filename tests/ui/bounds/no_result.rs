//! What has policies answers with a Result.
#[path = "../support.rs"]
mod support;
use support::*;

pub trait Plain {
    async fn get(&self) -> u8;
    fn none(&self) -> impl Future<Output = ()>;
}

#[adapter(kind = "external")]
impl Plain for Http {
    async fn get(&self) -> u8 {
        1
    }

    async fn none(&self) {}
}

fn main() {}
