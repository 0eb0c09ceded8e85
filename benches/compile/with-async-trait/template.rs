//! The same port with `#[async_trait]`, and a wrapper that only delegates. Lines between `//<` and `//>` stand once for each
//! method, with its number for `@`.

use async_trait::async_trait;

#[derive(Debug)]
pub struct Failed;

pub struct Http;

impl Http {
    async fn fetch(&self, _: &str, _: Vec<u8>) -> Result<u64, Failed> {
        std::future::pending().await
    }
}

//<
pub struct Answer@(pub u64);
//>

#[async_trait]
pub trait Port {
    //<
    async fn method_@(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer@, Failed>;
    //>
}

#[async_trait]
impl Port for Http {
    //<
    async fn method_@(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer@, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer@(found + id))
    }
    //>
}

pub struct Wrapped {
    pub inner: Http,
}

#[async_trait]
impl Port for Wrapped {
    //<
    async fn method_@(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer@, Failed> {
        self.inner.method_@(id, name, body).await
    }
    //>
}

pub async fn all(port: &Wrapped) -> Result<u64, Failed> {
    let mut sum = 0;
    //<
    sum += port.method_@(@, "name", Vec::new()).await?.0;
    //>
    Ok(sum)
}

pub fn boxed(port: &Wrapped) -> std::pin::Pin<Box<dyn Future<Output = Result<u64, Failed>> + Send + '_>> {
    Box::pin(all(port))
}
