//! What is cached is a value that may be old, so no aggregate that somebody changes and stores.
#[path = "../support.rs"]
mod support;
use std::sync::Arc;
use support::*;

#[derive(Clone)]
#[resil::aggregate]
pub struct Order;

#[derive(Clone)]
pub struct OrderView;

pub trait Orders {
    async fn one(&self, id: u8) -> Result<Order, Failed>;
    async fn some(&self, id: u8) -> Result<Option<Vec<(u8, Arc<Order>)>>, Failed>;
    async fn view(&self, id: u8) -> Result<Vec<OrderView>, Failed>;
}

#[adapter(kind = "gateway", timeout(ms = 5), cached(ttl_ms = 5))]
impl Orders for Http {
    async fn one(&self, id: u8) -> Result<Order, Failed> {
        let _ = id;
        Ok(Order)
    }

    async fn some(&self, id: u8) -> Result<Option<Vec<(u8, Arc<Order>)>>, Failed> {
        let _ = id;
        Ok(None)
    }

    // The legal neighbour.
    async fn view(&self, id: u8) -> Result<Vec<OrderView>, Failed> {
        let _ = id;
        Ok(Vec::new())
    }
}

fn main() {}
