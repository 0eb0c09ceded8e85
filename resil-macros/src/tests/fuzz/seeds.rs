//! Sound inputs, in all forms that are known, and the tokens that are thrown at them.

/// What the attribute says, and the impl below it.
pub(super) const IMPLS: &[(&str, &str)] = &[
    (
        r#"kind = "external", errors = SmsErrors, retry(attempts = 3), timeout(ms = 2000)"#,
        "impl SmsSender for HttpSmsSender {
            async fn send(&self, phone: &str, text: String) -> Result<(), SmsError> { self.client.post(phone, &text).await }
        }",
    ),
    (
        r#"kind = "gateway", name = "catalogue", context = "orders", vis = pub(crate), wrapper = Catalogue, crate = policies::resil,
        retry(attempts = 5, base_ms = 10, factor = 1.5, max_ms = 1_000, jitter = "equal", budget = "off", budget_min_per_s = 1),
        timeout(ms = 500, mode = "observe"), no_timeout = "the client has a limit of 5 s",
        circuit_breaker(failure_rate = 1, window_ms = 10_000, min_calls = 4, slow_ms = 400, slow_rate = 0.9, scope = "instance"),
        bulkhead(max_concurrent = 8, max_queued = 16, max_wait_ms = 250)"#,
        "impl Reader for HttpCatalogue { async fn read(&self) -> Result<(), ReadError> { todo!() } }",
    ),
    (
        r#"kind = "external", retry, timeout(ms = 2000), circuit_breaker"#,
        r#"/// Kept.
        impl Payments for HttpPayments {
            /// Kept.
            #[idempotent]
            async fn status(&self, id: u64) -> Result<Status, PayError> { self.get(id).await }
            #[non_idempotent] #[timeout(ms = 10_000)]
            async fn charge(&self, order: Order) -> Result<(), PayError> { self.post(order).await }
            #[retry(off)] #[circuit_breaker(off)]
            async fn refund(&self, order: Order) -> Result<(), PayError> { self.post(order).await }
            #[own(reason = "answers from memory")]
            async fn limits(&self) -> Limits { self.limits }
            #[cfg_attr(test, inline)]
            fn name(&self) -> &str { "http" }
        }"#,
    ),
    (
        r#"kind = "repository", own(reason = "one statement each, bounded by the pool"), allow(layer, retry, reason = "x")"#,
        "impl Orders for SqlOrders {
            async fn get(&self, id: u64) -> Result<Order, StoreError> { todo!() }
            #[timeout(ms = 50)]
            #[bulkhead(max_concurrent = 3)]
            async fn count(&self) -> Result<u64, StoreError> { todo!() }
        }",
    ),
    (
        r#"kind = "external", timeout(ms = 5)"#,
        "#[async_trait::async_trait(?Send)]
        impl Port for Http { async fn get(&mut self, key: &str) -> Result<u8, Failed> { self.0.get(key).await } }",
    ),
    (
        r#"kind = "external", retry, timeout(ms = 5)"#,
        "impl Port for Http {
            #[allow(clippy::type_complexity)]
            fn get<'life0, 'life1, 'async_trait>(&'life0 self, key: &'life1 str, mut owned: String)
                -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u8, Failed>> + ::core::marker::Send + 'async_trait>>
            where 'life0: 'async_trait, 'life1: 'async_trait, Self: 'async_trait,
            { Box::pin(async move { todo!() }) }
        }",
    ),
    (
        r#"kind = "external", no_timeout = "because", circuit_breaker(failure_threshold = 3, within_ms = 9), idempotent"#,
        "impl Port for Http {
            fn by_impl(&self) -> impl Future<Output = Result<u8, Failed>> + Send { async { Ok(1) } }
            fn boxed(&self, mut n: u8) -> BoxFuture<'_, Result<u8, Failed>> { async move { Ok(n) }.boxed() }
            fn local<'a>(&'a self, key: &'a str) -> LocalBoxFuture<'a, Result<u8, Failed>> { todo!() }
        }",
    ),
    (
        r#"kind = "external", retry, timeout(ms = 5),"#,
        r#"#[cfg(feature = "http")]
        impl<'a, T, K, const N: usize> Store<'a, T> for Http<'_, K, N>
        where K: Lookup<Key = T> + Clone, T: Send + Sync + 'a, Self: Sync,
        {
            type Lent<'b> = &'b K where Self: 'b;
            const LIMIT: usize = { N };
            #[cfg(test)]
            const NAMES: &'static [&'static str] = &["a", "b"];
            async fn get<U: AsRef<str>>(&self, (key, _): (T, U), #[cfg(test)] at: Instant, out: &mut Vec<K>) -> Result<Self::Lent<'_>, Failed> {
                let half = self . ;
            }
            fn r#type(self: Box<Self>, r#in: impl Fn(u8) -> u8, [a, b]: [u8; 2]) -> u8 { 0 }
        }"#,
    ),
    (
        r#"kind = "external", wrapper = Named, errors = Map<fn() -> u8, Self::Item>"#,
        "impl<T> a::Port<T> for &'static Http where T: for<'x> Of<'x> { async fn get(self: &Self, a: [u8; 4], b: Vec<u8>) -> Result<(), Failed> { } }",
    ),
    (
        r#"kind = "external", deadline(ms = 9_000), rate_limit(permits = 5, per_ms = 100, max_wait_ms = 3), timeout(ms = 2000),
        circuit_breaker(probe = Self::healthy, scope = "instance"), fallback(with = Self::other)"#,
        r"impl Catalogue for Http {
            #[cached(ttl_ms = 5_000, capacity = 10, key = Self::key, stale_if_error_ms = 1, aged = Page::aged)]
            #[fallback(value = Page { items: vec![1, 2], total: 0 })]
            async fn page(&self, id: u64, shop: String) -> Result<Page, Failed> { todo!() }
            #[hedge(after_ms = 50, max = 2)] #[idempotent] #[fallback(off)]
            async fn price(self: Arc<Self>, id: u64) -> Result<u8, Failed> { todo!() }
        }",
    ),
];

