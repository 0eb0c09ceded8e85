//! The rules about the impl as a whole, each beside a legal neighbour.

use super::{adapter, headlines, messages};

const ONE: &str = "async fn get(&self) -> Result<u8, Failed> { todo!() }";

fn in_impl(args: &str, body: &str) -> Vec<String> {
    headlines(adapter(&format!(
        "#[adapter({args})] impl Port for Http {{ {body} }}"
    )))
}

fn refuses(args: &str, body: &str, wanted: &str) {
    let said = in_impl(args, body);
    assert_eq!(said.len(), 1, "{args} {body}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{args} {body}: {}", said[0]);
}

fn takes(args: &str, body: &str) {
    let said = in_impl(args, body);
    assert!(said.is_empty(), "{args} {body}: {said:#?}");
}

#[test]
fn what_states_policies_has_a_timeout_that_enforces() {
    refuses(
        r#"kind = "external", retry"#,
        ONE,
        "`retry` is stated without a `timeout`, so nothing bounds `get`",
    );
    takes(r#"kind = "external", retry, timeout(ms = 5)"#, ONE);
    takes(
        r#"kind = "external", retry, no_timeout = "the client has one""#,
        ONE,
    );
    takes(r#"kind = "external""#, ONE);
    refuses(
        r#"kind = "external", timeout(ms = 5, mode = "observe")"#,
        ONE,
        "this `timeout` only observes",
    );
    takes(
        r#"kind = "external", timeout(ms = 5, mode = "observe"), no_timeout = "on trial""#,
        ONE,
    );
    refuses(
        r#"kind = "external", timeout(ms = 5), no_timeout = "x""#,
        ONE,
        "`no_timeout` says that nothing",
    );

    refuses(
        r#"kind = "external""#,
        &format!("#[retry] {ONE}"),
        "`retry` is stated without a `timeout`",
    );
    takes(
        r#"kind = "external""#,
        &format!("#[retry] #[timeout(ms = 5)] {ONE}"),
    );
    takes(
        r#"kind = "external", timeout(ms = 5)"#,
        &format!("#[retry] {ONE}"),
    );
    takes(
        r#"kind = "external""#,
        &format!("#[retry] #[timeout(off, reason = \"x\")] {ONE}"),
    );
    takes(
        r#"kind = "external", bulkhead(max_concurrent = 1)"#,
        &format!("#[timeout(ms = 5)] {ONE}"),
    );
    takes(
        r#"kind = "external", bulkhead(max_concurrent = 1)"#,
        &format!("#[own(reason = \"x\")] {ONE}"),
    );
    takes(r#"kind = "external""#, &format!("#[retry(off)] {ONE}"));
    refuses(
        r#"kind = "external", timeout(ms = 5)"#,
        &format!("#[timeout(ms = 5, mode = \"observe\")] {ONE}"),
        "this `timeout` only observes",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[timeout(off)] {ONE}"),
        "`timeout` must say why",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[timeout(off, reason = \"\")] {ONE}"),
        "`reason` is empty",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[timeout(off, ms = 5)] {ONE}"),
        "`off` removes the policy",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[retry(off = true)] {ONE}"),
        "`off` takes nothing",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[retry(of)] {ONE}"),
        "unknown option `of` in `#[retry(…)]`",
    );
}

#[test]
fn several_methods_without_a_timeout_are_one_mistake() {
    let two =
        "async fn a(&self) -> R {} async fn b(&self) -> R {} #[timeout(ms = 5)] async fn c(&self) -> R {}";
    refuses(
        r#"kind = "external", bulkhead(max_concurrent = 1)"#,
        two,
        "`bulkhead` is stated without a `timeout`, so nothing bounds `a`, `b`",
    );
}

#[test]
fn a_retry_for_several_methods_says_which_may_be_repeated() {
    let args = r#"kind = "external", retry, timeout(ms = 5)"#;
    refuses(
        args,
        "async fn a(&self) -> R {} #[idempotent] async fn b(&self) -> R {} async fn c(&self) -> R {}",
        "`retry` reaches several methods, and nothing says whether `a`, `c` may be repeated",
    );
    takes(
        args,
        "#[idempotent] async fn a(&self) -> R {} #[non_idempotent] async fn b(&self) -> R {}",
    );
    takes(
        args,
        "#[retry(off)] async fn a(&self) -> R {} #[retry(attempts = 2)] async fn b(&self) -> R {}",
    );
    takes(
        args,
        "#[own(reason = \"x\")] async fn a(&self) -> R {} #[idempotent] async fn b(&self) -> R {}",
    );
    takes(args, "async fn a(&self) -> R {} fn sync(&self) {}");
    takes(
        args,
        "#[cfg(a)] async fn a(&self) -> R {} #[cfg(not(a))] async fn a(&self) -> R {}",
    );
    takes(
        &format!("{args}, idempotent"),
        "async fn a(&self) -> R {} async fn b(&self) -> R {}",
    );
    refuses(
        args,
        &format!("#[idempotent] #[non_idempotent] {ONE}"),
        "`get` is marked both `idempotent` and `non_idempotent`",
    );
    refuses(
        args,
        &format!("#[idempotent] #[idempotent] {ONE}"),
        "`idempotent` is given twice",
    );
    refuses(
        args,
        &format!("#[idempotent(true)] {ONE}"),
        "`idempotent` takes nothing",
    );
}

/// What the spec of `get` says of repeating it.
fn mark(args: &str, body: &str) -> Option<bool> {
    let output = adapter(&format!("#[adapter({args})] impl Port for Http {{ {body} }}")).to_string();
    match (
        output.contains(". idempotent ()"),
        output.contains(". non_idempotent ()"),
    ) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
        (true, true) => panic!("{output}"),
    }
}

#[test]
fn a_stated_retry_says_that_it_may_be_repeated() {
    let external = r#"kind = "external", timeout(ms = 5)"#;
    assert_eq!(mark(external, ONE), None);
    assert_eq!(mark(&format!("{external}, retry"), ONE), Some(true));
    assert_eq!(mark(external, &format!("#[retry] {ONE}")), Some(true));
    assert_eq!(mark(external, &format!("#[retry(off)] {ONE}")), None);
    assert_eq!(
        mark(&format!("{external}, retry"), &format!("#[retry(off)] {ONE}")),
        None
    );
    assert_eq!(
        mark(&format!("{external}, retry"), &format!("#[non_idempotent] {ONE}")),
        Some(false)
    );
    assert_eq!(
        mark(
            &format!("{external}, idempotent"),
            &format!("#[non_idempotent] {ONE}")
        ),
        Some(false)
    );
    assert_eq!(mark(&format!("{external}, idempotent"), ONE), Some(true));
    assert_eq!(mark(external, &format!("#[idempotent] {ONE}")), Some(true));
}

#[test]
fn a_repository_is_not_retried_without_a_reason() {
    let repository = r#"kind = "repository", timeout(ms = 5)"#;
    refuses(
        &format!("{repository}, retry"),
        ONE,
        "`retry` on a repository repeats one statement",
    );
    refuses(
        repository,
        &format!("#[retry] {ONE}"),
        "`retry` on a repository repeats one statement",
    );
    takes(repository, &format!("#[retry(off)] {ONE}"));
    takes(
        &format!("{repository}, retry, allow(retry, reason = \"reads only\")"),
        ONE,
    );
    takes(repository, ONE);
}

#[test]
fn several_things_may_be_allowed_in_one_place_or_in_several() {
    let repository = r#"kind = "repository", timeout(ms = 5), retry"#;
    for allowed in [
        r#"allow(retry, layer, reason = "x")"#,
        r#"allow(reason = "x", layer, retry)"#,
        r#"allow(layer, reason = "x"), allow(retry, reason = "y")"#,
    ] {
        takes(&format!("{repository}, {allowed}"), ONE);
    }
    refuses(
        &format!("{repository}, allow(layer, hedge, reason = \"x\")"),
        ONE,
        "`retry` on a repository repeats one statement",
    );
}

#[test]
fn the_layer_is_asked_about_unless_it_is_allowed() {
    let asks = |args: &str| {
        let output = adapter(&format!("#[adapter({args})] impl Port for Http {{ {ONE} }}"));
        output.to_string().contains("outside_inner_layers")
    };
    assert!(asks(r#"kind = "external""#));
    assert!(asks(r#"kind = "external", own(reason = "x")"#));
    assert!(asks(
        r#"kind = "repository", timeout(ms = 5), retry, allow(retry, reason = "x")"#
    ));
    assert!(!asks(r#"kind = "external", allow(layer, reason = "x")"#));
    // What was said of the `allow` is not followed by what it would have allowed.
    assert!(!asks(r#"kind = "external", allow(layer)"#));
    assert!(!asks(r#"kind = "external", allow(layr, reason = "x")"#));
    assert!(!asks(r#"kind = "external", alow(layer, reason = "x")"#));
}

#[test]
fn what_is_for_the_whole_instance_is_not_for_a_method() {
    let timeout = r#"kind = "external", timeout(ms = 5)"#;
    refuses(
        timeout,
        &format!("#[circuit_breaker(scope = \"instance\")] {ONE}"),
        "one `circuit_breaker` for the whole instance cannot be stated on one of its methods",
    );
    takes(timeout, &format!("#[circuit_breaker(scope = \"method\")] {ONE}"));
    let instance = format!("{timeout}, bulkhead(max_concurrent = 9, scope = \"instance\")");
    refuses(
        &instance,
        &format!("#[bulkhead(max_concurrent = 3)] {ONE}"),
        "`bulkhead` is one for the whole instance here",
    );
    takes(&instance, &format!("#[circuit_breaker] {ONE}"));
    takes(
        &format!("{timeout}, bulkhead(max_concurrent = 9)"),
        &format!("#[bulkhead(max_concurrent = 3)] {ONE}"),
    );
}

#[test]
fn own_means_none() {
    refuses(
        r#"kind = "external", own(reason = "x"), retry, timeout(ms = 5)"#,
        ONE,
        "`own` says that the adapter goes without",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[own(reason = \"x\")] #[timeout(ms = 5)] {ONE}"),
        "`own` says that `get` goes without policies",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[own] {ONE}"),
        "`own` must say why",
    );
    refuses(
        r#"kind = "external""#,
        &format!("#[own(reason = \" \")] {ONE}"),
        "`reason` is empty",
    );
    takes(r#"kind = "external", own(reason = "x")"#, ONE);
    takes(
        r#"kind = "external", own(reason = "x")"#,
        &format!("#[timeout(ms = 5)] {ONE}"),
    );
}

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
