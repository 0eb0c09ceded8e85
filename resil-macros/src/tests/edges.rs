//! Where a rule ends: one step further something else holds.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{adapter, headlines, messages, taken_apart};

const ONE: &str = "async fn get(&self) -> Result<u8, Failed> { todo!() }";

fn source(args: &str, body: &str) -> String {
    format!("#[adapter(kind = \"external\", {args})] impl Port for Http {{ {body} }}")
}

fn said(args: &str, body: &str) -> Vec<String> {
    messages(adapter(&source(args, body)))
}

fn one(args: &str, body: &str) -> String {
    let said = said(args, body);
    assert_eq!(said.len(), 1, "{args} {body}: {said:#?}");
    said.concat()
}

/// From where to where the only error is shown.
fn shown(args: &str) -> String {
    shown_in(args, ONE)
}

fn shown_in(args: &str, body: &str) -> String {
    let source = source(args, body);
    let mut start = None;
    for token in adapter(&source) {
        match token {
            TokenTree::Ident(word) if word == "compile_error" => start = Some(word.span().byte_range().start),
            TokenTree::Group(group) => {
                if let (Some(start), Some(text)) = (start, group.stream().into_iter().next()) {
                    return source[start..text.span().byte_range().end].to_owned();
                }
            }
            _ => {}
        }
    }
    panic!("no error in {source}");
}

#[test]
fn an_entry_is_shown_from_its_key_to_its_end() {
    assert_eq!(shown("timeout = 3"), "timeout = 3");
    assert_eq!(shown("timeout(ms = 5), errors(Map, x)"), "errors(Map, x");
    assert_eq!(shown("name"), "name");
}

#[test]
fn of_two_numbers_the_nearer_one_is_shown() {
    let both = "timeout(ms = 100), circuit_breaker(slow_ms = 150)";
    assert_eq!(shown(both), "150");
    assert_eq!(
        shown_in(
            "timeout(ms = 200), circuit_breaker(slow_ms = 150)",
            &format!("#[timeout(ms = 120)] {ONE}")
        ),
        "120"
    );
    assert_eq!(
        shown_in(
            "timeout(ms = 100)",
            &format!("#[circuit_breaker(slow_ms = 150)] {ONE}")
        ),
        "150"
    );
    assert_eq!(
        shown_in(
            "no_timeout = \"each has one\"",
            &format!("#[timeout(ms = 100)] #[circuit_breaker(slow_ms = 150)] {ONE}")
        ),
        "150"
    );
}

#[test]
fn only_parentheses_hold_options() {
    assert!(one("(retry), timeout(ms = 5)", ONE).starts_with("expected a name, found `(retry)`"));
    assert!(said("timeout[ms = 5]", ONE)[0].starts_with("unexpected `[ms = 5]` after `timeout`"));
}

#[test]
fn an_arrow_closes_no_angle_bracket() {
    assert_eq!(
        said("errors = Map<fn() -> u8, u16>, timeout(ms = 5)", ONE),
        [""; 0]
    );
}

#[test]
fn attributes_inside_cfg_attr_are_told_from_their_values() {
    let get = |attribute: &str| said("timeout(ms = 5)", &format!("#[cfg_attr({attribute})] {ONE}"));
    assert_eq!(get("test, doc = retry"), [""; 0]);
    assert_eq!(get("retry, inline"), [""; 0]);
    assert_eq!(get("test, doc(retry)"), [""; 0]);
    assert_eq!(get("test, a::retry").len(), 1);
    assert_eq!(get("test, inline, retry").len(), 1);
}

#[test]
fn an_option_without_its_value_is_not_off() {
    let said = one("timeout(ms = 5)", &format!("#[retry(attempts)] {ONE}"));
    assert_eq!(said, "`attempts` needs a value\n\nhelp: write `attempts = 3`");
}

