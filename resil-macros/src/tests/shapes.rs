//! Which methods and impls can be wrapped, each rule beside a legal neighbour.

use super::rules::{ONE, in_impl, refuses, takes};
use super::{adapter, headlines, messages};

#[test]
fn only_async_methods_have_policies() {
    let sync = "fn sync(&self) -> Result<u8, Failed> { todo!() }";
    // It may be a future under another name, which only the compiler knows.
    takes(
        r#"kind = "external""#,
        &format!("{ONE} #[own(reason = \"x\")] fn aliased(&self) -> Reply<u8> {{ todo!() }}"),
    );
    for attribute in ["retry", "timeout(ms = 5)", "idempotent", "own(reason = \"x\")"] {
        refuses(
            r#"kind = "external", timeout(ms = 5)"#,
            &format!("{ONE} #[{attribute}] {sync}"),
            "`sync` is not async, so",
        );
    }
    refuses(
        r#"kind = "external""#,
        sync,
        "`#[adapter]` finds no async method here",
    );
    refuses(
        r#"kind = "external""#,
        "",
        "`#[adapter]` finds no async method here",
    );
    refuses(
        r#"kind = "external""#,
        &format!("{ONE} #[retry] type Out = u8;"),
        "`#[retry]` belongs on a method, found an associated type",
    );
    refuses(
        r#"kind = "external""#,
        &format!("{ONE} #[timeout(ms = 5)] const N: u8 = 5;"),
        "`#[timeout]` belongs on a method, found an associated constant",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[cfg_attr(feature = \"slow\", timeout(ms = 50_000))] {ONE}"),
        "`timeout` inside `cfg_attr` is not known to `#[adapter]`",
    );
    takes(
        r#"kind = "external""#,
        &format!("#[cfg_attr(feature = \"slow\", inline)] {ONE}"),
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[timeout = 5] {ONE}"),
        "`#[timeout]` takes its options in parentheses",
    );
}

#[test]
fn receivers_that_cannot_work_are_named() {
    let external = r#"kind = "external""#;
    for receiver in [
        "self",
        "mut self",
        "self: Box<Self>",
        "self: Pin<&mut Self>",
        "self: Rc<Self>",
        "self: std::rc::Rc<Self>",
        "self: &Arc<Self>",
        "self: Pin<Arc<Self>>",
        "self: Arc<Box<Self>>",
    ] {
        let body = format!("async fn get({receiver}) -> Result<u8, Failed> {{ todo!() }}");
        let said = in_impl(external, &body);
        assert_eq!(said.len(), 1, "{said:#?}");
        let wanted = format!("`{receiver}` cannot work on a wrapped method");
        assert!(said[0].starts_with(&wanted), "{}", said[0]);
    }
    refuses(
        external,
        "async fn get() -> Result<u8, Failed> { todo!() }",
        "`get` is async and takes no `self`",
    );
    for receiver in [
        "&self",
        "&'a self",
        "&mut self",
        "self: &Self",
        "self: &mut Self",
        "self: &'a Self",
        "self: Arc<Self>",
        "mut self: Arc<Self>",
        "self: std::sync::Arc<Self>",
    ] {
        takes(
            external,
            &format!("async fn get<'a>({receiver}) -> Result<u8, Failed> {{ todo!() }}"),
        );
    }
    for receiver in ["self", "self: Box<Self>", ""] {
        takes(
            external,
            &format!(
                "{ONE} fn f({receiver}) -> u8 {{ 0 }} #[own(reason = \"x\")] async fn g({receiver}) {{}}"
            ),
        );
    }
    refuses(
        external,
        &format!("{ONE} fn f(self: Rc<Self>) -> u8 {{ 0 }}"),
        "`self: Rc<Self>` cannot work",
    );
}

#[test]
fn what_needs_the_adapter_for_itself_does_not_stand_beside_an_arc() {
    let external = r#"kind = "external""#;
    let shared = "async fn get(self: Arc<Self>) -> R {}";
    takes(external, shared);
    takes(
        external,
        &format!(
            "{shared} async fn put(&self) -> R {{}} fn f(self: Arc<Self>) {{}} fn g(&self) {{}} fn h() {{}}"
        ),
    );
    for (other, names) in [
        ("async fn put(&mut self) -> R {}", "`put`"),
        (
            "fn put(&mut self) {} fn take(self) {} fn boxed(self: Box<Self>) {}",
            "`put`, `take`, `boxed`",
        ),
        ("#[own(reason = \"x\")] async fn finish(self) {}", "`finish`"),
    ] {
        let wanted = format!(
            "`get` takes `self: Arc<Self>`, so the wrapper holds its adapter in an `Arc`, and {names} cannot have it for itself"
        );
        refuses(external, &format!("{other} {shared}"), &wanted);
    }
    // A sync method is enough: it needs the `Arc` too.
    refuses(
        external,
        "fn f(self: Arc<Self>) {} async fn put(&mut self) -> R {}",
        "`f` takes `self: Arc<Self>`",
    );
    // Said once, though nothing can take the adapter from its wrapper anyway.
    refuses(
        external,
        &format!("{shared} async fn put(self) -> R {{}}"),
        "`self` cannot work on a wrapped method",
    );
}

#[test]
fn self_in_a_signature_is_named() {
    let external = r#"kind = "external""#;
    for signature in [
        "fn dup(&self) -> Self",
        "fn eq(&self, other: &Self)",
        "fn f(&self, f: impl Fn(&Self) -> u8)",
        "async fn dup(&self) -> Result<Self, Failed>",
    ] {
        let said = in_impl(external, &format!("{ONE} {signature} {{ todo!() }}"));
        assert_eq!(said.len(), 1, "{signature}: {said:#?}");
        assert!(
            said[0].starts_with("`Self` in the signature of"),
            "{signature}: {}",
            said[0]
        );
    }
    takes(
        external,
        &format!(
            "{ONE} fn f(&self, a: Self::Item, b: <Self as Port>::Item) -> [u8; Self::N] where Self: Sized {{ todo!() }}"
        ),
    );
}

#[test]
fn boxed_futures_may_borrow_what_the_wrapper_has_to() {
    let external = r#"kind = "external""#;
    refuses(
        external,
        "fn get(&self) -> Pin<Box<dyn Future<Output = Result<u8, Failed>> + Send>> { todo!() }",
        "the future of `get` may not borrow the adapter",
    );
    refuses(
        external,
        "fn get(&self) -> BoxFuture<'static, Result<u8, Failed>> { todo!() }",
        "the future of `get` may not borrow the adapter",
    );
    refuses(
        external,
        "fn get(&self, key: &str) -> BoxFuture<'_, Result<u8, Failed>> { todo!() }",
        "the future of `get` may not borrow this argument",
    );
    // An `Arc` is the future's own, so it may outlive the call; what is lent to it may not.
    takes(
        external,
        "fn get(self: Arc<Self>, key: String) -> BoxFuture<'static, Result<u8, Failed>> { todo!() }",
    );
    refuses(
        external,
        "fn get(self: Arc<Self>, key: &str) -> BoxFuture<'static, Result<u8, Failed>> { todo!() }",
        "the future of `get` may not borrow this argument",
    );
    takes(
        external,
        "fn get(self: Arc<Self>, key: &str) -> BoxFuture<'_, Result<u8, Failed>> { todo!() }",
    );
    takes(
        external,
        "fn get<'a>(&'a self, key: &'a str, n: u8) -> BoxFuture<'a, Result<u8, Failed>> { todo!() }",
    );
    takes(
        external,
        &format!(
            "{ONE} #[own(reason = \"x\")] fn get(&self, key: &str) -> BoxFuture<'static, u8> {{ todo!() }}"
        ),
    );
}

#[test]
fn only_the_impl_of_a_port_can_be_wrapped() {
    for (item, found) in [
        (
            "impl Http { async fn get(&self) {} }",
            "an inherent impl of `Http`",
        ),
        ("struct Http { n: u8 }", "another item"),
        ("async fn get() {}", "another item"),
        ("fn get(x: impl Fn()) {}", "another item"),
        ("trait Port { async fn get(&self); }", "another item"),
        ("impl !Port for Http {}", "a negative impl"),
    ] {
        let output = adapter(&format!("#[adapter(kind = \"external\")] {item}"));
        let said = messages(output.clone());
        assert_eq!(said.len(), 1, "{item}: {said:#?}");
        let wanted = format!("`#[adapter]` belongs on the impl of a port, a trait, found {found}");
        assert!(said[0].starts_with(&wanted), "{item}: {}", said[0]);
        let kept: proc_macro2::TokenStream = item.parse().expect("Rust");
        assert!(output.to_string().starts_with(&kept.to_string()), "{output}");
    }
    let of = |item: &str| headlines(adapter(&format!("#[adapter(kind = \"external\")] {item}")));
    assert!(of(&format!("unsafe impl Port for Http {{ {ONE} }}"))[0].contains("an impl of an unsafe trait"));
    assert!(of(&format!("default impl Port for Http {{ {ONE} }}"))[0].contains("a `default` impl"));
    assert!(of(&format!("impl Port for Http {{ default {ONE} }}"))[0].contains("a `default` method"));
    assert!(
        of(&format!("impl Port for Http {{ {ONE} unsafe fn f(&self) {{}} }}"))[0]
            .contains("an `unsafe` method")
    );
    assert!(
        of(&format!(
            "impl Port for Http {{ {ONE} methods! {{ a, b }} more!(); }}"
        ))[0]
            .contains("cannot see what this macro makes")
    );
}

#[test]
fn a_type_without_a_name_needs_one_for_its_wrapper() {
    for ty in ["&'static Http", "(A, B)", "[A; 3]", "<A as B>::C", "dyn Send"] {
        let of = |args: &str| {
            headlines(adapter(&format!(
                "#[adapter({args})] impl Port for {ty} {{ {ONE} }}"
            )))
        };
        let said = of(r#"kind = "external""#);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(
            said[0].starts_with("the wrapper of `") && said[0].ends_with("needs a name"),
            "{}",
            said[0]
        );
        assert_eq!(of(r#"kind = "external", wrapper = Named"#), [""; 0]);
    }
}

#[test]
fn a_second_attribute_on_one_impl_is_said_once_and_expands_to_nothing() {
    for second in [
        "#[adapter(kind = \"gateway\")]",
        "#[resil::adapter]",
        "#[cfg(all())] #[::resil::adapter(retry)] #[async_trait]",
    ] {
        let output = adapter(&format!(
            "#[adapter(kind = \"external\")] {second} impl Port for Http {{ {ONE} }}"
        ));
        assert_eq!(
            headlines(output.clone()),
            ["`#[adapter]` stands twice on this impl"]
        );
        let output = output.to_string();
        assert!(
            !output.contains("# [adapter") && !output.contains(":: adapter"),
            "{output}"
        );
        assert!(output.contains("impl Port for ResilientHttp"), "{output}");
    }
    let other = format!("#[adapter(kind = \"external\")] #[other::adapter] impl Port for Http {{ {ONE} }}");
    assert_eq!(headlines(adapter(&other)), [""; 0]);
    assert!(
        adapter(&other)
            .to_string()
            .starts_with("# [other :: adapter] impl")
    );
}
