//! With `RESIL_FORBIDDEN_LAYERS="usecases, rules"`: what is listed is a layer like the domain.
#[path = "../../support.rs"]
mod support;

mod usecases {
    use crate::support::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }

    pub mod adapters {
        use crate::support::*;

        pub struct Allowed;

        #[adapter(kind = "external")]
        impl Port for Allowed {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(1)
            }
        }
    }
}

mod not_listed {
    use crate::support::*;

    pub struct Allowed;

    #[adapter(kind = "external")]
    impl Port for Allowed {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
