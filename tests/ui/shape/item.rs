//! Only the impl of a port can be wrapped.
#[path = "../support.rs"]
mod support;
use support::*;

mod inherent {
    use super::*;

    pub struct Own;

    #[adapter(kind = "external")]
    impl Own {
        #[timeout(ms = 5)]
        pub async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod item {
    use super::*;

    #[adapter(kind = "external")]
    pub struct Own;
}

mod unsafe_trait {
    use super::*;

    pub struct Http;

    pub unsafe trait Promise {
        async fn get(&self) -> Result<u8, Failed>;
    }

    #[adapter(kind = "external")]
    unsafe impl Promise for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod no_path {
    use super::*;

    #[adapter(kind = "external")]
    impl Port for (Http, Http) {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
