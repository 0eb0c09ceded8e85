//! `allow(retry, reason = "…")`: a rule that somebody set aside, and why.

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::reason_in;
use crate::diagnostics::{Errors, list, message};
use crate::grammar::{self, Entry, Given};

/// What can be allowed: three policies on a repository, and a place in an inner layer.
const ALL: &[&str] = &["cached", "retry", "hedge", "layer"];

/// All that is allowed.
#[derive(Default)]
pub(in crate::adapter) struct Allowed {
    given: Vec<Ident>,
}

impl Allowed {
    pub(super) fn contains(&self, what: &str) -> bool {
        self.given.iter().any(|given| given.unraw() == what)
    }

    /// Adds what one `allow` names; `false` where something else may have been meant, which was reported.
    pub(super) fn read(&mut self, allow: &Entry, errors: &mut Errors) -> bool {
        let before = errors.len();
        let Given::List(tokens) = &allow.given else {
            let says = message!("`allow` takes what is allowed, and why");
            errors.at(allow, says.help(example("retry")));
            return false;
        };
        let entries = grammar::entries(tokens.clone(), errors);
        if errors.len() > before {
            return false;
        }
        // `reason`, however it is spelt, is what has a value.
        let (named, why): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| {
            entry.name() != "reason" && (ALL.contains(&entry.name().as_str()) || !is_value(entry))
        });
        if named.is_empty() {
            let says = message!("`allow` does not say what is allowed");
            errors.at(
                &allow.key,
                says.help(example("retry"))
                    .note(format_args!("it knows {}", list(ALL))),
            );
            return false;
        }
        let mut known = true;
        for entry in &named {
            known &= self.add(entry, errors);
        }
        if known {
            let first = named.first().map_or_else(String::new, Entry::name);
            reason_in(&allow.key, why, &example(&first), errors);
        }
        known
    }

    fn add(&mut self, entry: &Entry, errors: &mut Errors) -> bool {
        let name = entry.name();
        if !ALL.contains(&name.as_str()) {
            let says = message!("`allow` knows no `{name}`");
            errors.at(&entry.key, says.choose(&name, "it knows", ALL));
            return false;
        }
        if self.contains(&name) {
            errors.at(&entry.key, grammar::twice(&entry.key));
        } else {
            grammar::word(entry, errors);
            self.given.push(entry.key.clone());
        }
        true
    }
}

fn is_value(entry: &Entry) -> bool {
    matches!(entry.given, Given::Value(_))
}

fn example(what: &str) -> String {
    format!("record why: `allow({what}, reason = \"…\")`")
}
