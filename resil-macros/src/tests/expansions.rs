//! Snapshots of expansions: what was written, and what comes out.

use super::{adapter, messages, pretty};

fn shown(source: &str) -> String {
    let output = adapter(source);
    assert_eq!(
        adapter(source).to_string(),
        output.to_string(),
        "the same comes out each time"
    );
    assert_eq!(messages(output.clone()), [""; 0]);
    format!("{}\n// ---- becomes ----\n\n{}", source.trim(), pretty(&output))
}

macro_rules! snapshot {
    ($name:ident, $source:expr) => {
        #[test]
        fn $name() {
            insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
                insta::assert_snapshot!(stringify!($name), shown($source));
            });
        }
    };
}

snapshot! { flagship, r#"
#[adapter(kind = "external", errors = SmsErrors, retry(attempts = 3), timeout(ms = 2000))]
impl SmsSender for HttpSmsSender {
    async fn send(&self, phone: &str, text: String) -> Result<(), SmsError> {
        self.client.post(phone, &text).await
    }
}
"# }

snapshot! { every_option, r#"
#[adapter(
    kind = "gateway",
    name = "catalogue",
    context = "orders",
    vis = pub(crate),
    wrapper = Catalogue,
    crate = policies::resil,
    retry(attempts = 5, base_ms = 10, factor = 1.5, max_ms = 1_000, jitter = "equal", budget = "off", budget_min_per_s = 1),
    timeout(ms = 500, mode = "observe"),
    no_timeout = "the client has a limit of 5 s",
    circuit_breaker(failure_rate = 1, window_ms = 10_000, min_calls = 4, slow_ms = 400, slow_rate = 0.9, scope = "instance"),
    bulkhead(max_concurrent = 8, max_queued = 16, max_wait_ms = 250)
)]
impl Reader for HttpCatalogue {
    async fn read(&self) -> Result<(), ReadError> { todo!() }
}
"# }

