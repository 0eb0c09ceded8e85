//! What a cache can answer for: reads, under a key that can be kept.
#[path = "../support.rs"]
mod support;
use support::*;

pub struct Query<'a>(&'a str);

pub trait Store {
    async fn put(&self, text: &str) -> Result<(), Failed>;
    async fn next(&mut self) -> Result<u8, Failed>;
    async fn any(&self, of: impl AsRef<str>) -> Result<u8, Failed>;
    async fn find(&self, query: Query<'_>) -> Result<u8, Failed>;
    async fn get(&self) -> Result<u8, Failed>;
}

mod on_methods {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5))]
    impl Store for Http {
        #[cached(ttl_ms = 50)]
        async fn put(&self, text: &str) -> Result<(), Failed> {
            drop(text.len());
            Ok(())
        }

        #[cached(ttl_ms = 50)]
        async fn next(&mut self) -> Result<u8, Failed> {
            Ok(1)
        }

        #[cached(ttl_ms = 50)]
        async fn any(&self, of: impl AsRef<str>) -> Result<u8, Failed> {
            Ok(of.as_ref().len() as u8)
        }

        #[cached(ttl_ms = 50)]
        async fn find(&self, query: Query<'_>) -> Result<u8, Failed> {
            Ok(query.0.len() as u8)
        }

        #[cached(ttl_ms = 50, key = 3, agd = later)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

mod on_the_impl {
    use super::*;

    pub struct Http;

    #[adapter(kind = "external", timeout(ms = 5), cached(ttl_ms = 50))]
    impl Store for Http {
        async fn put(&self, text: &str) -> Result<(), Failed> {
            drop(text.len());
            Ok(())
        }

        async fn next(&mut self) -> Result<u8, Failed> {
            Ok(1)
        }

        async fn any(&self, of: impl AsRef<str>) -> Result<u8, Failed> {
            Ok(of.as_ref().len() as u8)
        }

        async fn find(&self, query: Query<'_>) -> Result<u8, Failed> {
            Ok(query.0.len() as u8)
        }

        #[cached(off)]
        async fn get(&self) -> Result<u8, Failed> {
            Ok(1)
        }
    }
}

fn main() {}
