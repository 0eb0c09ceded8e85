//! What can be cached, each rule beside a legal neighbour.

use super::{adapter, headlines, messages};

/// With `cached` on the method.
fn on_method(method: &str) -> String {
    format!(
        "#[adapter(kind = \"external\", timeout(ms = 5))]
        impl Port for Http {{ #[cached(ttl_ms = 5)] {method} {{ todo!() }} }}"
    )
}

fn refuses(method: &str, wanted: &str) {
    let said = messages(adapter(&on_method(method)));
    assert_eq!(said.len(), 1, "{method}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{method}: {}", said[0]);
    assert!(said[0].contains("leave `cached` out"), "{method}: {}", said[0]);
}

fn takes(method: &str) {
    let said = headlines(adapter(&on_method(method)));
    assert!(said.is_empty(), "{method}: {said:#?}");
}

#[test]
fn what_cannot_be_cached_has_no_code_that_would_not_compile_either() {
    let is_cached = |method: &str| adapter(&on_method(method)).to_string().contains("cached (");
    assert!(!is_cached("async fn put(&self, id: u64) -> Result<(), Failed>"));
    assert!(is_cached("async fn get(&self, id: u64) -> Result<u8, Failed>"));
}

#[test]
fn it_answers_with_something() {
    refuses(
        "async fn put(&self, id: u64) -> Result<(), Failed>",
        "`put` answers with nothing",
    );
    takes("async fn put(&self, id: u64) -> Result<((), u8), Failed>");
    takes("async fn put(&self, id: u64) -> Answer<u8>");
    refuses(
        "async fn list(&self) -> Result<impl Iterator<Item = u8>, Failed>",
        "`list` answers with a type that has no name",
    );
    refuses(
        "async fn list(&self) -> Result<(impl Iterator<Item = u8>, u8), Failed>",
        "`list` answers with a type that has no name",
    );
    refuses(
        "fn list(&self) -> impl Future<Output = Result<(), Failed>> + Send",
        "`list` answers with nothing",
    );
    takes("fn list(&self) -> impl Future<Output = Result<u8, Failed>> + Send");
    takes("fn list(&self) -> BoxFuture<'_, Result<u8, Failed>>");
}

#[test]
fn it_changes_nothing() {
    refuses(
        "async fn get(&mut self) -> Result<u8, Failed>",
        "`get` takes `&mut self`",
    );
    refuses(
        "async fn get(&self, into: &mut Vec<u8>) -> Result<u8, Failed>",
        "`get` changes this argument",
    );
    takes("async fn get(&self, from: &Vec<u8>) -> Result<u8, Failed>");
}

#[test]
fn it_is_not_generic() {
    for method in [
        "async fn get<T>(&self, id: T) -> Result<u8, Failed>",
        "async fn get<const N: usize>(&self, id: [u8; N]) -> Result<u8, Failed>",
        "async fn get(&self, id: impl AsRef<str>) -> Result<u8, Failed>",
    ] {
        refuses(method, "`get` is generic");
    }
    takes("async fn get<'a>(&'a self, id: &'a str) -> Result<u8, Failed>");
}

#[test]
fn its_arguments_can_be_kept() {
    for argument in [
        "Key<'_>",
        "Key<'a>",
        "Vec<&str>",
        "&[&str]",
        "Option<Vec<&str>>",
        "Option<&mut u8>",
        "(Key<'a>, u8)",
        "&&str",
    ] {
        refuses(
            &format!("async fn get<'a>(&self, key: {argument}) -> Result<u8, Failed>"),
            "`cached` keeps the arguments of `get` as a key",
        );
    }
    for argument in [
        "&str",
        "&'a str",
        "&[u8]",
        "u64",
        "Vec<String>",
        "Option<&str>",
        "Option<&'a Day>",
        "&'static str",
        "Key<'static>",
        "fn(u8) -> u8",
    ] {
        takes(&format!(
            "async fn get<'a>(&self, key: {argument}) -> Result<u8, Failed>"
        ));
    }
    let many = |n: usize| {
        let arguments: Vec<String> = (0..n).map(|n| format!("a{n}: u8")).collect();
        arguments.join(", ")
    };
    takes(&format!(
        "async fn get(&self, {}) -> Result<u8, Failed>",
        many(12)
    ));
    refuses(
        &format!("async fn get(&self, {}) -> Result<u8, Failed>", many(13)),
        "`get` has 13 arguments",
    );
}

#[test]
fn a_key_of_its_own_frees_the_arguments() {
    for argument in ["Key<'_>", "Vec<&str>"] {
        let source = format!(
            "#[adapter(kind = \"external\", timeout(ms = 5))]
            impl Port for Http {{
                #[cached(ttl_ms = 5, key = Self::key)]
                async fn get(&self, key: {argument}) -> Result<u8, Failed> {{ todo!() }}
            }}"
        );
        assert!(messages(adapter(&source)).is_empty(), "{argument}");
    }
}

#[test]
fn stated_on_the_impl_it_is_switched_off_where_it_does_not_fit() {
    let source = |attribute: &str| {
        format!(
            "#[adapter(kind = \"external\", timeout(ms = 5), cached(ttl_ms = 5))]
            impl Port for Http {{
                async fn get(&self) -> Result<u8, Failed> {{ todo!() }}
                {attribute} async fn put(&self) -> Result<(), Failed> {{ todo!() }}
            }}"
        )
    };
    let said = messages(adapter(&source("")));
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(
        said[0].contains("or put `#[cached(off)]` on the method"),
        "{}",
        said[0]
    );
    assert!(messages(adapter(&source("#[cached(off)]"))).is_empty());
    assert!(messages(adapter(&source("#[own(reason = \"x\")]"))).is_empty());
}

#[test]
fn it_may_be_repeated() {
    let said = messages(adapter(
        "#[adapter(kind = \"external\", timeout(ms = 5))]
        impl Port for Http {
            #[cached(ttl_ms = 5)]
            #[non_idempotent]
            async fn get(&self) -> Result<u8, Failed> { todo!() }
        }",
    ));
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(
        said[0].starts_with("`get` is `cached`, so it is a read"),
        "{}",
        said[0]
    );
    // A retry for several methods need not be told so.
    let said = messages(adapter(
        "#[adapter(kind = \"external\", retry, timeout(ms = 5))]
        impl Port for Http {
            #[cached(ttl_ms = 5)]
            async fn get(&self) -> Result<u8, Failed> { todo!() }
            #[idempotent]
            async fn put(&self) -> Result<(), Failed> { todo!() }
        }",
    ));
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn what_only_the_impl_can_name_is_not_asked_about_outside_of_it() {
    let output = adapter(
        "#[adapter(kind = \"external\", timeout(ms = 5), cached(ttl_ms = 5))]
        impl<T: Of, const N: usize> Port for Http<T, N> {
            type View = u8;
            async fn get(&self) -> Result<(T, [Order; N], Self::View), Failed> { todo!() }
        }",
    )
    .to_string();
    assert_eq!(output.matches("Probe ::").count(), 1, "{output}");
    assert!(output.contains("Probe :: < Order > :: MARKED"), "{output}");
}