snapshot! { method_attributes, r#"
#[adapter(kind = "external", retry, timeout(ms = 2000), circuit_breaker)]
impl Payments for HttpPayments {
    /// Kept.
    #[idempotent]
    async fn status(&self, id: u64) -> Result<Status, PayError> { self.get(id).await }

    #[non_idempotent]
    #[timeout(ms = 10_000)]
    async fn charge(&self, order: Order) -> Result<(), PayError> { self.post(order).await }

    #[retry(off)]
    #[circuit_breaker(off)]
    async fn refund(&self, order: Order) -> Result<(), PayError> { self.post(order).await }

    #[own(reason = "answers from memory")]
    async fn limits(&self) -> Limits { self.limits }

    fn name(&self) -> &str { "http" }
}
"# }

snapshot! { own_for_all, r#"
#[adapter(kind = "repository", own(reason = "one statement each, bounded by the pool"))]
impl Orders for SqlOrders {
    async fn get(&self, id: u64) -> Result<Order, StoreError> { todo!() }

    #[timeout(ms = 50)]
    async fn count(&self) -> Result<u64, StoreError> { todo!() }
}
"# }

snapshot! { async_trait_below, r#"
#[adapter(kind = "external", timeout(ms = 5))]
#[async_trait::async_trait(?Send)]
impl Port for Http {
    async fn get(&mut self, key: &str) -> Result<u8, Failed> { self.0.get(key).await }
}
"# }

snapshot! { async_trait_above, r#"
#[adapter(kind = "external", retry, timeout(ms = 5))]
impl Port for Http {
    #[allow(clippy::type_complexity)]
    fn get<'life0, 'life1, 'async_trait>(
        &'life0 self,
        key: &'life1 str,
        mut owned: String,
    ) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u8, Failed>> + ::core::marker::Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move { todo!() })
    }
}
"# }

snapshot! { other_futures, r#"
#[adapter(kind = "external", timeout(ms = 5))]
impl Port for Http {
    fn by_impl(&self) -> impl Future<Output = Result<u8, Failed>> + Send { async { Ok(1) } }
    fn boxed(&self, mut n: u8) -> BoxFuture<'_, Result<u8, Failed>> { async move { Ok(n) }.boxed() }
}
"# }

snapshot! { adapter_in_an_arc, r#"
#[adapter(kind = "external", timeout(ms = 5))]
impl Port for Http {
    async fn get(self: Arc<Self>, key: &str) -> Result<u8, Failed> { self.0.get(key).await }
    async fn put(&self) -> Result<u8, Failed> { self.0.put().await }
    fn name(self: std::sync::Arc<Self>) -> String { self.1.clone() }
}
"# }

snapshot! { generics, r#"
#[adapter(kind = "external", retry, timeout(ms = 5))]
#[cfg(feature = "http")]
impl<'a, T, K, const N: usize> Store<'a, T> for Http<'_, K, N>
where
    K: Lookup<Key = T> + Clone,
    T: Send + Sync + 'a,
    Self: Sync,
{
    type Lent<'b> = &'b K where Self: 'b;
    const LIMIT: usize = N;

    async fn get<U: AsRef<str>>(&self, (key, _): (T, U), #[cfg(test)] at: Instant, out: &mut Vec<K>) -> Result<Self::Lent<'_>, Failed> {
        todo!()
    }
}
"# }

snapshot! { nothing_to_clone_at_run_time, r#"
#[adapter(kind = "external")]
impl Port for Http {
    async fn put(&self, id: u64, flags: (bool, [u8; 4]), body: Vec<u8>) -> Result<(), Failed> { todo!() }
}
"# }

snapshot! { a_cached_read, r#"
#[adapter(kind = "gateway", errors = HoursErrors, timeout(ms = 200), deadline(ms = 500))]
impl OpeningHours for HttpOpeningHours {
    #[cached(ttl_ms = 60_000, capacity = 500, stale_if_error_ms = 3_600_000, aged = Hours::aged)]
    #[fallback(with = Self::usual)]
    async fn find_for_day(&self, shop: &str, day: Day, detail: Option<&str>) -> Result<Hours, HoursError> { todo!() }

    #[cached(ttl_ms = 1_000, key = Self::key)]
    async fn count(&self, filter: Filter<'_>) -> Result<u64, HoursError> { todo!() }
}
"# }

snapshot! { a_race, r#"
#[adapter(kind = "external", timeout(ms = 200), hedge(after_ms = 50), idempotent)]
impl Rates for HttpRates {
    async fn rate(&self, pair: &Pair, at: String) -> Result<Rate, RatesError> { todo!() }
    #[hedge(off)]
    #[fallback(value = Rate::default())]
    fn last<'a>(&'a self, pair: &'a Pair) -> BoxFuture<'a, Result<Rate, RatesError>> { todo!() }
}
"# }

snapshot! { an_examined_circuit, r#"
#[adapter(
    kind = "external", errors = Errors, timeout(ms = 200),
    circuit_breaker(probe = Self::healthy, failure_threshold = 3), rate_limit(permits = 10)
)]
impl<T: Transport> Port for Http<T> {
    async fn send(&self, text: String) -> Result<(), Failed> { todo!() }
}
"# }

#[test]
fn bodies_keep_their_tokens() {
    let body = "{ let x = self. ; match x { A => } }";
    let source = format!(
        "#[adapter(kind = \"external\")] impl Port for Http {{ #[retry(off)] #[inline] async fn get(&self) -> Result<u8, Failed> {body} }}"
    );
    let output = adapter(&source).to_string();
    let wanted: proc_macro2::TokenStream =
        format!("impl Port for Http {{ #[inline] async fn get(&self) -> Result<u8, Failed> {body} }}")
            .parse()
            .expect("tokens");
    assert!(output.starts_with(&wanted.to_string()), "{output}");
    assert!(!output.contains("compile_error"), "{output}");
}

/// Expanded while it is being typed: never a panic, and what there is stays, so that an editor can go on.
#[test]
fn what_is_half_typed_stays() {
    for (item, errors) in [
        (
            "impl Port for Http { async fn get(&self) -> Result<u8, Failed> { self. } }",
            0,
        ),
        (
            "impl Port for Http { async fn get(&self) -> Result<u8, Failed> { let x = } }",
            0,
        ),
        (
            "impl Port for Http { async fn get(&self) -> Result<u8, Failed> { match x { A => , } } }",
            0,
        ),
        (
            "impl Port for Http { async fn get(&self) -> Result<u8, Failed> { if x { } else } }",
            0,
        ),
        ("impl Port for Http { async fn get(&self) -> }", 1),
        (
            "impl Port for Http { async fn get(&self, ) -> Result<u8, Failed> }",
            1,
        ),
        ("impl Port for Http { async fn get(&self, key) {} }", 1),
        ("impl Port for Http { async }", 1),
        ("impl Port for Http { fn }", 1),
        ("impl Port for Http { # }", 1),
        ("impl Port for Http { type Out = ; }", 1),
        ("impl Port for Http { const N: u8 = }", 1),
        ("impl Port for Http { x }", 1),
        ("impl Port for { }", 1),
        ("impl Port for Http", 1),
        ("impl", 1),
        ("impl<T", 1),
        ("", 1),
    ] {
        let output = adapter(&format!("#[adapter(kind = \"external\")] {item}"));
        let wanted: proc_macro2::TokenStream = item.parse().expect("tokens");
        assert!(
            output.to_string().starts_with(&wanted.to_string()),
            "{item}: {output}"
        );
        assert_eq!(messages(output.clone()).len(), errors, "{item}: {output}");
    }
}

/// And the attribute itself.
#[test]
fn what_is_half_typed_in_the_attribute_is_said_once() {
    let item = "impl Port for Http { async fn get(&self) -> Result<u8, Failed> { Ok(1) } }";
    for args in [
        "kin",
        "kind",
        "kind =",
        "kind = ext",
        "kind = \"ext\"",
        "kind = \"external\",,",
        "kind = \"external\", ti",
        "kind = \"external\", timeout(",
        "kind = \"external\", timeout(m",
        "kind = \"external\", timeout(ms =",
        "kind = \"external\", retry(attempts = ), timeout(ms = 5)",
    ] {
        let closed = args.matches('(').count() - args.matches(')').count();
        let output = adapter(&format!("#[adapter({args}{})] {item}", ")".repeat(closed)));
        assert!(
            output.to_string().contains("impl Port for ResilientHttp"),
            "{args}: {output}"
        );
        assert_eq!(messages(output).len(), 1, "{args}");
    }
}
