//! The same port where every method is also cached and has a fallback. Lines between `//<` and `//>` stand once for each method, with its number for `@`.

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

#[derive(Clone)]
pub struct Answer1(pub u64);
#[derive(Clone)]
pub struct Answer2(pub u64);
#[derive(Clone)]
pub struct Answer3(pub u64);
#[derive(Clone)]
pub struct Answer4(pub u64);
#[derive(Clone)]
pub struct Answer5(pub u64);
#[derive(Clone)]
pub struct Answer6(pub u64);
#[derive(Clone)]
pub struct Answer7(pub u64);
#[derive(Clone)]
pub struct Answer8(pub u64);
#[derive(Clone)]
pub struct Answer9(pub u64);
#[derive(Clone)]
pub struct Answer10(pub u64);
#[derive(Clone)]
pub struct Answer11(pub u64);
#[derive(Clone)]
pub struct Answer12(pub u64);
#[derive(Clone)]
pub struct Answer13(pub u64);
#[derive(Clone)]
pub struct Answer14(pub u64);
#[derive(Clone)]
pub struct Answer15(pub u64);
#[derive(Clone)]
pub struct Answer16(pub u64);
#[derive(Clone)]
pub struct Answer17(pub u64);
#[derive(Clone)]
pub struct Answer18(pub u64);
#[derive(Clone)]
pub struct Answer19(pub u64);
#[derive(Clone)]
pub struct Answer20(pub u64);

pub trait Port {
    fn method_1(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer1, Failed>> + Send;
    fn method_2(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer2, Failed>> + Send;
    fn method_3(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer3, Failed>> + Send;
    fn method_4(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer4, Failed>> + Send;
    fn method_5(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer5, Failed>> + Send;
    fn method_6(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer6, Failed>> + Send;
    fn method_7(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer7, Failed>> + Send;
    fn method_8(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer8, Failed>> + Send;
    fn method_9(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer9, Failed>> + Send;
    fn method_10(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer10, Failed>> + Send;
    fn method_11(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer11, Failed>> + Send;
    fn method_12(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer12, Failed>> + Send;
    fn method_13(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer13, Failed>> + Send;
    fn method_14(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer14, Failed>> + Send;
    fn method_15(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer15, Failed>> + Send;
    fn method_16(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer16, Failed>> + Send;
    fn method_17(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer17, Failed>> + Send;
    fn method_18(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer18, Failed>> + Send;
    fn method_19(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer19, Failed>> + Send;
    fn method_20(
        &self,
        id: u64,
        name: &str,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<Answer20, Failed>> + Send;
}

#[resil::adapter(
    kind = "external",
    errors = FailedClasses,
    idempotent,
    retry(attempts = 3),
    circuit_breaker(failure_threshold = 5),
    bulkhead(max_concurrent = 64),
    deadline(ms = 6000),
    rate_limit(permits = 100),
    timeout(ms = 2000),
    cached(ttl_ms = 5),
)]
impl Port for Http {
    #[fallback(value = Answer1(7))]
    async fn method_1(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer1, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer1(found + id))
    }
    #[fallback(value = Answer2(7))]
    async fn method_2(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer2, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer2(found + id))
    }
    #[fallback(value = Answer3(7))]
    async fn method_3(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer3, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer3(found + id))
    }
    #[fallback(value = Answer4(7))]
    async fn method_4(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer4, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer4(found + id))
    }
    #[fallback(value = Answer5(7))]
    async fn method_5(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer5, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer5(found + id))
    }
    #[fallback(value = Answer6(7))]
    async fn method_6(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer6, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer6(found + id))
    }
    #[fallback(value = Answer7(7))]
    async fn method_7(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer7, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer7(found + id))
    }
    #[fallback(value = Answer8(7))]
    async fn method_8(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer8, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer8(found + id))
    }
    #[fallback(value = Answer9(7))]
    async fn method_9(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer9, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer9(found + id))
    }
    #[fallback(value = Answer10(7))]
    async fn method_10(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer10, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer10(found + id))
    }
    #[fallback(value = Answer11(7))]
    async fn method_11(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer11, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer11(found + id))
    }
    #[fallback(value = Answer12(7))]
    async fn method_12(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer12, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer12(found + id))
    }
    #[fallback(value = Answer13(7))]
    async fn method_13(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer13, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer13(found + id))
    }
    #[fallback(value = Answer14(7))]
    async fn method_14(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer14, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer14(found + id))
    }
    #[fallback(value = Answer15(7))]
    async fn method_15(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer15, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer15(found + id))
    }
    #[fallback(value = Answer16(7))]
    async fn method_16(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer16, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer16(found + id))
    }
    #[fallback(value = Answer17(7))]
    async fn method_17(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer17, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer17(found + id))
    }
    #[fallback(value = Answer18(7))]
    async fn method_18(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer18, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer18(found + id))
    }
    #[fallback(value = Answer19(7))]
    async fn method_19(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer19, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer19(found + id))
    }
    #[fallback(value = Answer20(7))]
    async fn method_20(&self, id: u64, name: &str, body: Vec<u8>) -> Result<Answer20, Failed> {
        let found = self.fetch(name, body).await?;
        Ok(Answer20(found + id))
    }
}

pub async fn all(port: &ResilientHttp) -> Result<u64, Failed> {
    let mut sum = 0;
    sum += port.method_1(1, "name", Vec::new()).await?.0;
    sum += port.method_2(2, "name", Vec::new()).await?.0;
    sum += port.method_3(3, "name", Vec::new()).await?.0;
    sum += port.method_4(4, "name", Vec::new()).await?.0;
    sum += port.method_5(5, "name", Vec::new()).await?.0;
    sum += port.method_6(6, "name", Vec::new()).await?.0;
    sum += port.method_7(7, "name", Vec::new()).await?.0;
    sum += port.method_8(8, "name", Vec::new()).await?.0;
    sum += port.method_9(9, "name", Vec::new()).await?.0;
    sum += port.method_10(10, "name", Vec::new()).await?.0;
    sum += port.method_11(11, "name", Vec::new()).await?.0;
    sum += port.method_12(12, "name", Vec::new()).await?.0;
    sum += port.method_13(13, "name", Vec::new()).await?.0;
    sum += port.method_14(14, "name", Vec::new()).await?.0;
    sum += port.method_15(15, "name", Vec::new()).await?.0;
    sum += port.method_16(16, "name", Vec::new()).await?.0;
    sum += port.method_17(17, "name", Vec::new()).await?.0;
    sum += port.method_18(18, "name", Vec::new()).await?.0;
    sum += port.method_19(19, "name", Vec::new()).await?.0;
    sum += port.method_20(20, "name", Vec::new()).await?.0;
    Ok(sum)
}

pub fn boxed(port: &ResilientHttp) -> std::pin::Pin<Box<dyn Future<Output = Result<u64, Failed>> + Send + '_>> {
    Box::pin(all(port))
}
