//! What is wrong in a body is said there.
#[path = "../support.rs"]
mod support;
use support::*;

use std::rc::Rc;

pub trait Sending {
    fn get(&self) -> impl Future<Output = Result<u8, Failed>> + Send;
}

mod wrong_value {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry, timeout(ms = 5))]
    impl Sending for Http {
        async fn get(&self) -> Result<u8, Failed> {
            let n: u8 = "text";
            Ok(n)
        }
    }
}

mod not_send {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", retry, timeout(ms = 5))]
    impl Sending for Http {
        async fn get(&self) -> Result<u8, Failed> {
            let counted = Rc::new(1);
            std::future::ready(()).await;
            Ok(*counted)
        }
    }
}

fn main() {}
