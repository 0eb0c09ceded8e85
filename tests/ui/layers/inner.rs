//! An adapter does not stand in the domain or application layer: in a nested module, an inline one, or within a function there.
#[path = "../support.rs"]
mod support;

mod domain {
    use crate::support::*;

    pub struct Http;

    #[adapter(kind = "external")]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }

    pub mod billing {
        pub mod invoices {
            use crate::support::*;

            pub struct Http;

            #[adapter(kind = "external", timeout(ms = 5))]
            impl Port for Http {
                async fn get(&self) -> Result<u8, Failed> {
                    Ok(1)
                }
            }
        }
    }
}

mod infrastructure {
    pub mod application {
        pub fn within() {
            use crate::support::*;

            struct Local;

            #[adapter(kind = "external", vis = pub(self))]
            impl Port for Local {
                async fn get(&self) -> Result<u8, Failed> {
                    Ok(1)
                }
            }
        }
    }
}

fn main() {}
