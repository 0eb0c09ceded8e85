//! The rules about the impl as a whole, each beside a legal neighbour.

use super::{adapter, headlines};

pub(super) const ONE: &str = "async fn get(&self) -> Result<u8, Failed> { todo!() }";

pub(super) fn in_impl(args: &str, body: &str) -> Vec<String> {
    headlines(adapter(&format!(
        "#[adapter({args})] impl Port for Http {{ {body} }}"
    )))
}

pub(super) fn refuses(args: &str, body: &str, wanted: &str) {
    let said = in_impl(args, body);
    assert_eq!(said.len(), 1, "{args} {body}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{args} {body}: {}", said[0]);
}

pub(super) fn takes(args: &str, body: &str) {
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
