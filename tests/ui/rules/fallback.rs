//! A fallback is one function or one value, which knows nothing of the wrapper.
#[path = "../support.rs"]
mod support;
use support::*;

mod neither {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), fallback)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod both {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), fallback(with = Self::stored, value = 1))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod no_path {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), fallback(with = Self::stored()))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod of_the_wrapper {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), fallback(value = self.stored))]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
