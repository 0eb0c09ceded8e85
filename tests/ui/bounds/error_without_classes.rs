//! An error says what it means for the dependency, and can carry a PolicyError.
#[path = "../support.rs"]
mod support;
use support::*;

mod no_classes {
    use super::*;

    pub struct Http;

    pub struct Bare;

    pub trait Bared {
        async fn get(&self) -> Result<u8, Bare>;
    }

    #[adapter(kind = "external", retry, timeout(ms = 5))]
    impl Bared for Http {
        async fn get(&self) -> Result<u8, Bare> {
            Ok(1)
        }
    }
}

mod no_map {
    use super::*;

    pub struct Http;

    pub struct Map;

    #[adapter(kind = "external", errors = Map)]
    impl Port for Http {
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod no_policy_error {
    use super::*;

    pub struct Http;

    #[derive(resil::Classify)]
    pub enum Half {
        #[class(refusal)]
        Refused,
    }

    pub trait Halved {
        async fn get(&self) -> Result<u8, Half>;
    }

    #[adapter(kind = "external")]
    impl Halved for Http {
        async fn get(&self) -> Result<u8, Half> {
            Err(Half::Refused)
        }
    }
}

mod erased {
    use super::*;

    pub struct Http;

    pub trait Erased {
        async fn get(&self) -> Result<u8, Box<dyn std::error::Error>>;
    }

    #[adapter(kind = "external")]
    impl Erased for Http {
        async fn get(&self) -> Result<u8, Box<dyn std::error::Error>> {
            Ok(1)
        }
    }
}

fn main() {}
