//! What the documentation of a wrapper says of its methods.

use quote::ToTokens;
use syn::Item;

use super::{adapter, messages};

/// The rows of the wrapper's table, with the condition in front where there is one.
fn rows(args: &str, methods: &str) -> Vec<String> {
    let source = format!("#[adapter({args})] impl Port for Http {{ {methods} }}");
    let output = adapter(&source);
    assert_eq!(messages(output.clone()), [""; 0], "{source}");
    let file: syn::File = syn::parse2(output).expect("items");
    let wrapper = file.items.into_iter().find_map(|item| match item {
        Item::Struct(item) if item.ident == "ResilientHttp" => Some(item),
        _ => None,
    });
    let attributes = wrapper.expect("a wrapper").attrs;
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(doc) if doc.path.is_ident("doc") => {
            let text: syn::LitStr = syn::parse2(doc.value.to_token_stream()).ok()?;
            Some(text.value())
        }
        syn::Meta::List(conditional) if conditional.path.is_ident("cfg_attr") => {
            let (condition, doc) = conditional
                .tokens
                .to_string()
                .split_once(" , doc = ")
                .map(|(condition, doc)| (condition.to_owned(), doc.trim_matches('"').to_owned()))?;
            Some(format!("{condition}{doc}"))
        }
        _ => None,
    });
    lines
        .filter(|line| line.contains("| `"))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn get(args: &str, attributes: &str) -> String {
    let rows = rows(
        args,
        &format!("{attributes} async fn get(&self) -> Result<u8, Failed> {{ todo!() }}"),
    );
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.concat()
}

#[test]
fn what_nobody_stated_is_the_default_of_the_kind() {
    for kind in ["external", "gateway"] {
        assert_eq!(
            get(&format!("kind = \"{kind}\""), ""),
            format!(
                "| `get` | the default of `{kind}`: `retry(attempts = 3)`, `timeout(ms = 2000)` \
                | 3; a further one only after a failure that is `not_sent` \
                | 6.3 s; 26 s where errors carry a `retry_after` |"
            )
        );
    }
    assert_eq!(
        get("kind = \"repository\"", ""),
        "| `get` | the default of `repository`: none | 1 | unbounded: nothing is stated that ends it |"
    );
}

#[test]
fn off_states_nothing_and_takes_from_the_default() {
    assert_eq!(
        get(
            "kind = \"external\"",
            "#[idempotent] #[timeout(off, reason = \"the client has one\")]"
        ),
        "| `get` | the default of `external`: `retry(attempts = 3)` | 3 | unbounded: the client has one |"
    );
}

#[test]
fn what_a_method_states_comes_alone_or_over_the_impl() {
    assert_eq!(
        get("kind = \"external\"", "#[timeout(ms = 50)]"),
        "| `get` | `timeout(ms = 50)` | 1 | 50 ms |"
    );
    assert_eq!(
        get(
            "kind = \"external\", timeout(ms = 2000), retry",
            "#[retry(attempts = 2, base_ms = 10, max_ms = 10)]"
        ),
        "| `get` | `retry(attempts = 2, base_ms = 10, max_ms = 10)`, `timeout(ms = 2000)` | 2 | 4.01 s |"
    );
    assert_eq!(
        get(
            "kind = \"external\", timeout(ms = 2000), bulkhead(max_concurrent = 2), retry",
            "#[retry(off)]"
        ),
        "| `get` | `bulkhead(max_concurrent = 2)`, `timeout(ms = 2000)` | 1 | 2 s |"
    );
    assert_eq!(
        get(
            "kind = \"external\", no_timeout = \"by the pool\", retry",
            "#[timeout(off, reason = \"by the driver\")]"
        ),
        "| `get` | `retry` | 3 | unbounded: by the driver |"
    );
}

#[test]
fn own_tells_its_reason() {
    assert_eq!(
        get("kind = \"external\", own(reason = \"all in memory\")", ""),
        "| `get` | none: all in memory | 1 | unbounded |"
    );
    assert_eq!(
        get("kind = \"external\"", "#[own(reason = \"see [Pool] | `x`\")]"),
        r"| `get` | none: see \[Pool\] \| \`x\` | 1 | unbounded |"
    );
}

#[test]
fn only_methods_that_are_there_have_rows() {
    let rows = rows(
        "kind = \"external\", timeout(ms = 5)",
        "#[cfg(unix)] async fn r#get(&self) -> Result<u8, Failed> { todo!() }
        #[cfg_attr(a, cfg(b))] #[own(reason = \"x\")] async fn put(&self) -> Result<u8, Failed> { todo!() }
        fn name(&self) -> &str { todo!() }",
    );
    assert_eq!(
        rows,
        [
            "all (unix) | `get` | `timeout(ms = 5)` | 1 | 5 ms |",
            "all (any (not (a) , all (b))) | `put` | none: x | 1 | unbounded |"
        ]
    );
}
