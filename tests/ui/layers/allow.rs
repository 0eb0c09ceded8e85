//! An exception has a reason, and names what it is for. What is wrong with it is said once.
#[path = "../support.rs"]
mod support;

mod domain {
    pub mod without_reason {
        use crate::support::*;

        pub struct Http;

        #[adapter(kind = "external", allow(layer))]
        impl Port for Http {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(1)
            }
        }
    }

    pub mod misspelt {
        use crate::support::*;

        pub struct Http;

        #[adapter(kind = "external", allow(layers, reason = "moves out next"))]
        impl Port for Http {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(1)
            }
        }
    }

    pub mod of_something_else {
        use crate::support::*;

        pub struct Http;

        #[adapter(kind = "repository", timeout(ms = 5), retry, allow(retry, reason = "reads only"))]
        impl Port for Http {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(1)
            }
        }
    }
}

fn main() {}