#[test]
fn helpers_are_taken_out_of_an_impl_that_a_macro_was_given() {
    let (args, item) = taken_apart(&source("timeout(ms = 5)", &format!("#[retry(off)] {ONE}")));
    let group = Group::new(Delimiter::None, item);
    let output = crate::adapter::adapter(args, group.into_token_stream()).to_string();
    assert!(
        output.contains("impl Port for Http") && output.contains("ResilientHttp"),
        "{output}"
    );
    assert!(!output.contains("# [retry"), "{output}");
}

#[test]
fn the_body_of_a_method_may_come_from_a_macro_by_example() {
    let with = |body: Group| {
        let item = quote!(impl Port for Http { async fn get(&self) -> Result<u8, Failed> #body });
        messages(crate::adapter::adapter(quote!(kind = "external"), item))
    };
    let fragment = |block: Group| Group::new(Delimiter::None, block.into_token_stream());
    let block = Group::new(Delimiter::Brace, quote!(todo!()));
    assert_eq!(with(fragment(block)), [""; 0]);
    let list = Group::new(Delimiter::Bracket, quote!(todo!()));
    assert_eq!(with(list.clone()), ["expected the body of the method"]);
    assert_eq!(with(fragment(list)), ["expected the body of the method"]);
}

#[test]
fn what_only_looks_like_a_helper_stays() {
    for member in ["const N: [u8; 1] = [retry];", "# (retry)"] {
        let output = adapter(&source("timeout(ms = 5)", &format!("{member} {ONE}"))).to_string();
        let kept: TokenStream = format!("impl Port for Http {{ {member} {ONE} }}")
            .parse()
            .expect("Rust");
        assert!(output.starts_with(&kept.to_string()), "{output}");
    }
}

#[test]
fn as_many_calls_as_the_window_holds_can_be_asked_for() {
    let rate = |more: &str| {
        said(
            &format!("timeout(ms = 5), circuit_breaker(failure_rate = 0.5, {more})"),
            ONE,
        )
    };
    assert_eq!(rate("window = 9, min_calls = 9"), [""; 0]);
    assert_eq!(rate("window = 9, min_calls = 10").len(), 1);
}

#[test]
fn a_percentage_is_turned_into_a_share() {
    let note = |rate: &str| {
        let said = one(
            &format!("timeout(ms = 5), circuit_breaker(failure_rate = {rate})"),
            ONE,
        );
        assert!(
            said.starts_with("`failure_rate` must be above 0 and at most 1"),
            "{said}"
        );
        said.lines()
            .find_map(|line| line.strip_prefix("note: ").map(str::to_owned))
    };
    assert_eq!(
        note("50").as_deref(),
        Some("it is a share: 50 % is `failure_rate = 0.5`")
    );
    assert_eq!(
        note("100").as_deref(),
        Some("it is a share: 100 % is `failure_rate = 1`")
    );
    assert_eq!(note("150"), None);
    assert_eq!(note("0"), None);
}

#[test]
fn what_is_proposed_could_be_written() {
    for (policy, wanted) in [
        (
            "timeout(ms = \"2m\")",
            "`ms` takes a whole number of milliseconds, got `\"2m\"`\n\nhelp: write `ms = 120000`",
        ),
        (
            "timeout(ms = 1h)",
            "`ms` takes a whole number of milliseconds, got `1h`\n\nhelp: write `ms = 3600000`",
        ),
        (
            "timeout(ms = 1.5)",
            "`ms` takes a whole number of milliseconds, got `1.5`\n\nhelp: write `ms = 2`, or `ms = 1500` if it is in seconds",
        ),
        (
            "timeout(ms = x)",
            "`ms` takes a whole number of milliseconds, got `x`\n\nhelp: write the number itself, such as `ms = 2000`; `with_policies` takes expressions\nnote: an attribute is read before constants have values",
        ),
        (
            "bulkhead(max_concurrent)",
            "`max_concurrent` needs a value\n\nhelp: write `max_concurrent = 10`",
        ),
        (
            "retry(attempts = 1.0)",
            "`attempts` takes a whole number, got `1.0`\n\nhelp: write `attempts = 3`",
        ),
        (
            "retry(attempts = 3u8)",
            "`attempts` takes a whole number, got `3u8`\n\nhelp: write `attempts = 3`",
        ),
        (
            "retry(jitter)",
            "`jitter` needs a value\n\nhelp: write `jitter = \"full\"`",
        ),
        (
            "retry(jitter = 3)",
            "`jitter` is one of `\"full\"`, `\"equal\"`, `\"none\"`, got `3`",
        ),
        (
            "retry(budget = \"x\")",
            "`budget` takes a share or `\"off\"`, got `\"x\"`\n\nhelp: write `budget = \"off\"`, or `budget = 0.2`",
        ),
        (
            "retry(budget = 1u8)",
            "`budget` takes a share or `\"off\"`, got `1u8`\n\nhelp: write `budget = 0.2`",
        ),
        (
            "retry(budget = 0.1f32)",
            "`budget` takes a share or `\"off\"`, got `0.1f32`\n\nhelp: write `budget = 0.2`",
        ),
        (
            "retry(factor = \"x\")",
            "`factor` takes a number, got `\"x\"`\n\nhelp: write `factor = 2`",
        ),
        (
            "circuit_breaker(failure_rate = x)",
            "`failure_rate` takes a share, got `x`\n\nhelp: write the number itself, such as `failure_rate = 0.5`; `with_policies` takes expressions\nnote: an attribute is read before constants have values",
        ),
        (
            "circuit_breaker(reset_after_timeout_ms)",
            "`reset_after_timeout_ms` needs a value\n\nhelp: write `reset_after_timeout_ms = 2000`",
        ),
    ] {
        let args = format!("no_timeout = \"x\", {policy}");
        assert_eq!(
            one(
                if policy.starts_with("timeout") {
                    policy
                } else {
                    &args
                },
                ONE
            ),
            wanted
        );
    }
}

#[test]
fn what_is_allowed_is_shown_with_its_reason() {
    assert_eq!(
        one("allow(retry)", ONE),
        "`allow` must say why\n\nhelp: record why: `allow(retry, reason = \"…\")`"
    );
    assert!(one("allow(\"retry\")", ONE).starts_with("expected a name, found `\"retry\"`"));
}

/// Whether the wrapper calls the adapter in `get`, or only does not return.
fn calls(body: &str) -> bool {
    let output = adapter(&source("timeout(ms = 5)", body)).to_string();
    let calls = output.contains("Call :: new");
    assert_eq!(output.contains("loop { }"), !calls, "{output}");
    calls
}

#[test]
fn a_method_that_cannot_be_wrapped_adds_no_error_of_its_own() {
    assert!(calls(
        "fn get(&self) -> BoxFuture<'_, Result<u8, Failed>> { todo!() }"
    ));
    assert!(!calls(
        "fn get(&self) -> BoxFuture<'static, Result<u8, Failed>> { todo!() }"
    ));
    assert!(!calls(
        "fn get(&self, key: &str) -> BoxFuture<'_, Result<u8, Failed>> { todo!() }"
    ));
}

#[test]
fn a_receiver_that_no_method_can_have_is_not_exempt() {
    let help = |receiver: &str| {
        one(
            "timeout(ms = 5)",
            &format!("async fn get({receiver}) -> Result<u8, Failed> {{ todo!() }}"),
        )
    };
    assert!(help("self").ends_with(
        "help: take `&self`, `&mut self` or `self: Arc<Self>`, or put `#[own(reason = \"…\")]` on the method"
    ));
    assert!(help("self: Rc<Self>").ends_with("help: take `&self`, `&mut self` or `self: Arc<Self>`"));
}

#[test]
fn a_method_without_a_timeout_needs_no_other() {
    let said = headlines(adapter(&source(
        "bulkhead(max_concurrent = 1)",
        &format!("#[timeout(off, reason = \"x\")] {ONE}"),
    )));
    assert_eq!(said, [""; 0]);
}
