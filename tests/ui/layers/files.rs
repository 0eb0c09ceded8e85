//! The module counts, whatever file it stands in: behind `#[path]` and `include!`, and written by a macro from elsewhere.
#[path = "../support.rs"]
mod support;

mod infrastructure {
    macro_rules! adapt {
        ($adapter:ident) => {
            pub struct $adapter;

            #[adapter(kind = "external")]
            impl Port for $adapter {
                async fn get(&self) -> Result<u8, Failed> {
                    Ok(1)
                }
            }
        };
    }
    pub(crate) use adapt;
}

mod domain {
    use crate::support::*;

    crate::infrastructure::adapt!(Http);

    pub mod included {
        include!("parts/plain.rs");
    }
}

#[path = "parts/plain.rs"]
mod application;

fn main() {}
