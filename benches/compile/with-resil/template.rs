//! A port of many methods, behind policies. Lines between `//<` and `//>` stand once for each method, with its number for `@`; those
//! after `//reads:` are for `with-reads` alone.

#[derive(Debug)]
pub struct Failed;

pub struct FailedClasses;

impl resil::ErrorMap<Failed> for FailedClasses {
    fn classify(_: &Failed) -> resil::Classification {
        resil::Class::Transient.into()
    }

    fn policy(_: resil::PolicyError) -> Failed {
        Failed
    }
}

pub struct Http;

impl Http {
    async fn fetch(&self, _: &str, _: Vec<u8>) -> Result<u64, Failed> {
        std::future::pending().await
    }
}

//<
//reads: #[derive(Clone)]
pub struct Answer@(pub u64);
//>

pub trait Port {
    //<
    fn method_@(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer@, Failed>> + Send;
    //>
}

#[resil::adapter(
    kind = "external",
    errors = FailedClasses,
    idempotent,
    retry(attempts = 3),
    circuit_breaker(failure_threshold = 5),
    bulkhead(max_concurrent = 64),
    //reads: deadline(ms = 6000),
    //reads: rate_limit(permits = 100),
    //reads: cached(ttl_ms = 5),
    timeout(ms = 2000)
)]
impl Port for Http {
    //<
    //reads: #[fallback(value = Answer@(7))]
    async fn method_@(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer@, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer@(found + id))
    }
    //>
}

pub async fn all(port: &ResilientHttp) -> Result<u64, Failed> {
    let mut sum = 0;
    //<
    sum += port.method_@(@, "name", Vec::new()).await?.0;
    //>
    Ok(sum)
}

pub fn boxed(port: &ResilientHttp) -> std::pin::Pin<Box<dyn Future<Output = Result<u64, Failed>> + Send + '_>> {
    Box::pin(all(port))
}
