//! What stands between the parentheses and cannot stand there. Each mistake is said once, and all of them in one run.

use super::{adapter, headlines, messages};

/// What is said of `args` on an impl with one method.
fn of(args: &str) -> Vec<String> {
    messages(adapter(&format!(
        "#[adapter({args})] impl Port for Http {{ async fn get(&self) -> Result<u8, Failed> {{ todo!() }} }}"
    )))
}

fn one(args: &str) -> String {
    let messages = of(args);
    assert_eq!(messages.len(), 1, "{args}: {messages:#?}");
    messages.concat()
}

#[test]
fn unknown_names_come_with_the_nearest_and_all_others() {
    let said = one(r#"kind = "external", retyr(attempts = 3), timeout(ms = 5)"#);
    assert_eq!(
        said,
        "unknown policy `retyr` in `#[adapter(…)]`\n\n\
         help: did you mean `retry`?\n\
         note: policies: `timeout`, `retry`, `circuit_breaker`, `bulkhead`, `cached`, `fallback`, `deadline`, `rate_limit`, `hedge`\n\
         note: other keys: `kind`, `errors`, `wrapper`, `vis`, `name`, `context`, `crate`, `idempotent`, `own`, \
         `no_timeout`, `allow`"
    );
    let said = one(r#"kind = "external", retry(atempts = 3), timeout(ms = 5)"#);
    assert_eq!(
        said,
        "unknown option `atempts` in `retry(…)`\n\n\
         help: did you mean `attempts`?\n\
         note: its options are: `attempts`, `base_ms`, `factor`, `max_ms`, `jitter`, `budget`, `budget_min_per_s`"
    );
    let said = one(r#"kind = "external", quota(limit = 3)"#);
    assert!(
        said.starts_with("unknown policy `quota`") && !said.contains("help"),
        "{said}"
    );
    let said = one(r#"kind = "external", contxt = "billing""#);
    assert!(
        said.starts_with("unknown key `contxt`") && said.contains("did you mean `context`?"),
        "{said}"
    );
}

#[test]
fn what_was_only_misspelt_is_not_missing_too() {
    for args in [
        r#"knd = "external""#,
        r#"kind = "external", retry, timeot(ms = 5)"#,
        r#"kind = "external", bulkhead(max_concurent = 5), timeout(ms = 5)"#,
        r#"kind = "external", retry, no_timeut = "x""#,
        r#"kind = "repository", retry, timeout(ms = 5), alow(retry, reason = "x")"#,
        r#"kind = "external", own(raeson = "x")"#,
    ] {
        let said = one(args);
        assert!(said.contains("did you mean"), "{said}");
    }
}

#[test]
fn what_stands_in_the_place_of_something_required_is_not_missing_too() {
    let said = one(r#"kind = "external", timeout(millis = 100)"#);
    assert!(
        said.starts_with(
            "unknown option `millis` in `timeout(…)`\n\nhelp: write `timeout(ms = …)`, which it needs\nnote: "
        ),
        "{said}"
    );
    let said = one(r#"kind = "external", timeout(ms = 5), bulkhead(limit = 3)"#);
    assert!(
        said.contains("help: write `bulkhead(max_concurrent = …)`"),
        "{said}"
    );
    // What was misspelt is another option, so the required one is missing all the same.
    let said = of(r#"kind = "external", timeout(ms = 5), bulkhead(max_queud = 3)"#);
    assert_eq!(said.len(), 2, "{said:#?}");
    for args in [
        "external",
        r#""external""#,
        "extrnal, timeout(ms = 5)",
        r#""gateway", timeout(ms = 5)"#,
        "timeout(ms = 5), repository",
    ] {
        let said = one(args);
        assert!(
            said.starts_with("the kind is not given by its word alone\n\nhelp: write `kind = \""),
            "{said}"
        );
    }
}

#[test]
fn some_words_of_a_name_are_enough() {
    for (args, meant) in [
        (
            r#"kind = "external", timeout(ms = 5), breaker"#,
            "circuit_breaker",
        ),
        (r#"kind = "external", timeout_ms = 5, retry"#, "timeout"),
        (r#"kind = "external", timeout(ms = 5), retry(max = 5)"#, "max_ms"),
        (
            r#"kind = "external", timeout(ms = 5), bulkhead(max = 5)"#,
            "max_concurrent",
        ),
        (
            r#"kind = "external", timeout(ms = 5), bulkhead(max_concurrent = 5, max_queued = 4, wait = 5)"#,
            "max_wait_ms",
        ),
    ] {
        let said = one(args);
        assert!(said.contains(&format!("help: did you mean `{meant}`?")), "{said}");
    }
}

#[test]
fn a_value_where_options_belong_comes_with_what_to_write() {
    for (given, write) in [
        ("timeout = 100", "write `timeout(ms = 100)`"),
        (r#"timeout = "2s""#, "write `timeout(ms = 2000)`"),
        ("timeout = LIMIT", "write `timeout(ms = …)`"),
        ("timeout(ms = 5), retry = 4", "write `retry(attempts = 4)`"),
        (
            "timeout(ms = 5), bulkhead = 8",
            "write `bulkhead(max_concurrent = 8)`",
        ),
        ("timeout(ms = 5), retry = true", "write `retry(attempts = …)`"),
        (
            "timeout(ms = 5), retry = false",
            "to have no `retry` leave it out; `#[retry(off)]` removes it",
        ),
        (
            r#"timeout(ms = 5), retry = "off""#,
            "to have no `retry` leave it out",
        ),
        ("timeout(ms = 5), retry(off)", "to have no `retry` leave it out"),
        (
            "timeout(ms = 5), circuit_breaker(off)",
            "to have no `circuit_breaker` leave it out",
        ),
    ] {
        let said = one(&format!(r#"kind = "external", {given}"#));
        assert!(said.contains(&format!("help: {write}")), "{given}: {said}");
    }
    for (given, write) in [
        ("timeout = 5", "#[timeout(ms = 5)]"),
        ("retry = false", "#[retry(off)]"),
        ("retry = 2", "#[retry(attempts = 2)]"),
    ] {
        let said = messages(adapter(&format!(
            "#[adapter(kind = \"external\")] impl Port for Http {{ #[{given}] async fn get(&self) -> R {{}} }}"
        )));
        assert_eq!(said.len(), 1, "{given}: {said:#?}");
        assert!(said[0].contains(&format!("help: write `{write}`")), "{}", said[0]);
    }
}

#[test]
fn nothing_is_given_twice() {
    for args in [
        r#"kind = "external", kind = "gateway""#,
        r#"kind = "external", retry, retry(attempts = 4), timeout(ms = 5)"#,
        r#"kind = "external", retry(attempts = 3, attempts = 3), timeout(ms = 5)"#,
        r#"kind = "external", errors = A, errors = B"#,
        r#"kind = "external", name = "a", name = "b""#,
        r#"kind = "external", idempotent, idempotent"#,
        r#"kind = "external", own(reason = "a", reason = "b")"#,
        r#"kind = "external", allow(retry, reason = "a"), allow(retry, reason = "b")"#,
        r#"kind = "external", allow(layer, retry, layer, reason = "a")"#,
        r#"kind = "external", allow(layer, reason = "a", reason = "b")"#,
    ] {
        assert!(one(args).contains("is given twice"), "{args}");
    }
}

#[test]
fn kinds_are_words() {
    assert_eq!(
        one(r#"kind = "externl""#),
        "unknown kind `\"externl\"`\n\n\
         help: did you mean `\"external\"`?\n\
         note: `\"external\"` is another process, `\"gateway\"` another context of the same system, `\"repository\"` \
         your own store of aggregates"
    );
    assert!(one("kind = external").contains("help: write `kind = \"external\"`"));
    assert!(one("kind").contains("help: write `kind = \"external\"`"));
    assert!(one("kind(external)").contains("help: write `kind = \"external\"`"));
    assert!(one("").starts_with("`#[adapter]` does not say what the adapter reaches"));
    assert!(one("retry, timeout(ms = 5)").starts_with("`#[adapter]` does not say what the adapter reaches"));
}

#[test]
fn values_have_the_form_that_their_key_takes() {
    for (args, wanted) in [
        (
            r#"kind = "external", errors = "Map""#,
            "`errors` takes the type with the `ErrorMap`",
        ),
        (
            r#"kind = "external", errors(Map)"#,
            "`errors` takes the type with the `ErrorMap`",
        ),
        (
            r#"kind = "external", wrapper = "Name""#,
            "`wrapper` takes the name of the wrapper",
        ),
        (
            r#"kind = "external", wrapper = a::Name"#,
            "`wrapper` takes the name of the wrapper",
        ),
        (r#"kind = "external", vis = "pub""#, "`vis` takes a visibility"),
        (
            r#"kind = "external", crate = "resil""#,
            "`crate` takes the path of the crate `resil`",
        ),
        (
            r#"kind = "external", name = Http"#,
            "`name` takes a text in quotes, got `Http`",
        ),
        (r#"kind = "external", name = """#, "`name` is empty"),
        (r#"kind = "external", context"#, "`context` takes a text"),
        (
            r#"kind = "external", idempotent = true"#,
            "`idempotent` takes nothing",
        ),
        (
            r#"kind = "external", retry = 3, timeout(ms = 5)"#,
            "`retry` takes options in parentheses",
        ),
        (
            r#"kind = "external", timeout = 3"#,
            "`timeout` takes options in parentheses",
        ),
        (
            r#"kind = "external", no_timeout, retry"#,
            "`no_timeout` must say what bounds the calls instead",
        ),
        (
            r#"kind = "external", no_timeout = " ", retry"#,
            "`no_timeout` is empty",
        ),
        (r#"kind = "external", own"#, "`own` must say why"),
        (r#"kind = "external", own()"#, "`own` must say why"),
        (r#"kind = "external", own(reason = "")"#, "`reason` is empty"),
        (
            r#"kind = "external", own("because")"#,
            "expected a name, found `\"because\"`",
        ),
        (r#""Http""#, "expected a name, found `\"Http\"`"),
    ] {
        let said = of(args);
        assert!(said[0].starts_with(wanted), "{args}: {said:#?}");
        let also_kind = said.len() == 2 && said[1].starts_with("`#[adapter]` does not say what");
        assert!(
            said.len() == 1 || also_kind || args.contains("own(\""),
            "{args}: {said:#?}"
        );
    }
}

#[test]
fn what_is_allowed_is_named_and_has_a_reason() {
    for (args, wanted) in [
        (
            r#"kind = "external", allow"#,
            "`allow` takes what is allowed, and why",
        ),
        (
            r#"kind = "external", allow(reason = "x")"#,
            "`allow` does not say what is allowed",
        ),
        (r#"kind = "external", allow(retry)"#, "`allow` must say why"),
        (
            r#"kind = "external", allow(timeout, reason = "x")"#,
            "`allow` knows no `timeout`",
        ),
        (r#"kind = "external", allow(layr)"#, "`allow` knows no `layr`"),
        (
            r#"kind = "external", allow(layer, reson = "x")"#,
            "unknown `reson` in `allow(…)`",
        ),
        (
            r#"kind = "external", allow(layer = true, reason = "x")"#,
            "`layer` takes nothing",
        ),
        (
            r#"kind = "external", allow(layer, reason = "")"#,
            "`reason` is empty",
        ),
        (
            r#"kind = "external", allow = "x""#,
            "`allow` takes what is allowed",
        ),
        (
            r#"kind = "repository", retry, no_timeout = "x", allow"#,
            "`allow` takes what is allowed",
        ),
        (
            r#"kind = "repository", retry, no_timeout = "x", allow(retyr, reason = "x")"#,
            "`allow` knows no `retyr`",
        ),
    ] {
        assert!(one(args).starts_with(wanted), "{args}");
    }
}

#[test]
fn all_mistakes_are_said_in_one_run() {
    let said = headlines(adapter(
        r#"#[adapter(kind = "externl", retry(attempts = 0, jiter = "full") timeout(ms = "2s"), colour = 3)]
        impl Port for Http {
            #[retry(atempts = 1)]
            async fn get(&self) -> Result<u8, Failed> { todo!() }
            #[bulkhead]
            #[cfg_attr(test, timeout(ms = 3))]
            fn sync(&self) {}
        }"#,
    ));
    assert_eq!(
        said,
        [
            "a comma is missing before `timeout`",
            "unknown kind `\"externl\"`",
            "`attempts` must be from 1 to 1000000, got `0`",
            "unknown option `jiter` in `retry(…)`",
            "`ms` takes a whole number of milliseconds, got `\"2s\"`",
            "unknown key `colour` in `#[adapter(…)]`",
            "unknown option `atempts` in `retry(…)`",
            "`bulkhead` needs `max_concurrent`",
            "`timeout` inside `cfg_attr` is not known to `#[adapter]`, which runs before it",
            "`sync` is not async, so `bulkhead` cannot apply to it",
        ]
    );
}

#[test]
fn the_impl_and_the_wrapper_come_out_all_the_same() {
    let output = adapter(
        r#"#[adapter(kind = "externl", retry(attempts = 0))]
        impl Port for Http {
            #[timeout(ms = 0)]
            #[inline]
            async fn get(&self) -> Result<u8, Failed> { let kept = 1; }
        }"#,
    )
    .to_string();
    assert!(output.starts_with("impl Port for Http { # [inline] async fn get (& self) -> Result < u8 , Failed > { let kept = 1 ; } }"), "{output}");
    assert!(output.contains("impl Port for ResilientHttp"), "{output}");
    assert!(!output.contains("attempts (0)"), "{output}");
}

/// What is said of an attribute on the method.
fn on_method(attribute: &str) -> Vec<String> {
    messages(adapter(&format!(
        "#[adapter(kind = \"external\")] impl Port for Http {{ {attribute} async fn get(&self) -> Result<u8, Failed> {{ todo!() }} }}"
    )))
}

#[test]
fn an_attribute_that_is_nearly_a_helper_is_said_to_be_meant_as_one() {
    for (written, meant) in [
        ("timout(ms = 5)", "timeout"),
        ("Timeout(ms = 5)", "timeout"),
        ("retyr(off)", "retry"),
        ("idempotant", "idempotent"),
        ("non_idempotant", "non_idempotent"),
        ("circut_braker(off)", "circuit_breaker"),
        ("bulkead(off)", "bulkhead"),
    ] {
        let said = on_method(&format!("#[{written}]"));
        let name = written.split('(').next().unwrap_or(written);
        assert_eq!(
            said,
            [format!(
                "unknown attribute `#[{name}]` in an `#[adapter]` impl\n\nhelp: did you mean `#[{meant}]`?"
            )]
        );
    }
    // It counts as what was meant, so that no error follows from it, and rustc does not see it.
    let said = on_method("#[circuit_breaker] #[timout(ms = 5)]");
    assert_eq!(said.len(), 1, "{said:#?}");
    let said = on_method("#[timout(millis = 5)]");
    assert_eq!(said.len(), 2, "{said:#?}");
}

#[test]
fn the_attributes_of_others_are_not_taken_for_helpers() {
    for attribute in [
        "inline",
        "allow(x)",
        "expect(x)",
        "warn(x)",
        "deny(x)",
        "forbid(x)",
        "cfg(all())",
        "cfg_attr(all(), inline)",
        "doc = \"x\"",
        "must_use",
        "deprecated",
        "cold",
        "track_caller",
        "target_feature(enable = \"x\")",
        "no_mangle",
        "instrument",
        "tracing::instrument",
        "test",
        "async_trait",
        "automock",
        "cache",
        "memoize",
        "trace",
        "entry",
        "timeouts",
        "timed",
        "owned",
        "own_",
        "on",
        "retries",
        "tokio::timeout",
        "rustfmt::skip",
        "clippy::x",
        "get",
    ] {
        let said = on_method(&format!("#[{attribute}]"));
        assert!(said.is_empty(), "{attribute}: {said:#?}");
        let output = adapter(&format!(
            "#[adapter(kind = \"external\")] impl Port for Http {{ #[{attribute}] async fn get(&self) -> R {{ }} }}"
        ));
        let kept: proc_macro2::TokenStream = format!("#[{attribute}]").parse().expect("tokens");
        assert!(output.to_string().contains(&kept.to_string()), "{output}");
    }
}
