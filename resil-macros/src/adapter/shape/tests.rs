use super::*;

fn sig(source: &str) -> Signature {
    syn::parse_str(source).unwrap_or_else(|error| panic!("{error} in {source}"))
}

fn form(output: &str) -> Form {
    Form::of(&sig(&format!("fn f(&self) -> {output}")))
}

#[test]
fn what_cannot_be_a_future_hides_none() {
    let hides = |output: &str| may_hide_a_future(&sig(&format!("fn f(&self) -> {output}"))).is_some();
    for plain in [
        "[u8; 3]",
        "&[u8]",
        "(u8, u8)",
        "fn() -> u8",
        "!",
        "*const u8",
        "Vec<u8>",
        "u8",
    ] {
        assert!(!hides(plain), "{plain}");
    }
    for hidden in ["Later<u8>", "&mut Later<u8>"] {
        assert!(hides(hidden), "{hidden}");
    }
}

#[test]
fn only_what_says_that_it_is_a_future_is_one() {
    assert_eq!(Form::of(&sig("async fn f()")), Form::AsyncFn);
    assert_eq!(Form::of(&sig("fn f()")), Form::Sync);
    assert_eq!(
        form("impl Send + core::future::Future<Output = u8>"),
        Form::ImplFuture
    );
    for boxed in [
        "Pin<Box<dyn Future<Output = u8>>>",
        "(a::BoxFuture<'_, u8>)",
        "LocalBoxFuture<'_, u8>",
    ] {
        assert_eq!(form(boxed), Form::Boxed, "{boxed}");
    }
    let others = [
        "impl Iterator<Item = u8>",
        "Pin<&mut u8>",
        "Pin<Box<u8>>",
        "Pin<Box<dyn Iterator<Item = u8>>>",
        "Pin<Arc<dyn Future<Output = u8>>>",
        "Pin",
        "Task<Box<dyn Future<Output = u8>>>",
        "u8",
        "&u8",
    ];
    for other in others {
        assert_eq!(form(other), Form::Sync, "{other}");
    }
}

fn answered(source: &str) -> Option<String> {
    answer(&sig(source)).map(|ty| ty.to_token_stream().to_string())
}

#[test]
fn the_answer_is_what_the_future_is_of() {
    for (source, wanted) in [
        ("async fn f() -> u8", Some("u8")),
        ("async fn f()", None),
        ("fn f() -> impl Send + Future<Output = u8>", Some("u8")),
        ("fn f() -> impl Stream<Item = u16, Output = u8>", Some("u8")),
        ("fn f() -> impl Stream<Item = u16>", None),
        (
            "fn f() -> Pin<Box<dyn Future<Output = u8> + Send + '_>>",
            Some("u8"),
        ),
        ("fn f() -> BoxFuture<'_, u8>", Some("u8")),
        ("fn f() -> BoxFuture", None),
        ("fn f() -> &'static u8", None),
    ] {
        assert_eq!(answered(source).as_deref(), wanted, "{source}");
    }
}

#[test]
fn receivers_are_told_apart() {
    for (receiver, wanted) in [
        ("", Taken::Not),
        ("this: &Self", Taken::Not),
        ("&self", Taken::Shared),
        ("&'a mut self", Taken::Mutable),
        ("self", Taken::Value),
        ("self: &Self", Taken::Shared),
        ("self: &mut (Self)", Taken::Mutable),
        ("self: Self", Taken::Value),
        ("self: a::Box<Self>", Taken::Boxed),
        ("self: Box<Arc<Self>>", Taken::Otherwise),
        ("self: Rc<Self>", Taken::Otherwise),
        ("self: &Box<Self>", Taken::Otherwise),
        ("self: &mut Box<Self>", Taken::Otherwise),
        ("self: <Self as Port>::Own", Taken::Otherwise),
    ] {
        assert_eq!(
            Taken::of(&sig(&format!("fn f({receiver})"))),
            wanted,
            "{receiver}"
        );
    }
}

#[test]
fn what_is_copied_is_passed_as_it_is() {
    for (ty, wanted) in [
        ("u8", Pass::Plain),
        ("&str", Pass::Plain),
        ("*const u8", Pass::Plain),
        ("fn(String) -> u8", Pass::Plain),
        ("[char; 4]", Pass::Plain),
        ("[String; 4]", Pass::Owned),
        ("(u8, [&str; 2])", Pass::Plain),
        ("(u8, String)", Pass::Owned),
        ("()", Pass::Plain),
        ("&mut u8", Pass::Reborrow),
        ("a::u8", Pass::Owned),
        ("String", Pass::Owned),
    ] {
        let parsed = syn::parse_str(ty).expect("a type");
        assert_eq!(Pass::of(&parsed), wanted, "{ty}");
    }
}
