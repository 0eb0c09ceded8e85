//! Hedges, and limits that stand in different places, each rule beside a legal neighbour.

use super::{adapter, messages};

fn said(args: &str, body: &str) -> Vec<String> {
    messages(adapter(&format!(
        "#[adapter(kind = \"external\", {args})] impl Port for Http {{ {body} }}"
    )))
}

fn refuses(args: &str, body: &str, wanted: &str) {
    let said = said(args, body);
    assert_eq!(said.len(), 1, "{args} {body}: {said:#?}");
    assert!(said[0].starts_with(wanted), "{args} {body}: {}", said[0]);
    assert!(said[0].contains("\n\nhelp: "), "{args} {body}: {}", said[0]);
}

fn takes(args: &str, body: &str) {
    let said = said(args, body);
    assert!(said.is_empty(), "{args} {body}: {said:#?}");
}

const GET: &str = "async fn get(&self) -> Result<u8, Failed> { todo!() }";
const PUT: &str = "async fn put(&self) -> Result<u8, Failed> { todo!() }";

#[test]
fn only_what_may_be_done_twice_is_hedged() {
    let unsafe_ = "`hedge` sends a slow request a second time";
    refuses("timeout(ms = 5), hedge(after_ms = 1)", GET, unsafe_);
    refuses(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("#[non_idempotent] {GET}"),
        unsafe_,
    );
    refuses(
        "timeout(ms = 5)",
        &format!("#[hedge(after_ms = 1)] {GET}"),
        unsafe_,
    );
    // One message for all that the impl's reaches.
    refuses(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("{GET} {PUT}"),
        unsafe_,
    );
    takes("timeout(ms = 5), hedge(after_ms = 1), idempotent", GET);
    takes(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("#[idempotent] {GET}"),
    );
    takes(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("#[cached(ttl_ms = 5)] {GET}"),
    );
    takes(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("#[idempotent] {GET} #[hedge(off)] {PUT}"),
    );
    takes(
        "timeout(ms = 5), hedge(after_ms = 1)",
        &format!("#[idempotent] {GET} #[own(reason = \"x\")] {PUT}"),
    );
}

#[test]
fn what_is_hedged_is_not_changed() {
    let args = "timeout(ms = 5), hedge(after_ms = 1), idempotent";
    refuses(
        args,
        "async fn get(&mut self) -> Result<u8, Failed> { todo!() }",
        "`get` takes `&mut self`",
    );
    refuses(
        args,
        "async fn get(&self, into: &mut String) -> Result<u8, Failed> { todo!() }",
        "`get` changes this argument",
    );
    takes(
        args,
        "#[hedge(off)] async fn get(&mut self, into: &mut String) -> Result<u8, Failed> { todo!() }",
    );
}

#[test]
fn what_cannot_be_hedged_has_no_code_that_would_not_compile_either() {
    let is_hedged = |arguments: &str| {
        let tokens = adapter(&format!(
            "#[adapter(kind = \"external\", timeout(ms = 5), hedge(after_ms = 1), idempotent)]
            impl Port for Http {{ async fn get({arguments}) -> Result<u8, Failed> {{ todo!() }} }}"
        ));
        tokens.to_string().contains("hedged (")
    };
    assert!(!is_hedged("&mut self"));
    assert!(!is_hedged("&self, into: &mut String"));
    assert!(is_hedged("&self, from: &String"));
}

#[test]
fn attempts_race_or_follow_each_other() {
    let both = "`hedge` and `retry` are both stated";
    refuses(
        "timeout(ms = 5), hedge(after_ms = 1), retry, idempotent",
        GET,
        both,
    );
    refuses(
        "timeout(ms = 5), retry, idempotent",
        &format!("#[hedge(after_ms = 1)] {GET}"),
        both,
    );
    refuses(
        "timeout(ms = 5), hedge(after_ms = 1), idempotent",
        &format!("#[retry] {GET}"),
        both,
    );
    takes(
        "timeout(ms = 5), retry, idempotent",
        &format!("#[retry(off)] #[hedge(after_ms = 1)] {GET} {PUT}"),
    );
}

#[test]
fn limits_are_compared_for_each_method_by_what_holds_for_it() {
    let over = "the `timeout` of an attempt";
    // Once, however many methods it reaches.
    refuses(
        "timeout(ms = 50), deadline(ms = 20)",
        &format!("{GET} {PUT}"),
        over,
    );
    refuses("timeout(ms = 50)", &format!("#[deadline(ms = 20)] {GET}"), over);
    refuses(
        "deadline(ms = 20), timeout(ms = 5)",
        &format!("#[timeout(ms = 21)] {GET}"),
        over,
    );
    takes(
        "timeout(ms = 50), deadline(ms = 20)",
        &format!("#[timeout(ms = 20)] {GET}"),
    );
    takes(
        "timeout(ms = 50), deadline(ms = 20)",
        &format!("#[deadline(off)] {GET}"),
    );

    let queue = "a queue needs `max_wait_ms` or a `deadline`";
    let bulkhead = "timeout(ms = 5), bulkhead(max_concurrent = 1, max_queued = 1)";
    refuses(bulkhead, &format!("{GET} {PUT}"), queue);
    refuses(bulkhead, &format!("#[deadline(ms = 9)] {GET} {PUT}"), queue);
    takes(
        bulkhead,
        &format!("#[deadline(ms = 9)] {GET} #[bulkhead(off)] {PUT}"),
    );
}

#[test]
fn one_rate_limit_of_the_instance_is_stated_on_the_impl() {
    refuses(
        "timeout(ms = 5), rate_limit(permits = 1, scope = \"instance\")",
        &format!("#[rate_limit(permits = 2)] {GET}"),
        "`rate_limit` is one for the whole instance here",
    );
    refuses(
        "timeout(ms = 5)",
        &format!("#[rate_limit(permits = 2, scope = \"instance\")] {GET}"),
        "one `rate_limit` for the whole instance",
    );
    takes(
        "timeout(ms = 5), rate_limit(permits = 1)",
        &format!("#[rate_limit(permits = 2)] {GET}"),
    );
}
