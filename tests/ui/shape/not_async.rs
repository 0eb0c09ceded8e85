//! Policies are for async methods.
#[path = "../support.rs"]
mod support;
use support::*;

mod none {
    use super::*;

    pub struct Http;

    pub trait Sync {
        fn get(&self) -> u8;
    }

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Sync for Http {
        fn get(&self) -> u8 {
            1
        }
    }
}

mod one {
    use super::*;

    pub struct Http;

    pub trait Mixed {
        const N: u8;
        fn get(&self) -> Result<u8, Failed>;
        async fn put(&self) -> Result<u8, Failed>;
    }

    #[adapter(kind = "external")]
    impl Mixed for Http {
        #[retry(off)]
        const N: u8 = 1;

        #[timeout(ms = 5)]
        fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn put(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
