//! What `#[resilient]` needs of a function, and where it does not belong.
#[path = "../support.rs"]
mod support;
use resil::resilient;
use support::*;

#[resilient(timeout(ms = 5))]
async fn no_kind() -> Result<u8, Failed> {
    Ok(1)
}

#[resilient(kind = "external", retry)]
async fn unbounded() -> Result<u8, Failed> {
    Ok(1)
}

#[resilient(kind = "external", timeout(ms = 5))]
fn not_async() -> Result<u8, Failed> {
    Ok(1)
}

#[resilient(kind = "external", timeout(ms = 5))]
async fn hidden() -> Result<impl Iterator<Item = u8>, Failed> {
    Ok([1].into_iter())
}

#[resilient(kind = "external", timeout(ms = 5), state = own, wrapper = Other)]
async fn free() -> Result<u8, Failed> {
    Ok(1)
}

#[resilient(kind = "external", timeout(ms = 5))]
struct Item;

pub struct Rates {
    state: resil::State,
}

impl Rates {
    #[resilient(kind = "external", timeout(ms = 5))]
    async fn mutable(&mut self) -> Result<u8, Failed> {
        Ok(1)
    }

    #[resilient(kind = "external", timeout(ms = 5), bulkhead(max_concurrent = 3, scope = "instance"))]
    async fn shared(&self) -> Result<u8, Failed> {
        let _ = &self.state;
        Ok(1)
    }
}

#[adapter(kind = "external", timeout(ms = 5), state = own)]
impl Port for Http {
    #[resilient(kind = "external", timeout(ms = 5))]
    async fn get(&self) -> Result<u8, Failed> {
        Ok(1)
    }
}

fn main() {}
