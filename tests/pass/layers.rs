//! What belongs to no inner layer, whatever its surroundings are called; and what was decided to stand in one.
#![deny(warnings)]

#[path = "../ui/support.rs"]
mod support;

mod domain {
    /// The last layer counts.
    pub mod infrastructure {
        use crate::support::*;

        pub struct Http;

        #[adapter(kind = "external")]
        impl Port for Http {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(1)
            }
        }
    }

    pub mod decided {
        use crate::support::*;

        pub struct Http;

        #[adapter(kind = "external", allow(layer, reason = "moves out with the next version"))]
        impl Port for Http {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(2)
            }
        }

        pub struct Sql;

        #[adapter(
            kind = "repository",
            timeout(ms = 5),
            retry,
            allow(layer, retry, reason = "the example of the handbook")
        )]
        impl Port for Sql {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(3)
            }
        }
    }

    /// A macro of the domain's that is used elsewhere.
    macro_rules! adapt {
        ($adapter:ident) => {
            pub struct $adapter;

            #[adapter(kind = "external")]
            impl Port for $adapter {
                async fn get(&self) -> Result<u8, Failed> {
                    Ok(4)
                }
            }
        };
    }
    pub(crate) use adapt;

    /// Not compiled, so not looked at.
    pub mod left_out {
        #[cfg(any())]
        #[resil::adapter(kind = "external")]
        impl Port for Http {}

        #[resil::adapter(kind = "external")]
        #[cfg(any())]
        impl Port for Http {}
    }
}

#[path = "../ui/layers/parts/plain.rs"]
mod plain;

mod sms {
    use crate::support::*;

    crate::domain::adapt!(Http);

    /// A name is no layer unless it is a module's.
    pub mod domain_events {
        use crate::support::*;

        #[allow(non_camel_case_types)]
        pub struct domain;

        #[adapter(kind = "external", name = "domain", context = "domain", wrapper = Domain)]
        #[allow(non_camel_case_types)]
        impl Port for domain {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(5)
            }
        }
    }

    pub fn domain() -> impl Port {
        struct Local;

        #[adapter(kind = "external", vis = pub(self))]
        impl Port for Local {
            async fn get(&self) -> Result<u8, Failed> {
                Ok(6)
            }
        }
        ResilientLocal::new(Local)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    use support::Port as _;

    let gets = [
        domain::infrastructure::ResilientHttp::new(domain::infrastructure::Http).get().await,
        domain::decided::ResilientHttp::new(domain::decided::Http).get().await,
        domain::decided::ResilientSql::new(domain::decided::Sql).get().await,
        sms::ResilientHttp::new(sms::Http).get().await,
        sms::domain_events::Domain::new(sms::domain_events::domain).get().await,
        sms::domain().get().await,
        plain::ResilientPlain::new(plain::Plain).get().await,
    ];
    let got: Vec<u8> = gets.into_iter().map(Result::unwrap).collect();
    assert_eq!(got, [1, 2, 3, 4, 5, 6, 1]);
}
