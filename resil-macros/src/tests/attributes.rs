//! The documentation of the attributes on methods, beside the table of options.

use crate::ON_METHODS;
use crate::options::{Omitted, OptionTable, POLICIES, Value};

/// The row of an option, up to what it means.
fn row(option: &OptionTable) -> String {
    let takes = match option.value {
        Value::Millis { min } => format!("milliseconds, from {min}"),
        Value::Count { min } => format!("whole number, from {min}"),
        Value::Rate => "share, above 0 and at most 1".to_owned(),
        Value::RateOrOff => "share, above 0 and at most 1; or `\"off\"`".to_owned(),
        Value::Factor => "number, from 1".to_owned(),
        Value::Word(words) => words
            .iter()
            .map(|word| format!("`\"{word}\"`"))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Path => "path of a function".to_owned(),
        Value::Expr => "expression".to_owned(),
    };
    let default = match option.default {
        Omitted::Required => "must be given".to_owned(),
        Omitted::None => "none".to_owned(),
        Omitted::Is(text) if text.starts_with('"') || text.parse::<f64>().is_ok() => format!("`{text}`"),
        Omitted::Is(text) => text.to_owned(),
    };
    format!("| `{}` | {takes} | {default} | ", option.name)
}

#[test]
fn each_policy_documents_the_options_of_the_table() {
    for policy in POLICIES {
        let (_, document) = ON_METHODS
            .iter()
            .find(|(name, _)| *name == policy.name)
            .expect("each policy is an attribute");
        let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(rows.len(), policy.options.len(), "{}", policy.name);
        for (shown, option) in rows.iter().zip(policy.options) {
            let wanted = row(option);
            assert!(
                shown.starts_with(&wanted),
                "{}: {shown} is not {wanted}…",
                policy.name
            );
            assert!(
                shown.len() > wanted.len() + " |".len(),
                "{shown} does not say what it means"
            );
        }
    }
}

#[test]
fn what_is_no_policy_is_a_mark() {
    let others = ON_METHODS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| POLICIES.iter().all(|policy| policy.name != *name));
    assert_eq!(others.collect::<Vec<_>>(), crate::adapter::helpers::MARKS);
}
