//! What `#[resilient]` takes and refuses, each rule beside a legal neighbour.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};

use super::{adapter, messages};
use crate::adapter::resilient;

const FREE: &str = "async fn rate() -> Result<u8, Failed> { todo!() }";
const METHOD: &str = "async fn rate(&self) -> Result<u8, Failed> { todo!() }";

fn of(args: &str, function: &str) -> TokenStream {
    let tokens = |source: &str| source.parse::<TokenStream>().expect("the source is Rust");
    resilient(
        tokens(&format!("kind = \"external\", timeout(ms = 5) {args}")),
        tokens(function),
    )
}

fn expanded(function: &str) -> String {
    of("", function).to_string()
}

fn said(args: &str, function: &str) -> Vec<String> {
    messages(of(args, function))
}

fn refuses(args: &str, function: &str, wanted: &str) {
    let said = said(args, function);
    assert_eq!(said.len(), 1, "{args} {function}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{args} {function}: {}", said[0]);
    assert!(said[0].contains("\n\nhelp: "), "{args} {function}: {}", said[0]);
}

fn takes(args: &str, function: &str) {
    let said = said(args, function);
    assert!(said.is_empty(), "{args} {function}: {said:#?}");
}

#[test]
fn it_is_an_async_fn_with_an_answer_that_has_a_name() {
    takes("", FREE);
    takes("", METHOD);
    refuses(
        "",
        "fn rate() -> impl Future<Output = Result<u8, Failed>> { todo!() }",
        "`rate` is no `async fn`",
    );
    refuses(
        "",
        "async fn rates() -> Result<impl Iterator<Item = u8>, Failed> { todo!() }",
        "`rates` answers with a type that has no name",
    );
    refuses(
        "",
        "async fn rates() -> Result<(impl Iterator<Item = u8>, u8), Failed> { todo!() }",
        "`rates` answers with a type that has no name",
    );
    refuses(
        "",
        "async unsafe fn rate() -> Result<u8, Failed> { todo!() }",
        "`#[resilient]` cannot repeat an `unsafe` function",
    );
}

#[test]
fn its_body_may_come_from_a_macro_by_example() {
    let with = |body: Group| {
        messages(resilient(
            quote!(kind = "external", timeout(ms = 5)),
            quote!(async fn rate() -> Result<u8, Failed> #body),
        ))
    };
    let block = || Group::new(Delimiter::Brace, quote!(todo!()));
    let fragment = |block: Group| Group::new(Delimiter::None, block.into_token_stream());
    assert_eq!(with(block()), [""; 0]);
    assert_eq!(with(fragment(block())), [""; 0]);
    let list = || Group::new(Delimiter::Bracket, quote!(todo!()));
    for other in [list(), fragment(list())] {
        let said = with(other);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(
            said[0].starts_with("`#[resilient]` must be placed on an `async fn` with a body"),
            "{said:#?}"
        );
    }
}

#[test]
fn it_lends_itself_to_one_attempt_after_another() {
    for receiver in ["&mut self", "self", "self: Arc<Self>"] {
        refuses(
            "",
            &format!("async fn rate({receiver}) -> Result<u8, Failed> {{ todo!() }}"),
            "`rate` cannot lend this to one attempt after another",
        );
    }
}

#[test]
fn its_state_is_a_field_where_there_is_one() {
    takes(", state = own", METHOD);
    refuses(", state = own", FREE, "`rate` is a free function");
}

#[test]
fn it_is_about_one_function() {
    refuses(", wrapper = Other", FREE, "`wrapper` is of the wrapper");
    refuses(", vis = pub(crate)", FREE, "`vis` is of the wrapper");
    refuses(
        ", bulkhead(max_concurrent = 3, scope = \"instance\")",
        METHOD,
        "`#[resilient]` is about one function, and there is no instance",
    );
    takes(", bulkhead(max_concurrent = 3, scope = \"method\")", METHOD);
}

#[test]
fn it_is_named_where_something_is_wrong_in_it() {
    refuses(
        ", timeot(ms = 5)",
        FREE,
        "unknown policy `timeot` in `#[resilient(…)]`",
    );
}

#[test]
fn its_arguments_are_taken_apart_as_they_were() {
    let expanded = expanded("async fn rate((from, to): (u8, u8)) -> Result<u8, Failed> { Ok(from + to) }");
    assert!(expanded.contains("let (from , to) ="), "{expanded}");
}

#[test]
fn a_method_has_its_state_in_a_field_and_a_free_function_in_a_static() {
    let (method, free) = (expanded(METHOD), expanded(FREE));
    assert!(method.contains("self . state . of (& METHOD)"), "{method}");
    assert!(!method.contains("static STATE"), "{method}");
    assert!(free.contains("static STATE"), "{free}");
    assert!(!free.contains("state . of"), "{free}");
}

#[test]
fn its_attempts_are_told_what_they_answer_with() {
    let expanded = expanded(FREE);
    assert!(
        expanded.contains("typed :: < Result < u8 , Failed > , _ >"),
        "{expanded}"
    );
}

#[test]
fn inside_an_adapter_it_would_protect_twice() {
    let said = messages(adapter(&format!(
        "#[adapter(kind = \"external\", timeout(ms = 5))]
        impl Port for Http {{ #[resilient(kind = \"external\", timeout(ms = 5))] {METHOD} }}"
    )));
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(
        said[0].starts_with("`#[resilient]` inside an `#[adapter]` impl"),
        "{said:#?}"
    );
}

#[test]
fn what_only_belongs_there_is_refused_by_an_adapter() {
    let on_impl = |args: &str| {
        messages(adapter(&format!(
            "#[adapter(kind = \"external\", timeout(ms = 5) {args})] impl Port for Http {{ {METHOD} }}"
        )))
    };
    let said = on_impl(", state = own");
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].starts_with("`state` is of `#[resilient]`"), "{said:#?}");
    assert!(on_impl("").is_empty());
}
