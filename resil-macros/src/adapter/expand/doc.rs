//! What the documentation of a wrapper says: each method's policies, and the most that they add up to.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{Attribute, Meta};

use super::worst::{self, Worst, readable};
use crate::adapter::args::Kind;
use crate::adapter::model::{Guard, Method, Model, Override, Treatment};
use crate::grammar::is_punct;
use crate::policy::Stated;

/// What the runtime gives to a method of a kind for which nothing is stated.
fn default_of(kind: Kind) -> &'static str {
    match kind {
        Kind::External | Kind::Gateway => "retry(attempts = 3), timeout(ms = 2000)",
        Kind::Repository => "",
    }
}

/// From the outside in.
const ORDER: [&str; 9] = [
    "fallback",
    "cached",
    "deadline",
    "retry",
    "hedge",
    "circuit_breaker",
    "rate_limit",
    "bulkhead",
    "timeout",
];

/// One line of documentation for each line of a table.
pub(super) fn table(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let rows: Vec<TokenStream> = model
        .methods()
        .filter_map(|method| {
            let row = row(model, method)?;
            let conditions: Vec<TokenStream> = method.conditions.iter().filter_map(condition).collect();
            Some(if conditions.is_empty() {
                quote_spanned! {mixed=> #[doc = #row] }
            } else {
                quote_spanned! {mixed=> #[cfg_attr(all(#(#conditions),*), doc = #row)] }
            })
        })
        .collect();
    if rows.is_empty() {
        return TokenStream::new();
    }
    let head = [
        "",
        " What the code states, and the most that one call adds up to: calls of the adapter, and time. `with_policies` and the platform may",
        " put other policies in the place of those of the impl or the kind.",
        "",
        " | method | policies | calls | time |",
        " |---|---|---|---|",
    ];
    quote_spanned! {mixed=> #(#[doc = #head])* #(#rows)* }
}

/// `None` where the method is passed on without a word.
fn row(model: &Model, method: &Method) -> Option<String> {
    let because = method.reason.as_deref().map(prose);
    match &method.treatment {
        Treatment::Guard(guard) => {
            let effective = Effective::of(model, guard);
            let worst = worst::case(&effective.policies());
            let (policies, calls) = (effective.cell(model), effective.calls(guard, worst));
            let time = effective.time(worst, because.as_deref());
            Some(format!(" | `{}` | {policies} | {calls} | {time} |", guard.name))
        }
        Treatment::Delegate => {
            let (name, because) = (method.name(), because?);
            Some(format!(" | `{name}` | none: {because} | 1 | unbounded |"))
        }
        Treatment::Diverge => None,
    }
}

/// What holds for a method, from the outside in.
struct Effective {
    stated: Vec<Stated>,
    /// Nothing was stated, neither on it nor on the impl.
    by_default: bool,
}

impl Effective {
    fn of(model: &Model, guard: &Guard) -> Self {
        let spec = &model.spec;
        let states_any = guard.overrides.iter().any(|own| matches!(own, Override::Set(_)));
        let by_default = spec.policies.is_empty() && !spec.own && !states_any;
        let mut stated = if by_default {
            Stated::in_words(default_of(spec.kind))
        } else {
            spec.policies.clone()
        };
        for own in &guard.overrides {
            let name = match own {
                Override::Set(policy) => policy.table.name,
                Override::Off(name) => name,
            };
            stated.retain(|policy| policy.table.name != name && !excludes(own, policy));
            if let Override::Set(policy) = own {
                stated.push(policy.clone());
            }
        }
        stated.sort_by_key(|policy| ORDER.iter().position(|name| *name == policy.table.name));
        Self { stated, by_default }
    }

    fn policies(&self) -> Vec<&Stated> {
        self.stated.iter().collect()
    }

    fn has(&self, name: &str) -> Option<&Stated> {
        self.stated.iter().find(|policy| policy.table.name == name)
    }

    fn cell(&self, model: &Model) -> String {
        let written: Vec<String> = self
            .stated
            .iter()
            .map(|policy| format!("`{}`", policy.written().replace('|', "\\|")))
            .collect();
        let written = if written.is_empty() {
            "none".to_owned()
        } else {
            written.join(", ")
        };
        if self.by_default {
            let kind = model.spec.kind.variant().to_lowercase();
            format!("the default of `{kind}`: {written}")
        } else {
            written
        }
    }

    fn calls(&self, guard: &Guard, worst: Worst) -> String {
        let mut calls = worst.attempts.to_string();
        if worst.probes > 0 {
            calls = format!("{calls} and {} of the probe", worst.probes);
        }
        if worst.attempts > 1 && guard.idempotent != Some(true) && self.has("hedge").is_none() {
            calls += "; a further one only after a failure that is `not_sent`";
        }
        if self.has("cached").is_some() {
            calls += "; none where the cache answers";
        }
        if self
            .has("fallback")
            .is_some_and(|fallback| fallback.get("value").is_none())
        {
            calls += "; then the fallback";
        }
        calls
    }

    fn time(&self, worst: Worst, because: Option<&str>) -> String {
        let Some(time) = worst.time else {
            let because = because.unwrap_or("nothing is stated that ends it");
            return format!("unbounded: {because}");
        };
        let mut text = readable(time);
        if let Some(asked) = worst.asked_to_wait.filter(|asked| *asked > time) {
            text = format!("{text}; {} where errors carry a `retry_after`", readable(asked));
        }
        let deadline = self
            .has("deadline")
            .filter(|deadline| !deadline.says("mode", "observe"));
        if self.has("cached").is_some() && deadline.is_none() {
            text += "; before that, loads of others that it waits for";
        }
        text
    }
}

/// Of retry and hedge there is one; the nearer wins.
fn excludes(own: &Override, inherited: &Stated) -> bool {
    let Override::Set(own) = own else {
        return false;
    };
    matches!(
        (own.table.name, inherited.table.name),
        ("retry", "hedge") | ("hedge", "retry")
    )
}

/// A reason in one line of Markdown: what would be markup, a link, or the end of a cell is text.
fn prose(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut prose = String::new();
    for letter in line.chars() {
        if matches!(
            letter,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | ':' | '$'
        ) {
            prose.push('\\');
        }
        prose.push(letter);
    }
    prose
}

/// What `#[cfg(…)]`, or a `cfg` inside `cfg_attr`, asks for.
fn condition(attribute: &Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    if list.path.is_ident("cfg") {
        return Some(list.tokens.clone());
    }
    let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
    let mut parts = tokens.split(|token| is_punct(token, ','));
    let outer: TokenStream = parts.next()?.iter().cloned().collect();
    let inner: Vec<TokenStream> = parts
        .filter_map(|part| match part {
            [TokenTree::Ident(name), TokenTree::Group(group)] if name == "cfg" => Some(group.stream()),
            _ => None,
        })
        .collect();
    Some(quote_spanned! {Span::mixed_site()=> any(not(#outer), all(#(#inner),*)) })
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_reason_is_text_and_nothing_else() {
        assert_eq!(prose("the pool bounds it"), "the pool bounds it");
        assert_eq!(
            prose("see [Pool] <b> | https://x.y/a_b\n  `z`"),
            r"see \[Pool\] \<b\> \| https\://x.y/a\_b \`z\`"
        );
    }

    #[test]
    fn conditions_are_those_of_the_method() {
        let of = |attribute: &Attribute| condition(attribute).map(|tokens| tokens.to_string());
        let plain: Attribute = parse_quote!(#[cfg(unix)]);
        assert_eq!(of(&plain).as_deref(), Some("unix"));
        let nested: Attribute = parse_quote!(#[cfg_attr(all(a, b), cfg(c), allow(d))]);
        assert_eq!(of(&nested).as_deref(), Some("any (not (all (a , b)) , all (c))"));
        let other: Attribute = parse_quote!(#[inline]);
        assert_eq!(of(&other), None, "{}", other.to_token_stream());
    }

    #[test]
    fn each_policy_has_its_place() {
        for table in crate::options::POLICIES {
            assert!(ORDER.contains(&table.name), "{}", table.name);
        }
        assert_eq!(ORDER.len(), crate::options::POLICIES.len());
    }
}