/// Nothing, and a type.
pub(super) const TYPES: &[(&str, &str)] = &[
    (
        "",
        r#"#[derive(Debug)]
        pub enum SmsError {
            #[class(refusal)] NumberRefused,
            #[class(transient, not_sent, code = "refused")] Connect(Error),
            #[class(transient, retry_after = wait)] Busy { wait: Duration, by: String },
            #[class(transient, retry_after = 1)] Throttled(String, Option<Duration>),
            #[class(permanent)] #[error("x")] HTTPStatus(u16) ,
            #[class(policy)] Policy(#[from] resil::PolicyError),
            #[class(inherit)] Http { source: HttpError },
            #[class(inherit = source, code = "db", not_sent)] Database { source: DbError, statement: String },
            #[class(refusal)] r#Type = 3,
        }"#,
    ),
    (
        "",
        "#[class(inherit = inner, crate = policies)]
        struct Wrapped<'a, E: Debug, const N: usize = 3> where E: 'a { inner: Box<E>, about: &'a [u8; N] }",
    ),
    ("", "#[class(transient)] pub(crate) struct Gone;"),
    ("", "#[class(policy)] struct Refused<T>(T) where T: Of;"),
    ("", "#[class(crate = ::resil)] enum Never {}"),
];

/// Tokens for impls.
pub(super) const IMPL_TEXTS: &[&str] = &[
    "impl",
    "for",
    "fn",
    "async",
    "self",
    "Self",
    "where",
    "type",
    "const",
    "unsafe",
    "extern",
    "crate",
    "super",
    "mut",
    "pub",
    "dyn",
    "as",
    "in",
    "ref",
    "default",
    "static",
    "struct",
    "await",
    "r#type",
    "r#async",
    "r#retry",
    "r#kind",
    "_",
    "x",
    "ünï",
    "kind",
    "errors",
    "wrapper",
    "vis",
    "name",
    "context",
    "idempotent",
    "non_idempotent",
    "own",
    "off",
    "of",
    "reason",
    "no_timeout",
    "allow",
    "layer",
    "retry",
    "timeout",
    "circuit_breaker",
    "bulkhead",
    "cached",
    "fallback",
    "deadline",
    "hedge",
    "rate_limit",
    "ttl_ms",
    "key",
    "probe",
    "with",
    "value",
    "after_ms",
    "Arc",
    "ms",
    "attempts",
    "retyr",
    "mode",
    "scope",
    "cfg",
    "cfg_attr",
    "async_trait",
    "Future",
    "Output",
    "Pin",
    "Box",
    "BoxFuture",
    "Result",
    "Port",
    "'a",
    "'static",
    "'_",
    "\"external\"",
    "\"externl\"",
    "\"repository\"",
    "\"off\"",
    "\"instance\"",
    "\"observe\"",
    "\"\"",
    "\" \"",
    "\"2s\"",
    "\"a\\u{301}\\0\\n\"",
    "r#\"raw\"#",
    "b\"bytes\"",
    "c\"text\"",
    "'x'",
    "b'x'",
    "0",
    "1",
    "3",
    "0x_ff",
    "1_000_000",
    "1_000_001",
    "315360000001",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999",
    "2s",
    "5u8",
    "1.5",
    "1e400",
    "0.0",
    "1.0e-9",
    "1.",
    "2f64",
    "1_f32",
    "=",
    ",",
    ";",
    ":",
    "<",
    ">",
    "&",
    "*",
    "!",
    "?",
    ".",
    "#",
    "$",
    "@",
    "^",
    "|",
    "~",
    "+",
    "-",
    "/",
    "%",
    "::",
    "->",
    "=>",
    "..",
    "==",
];

/// Tokens for types with classes.
pub(super) const TYPE_TEXTS: &[&str] = &[
    "enum",
    "struct",
    "union",
    "pub",
    "crate",
    "where",
    "Self",
    "self",
    "for",
    "const",
    "dyn",
    "fn",
    "class",
    "refusal",
    "transient",
    "permanent",
    "policy",
    "inherit",
    "retry_after",
    "not_sent",
    "code",
    "transiet",
    "r#class",
    "r#refusal",
    "r#type",
    "_",
    "x",
    "ünï",
    "wait",
    "source",
    "inner",
    "'a",
    "'static",
    "\"text\"",
    "\"\"",
    "\" \"",
    "r#\"raw\"#",
    "b\"x\"",
    "'x'",
    "0",
    "1",
    "2",
    "4294967295",
    "4294967296",
    "99999999999999999999999999",
    "0.0",
    "1u8",
    "1.5",
    "=",
    ",",
    ";",
    ":",
    "<",
    ">",
    "&",
    "*",
    "!",
    "?",
    ".",
    "#",
    "+",
    "-",
    "::",
    "->",
    "..",
];
