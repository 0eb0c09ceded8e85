//! Policies as they are stated in an attribute. The table of options drives both reading and the builders that are called;
//! what a policy has beyond the table stands in a file of its own.

mod bulkhead;
mod circuit_breaker;
mod emit;
mod retry;
mod value;
mod written;

use proc_macro2::{Ident, TokenStream};

pub(crate) use self::value::Number;
use crate::diagnostics::{Errors, list, message, nearest};
use crate::grammar::{self, Entry};
use crate::options::{Omitted, OptionTable, POLICIES, PolicyTable, Value};

/// What a policy has beyond its table.
struct Rules {
    policy: &'static str,
    /// The builder's constructor, where it is not `new` with the required options.
    constructor: Option<&'static str>,
    /// Reports numbers that contradict.
    check: fn(&Stated, &mut Errors),
}

const RULES: &[Rules] = &[bulkhead::RULES, circuit_breaker::RULES, retry::RULES];

/// One policy with the options that were given.
#[derive(Clone)]
pub(crate) struct Stated {
    pub(crate) table: &'static PolicyTable,
    options: Vec<Setting>,
}

/// One option as it was given.
#[derive(Clone)]
pub(crate) struct Setting {
    table: &'static OptionTable,
    pub(crate) key: Ident,
    /// As written.
    pub(crate) tokens: TokenStream,
    pub(crate) number: Number,
}

/// The policies that the attribute takes.
pub(crate) fn tables() -> impl Iterator<Item = &'static PolicyTable> {
    let known = ["timeout", "retry", "circuit_breaker", "bulkhead"];
    POLICIES.iter().filter(move |table| known.contains(&table.name))
}

/// The options of `table` that the attribute takes.
pub(crate) fn options_of(table: &'static PolicyTable) -> impl Iterator<Item = &'static OptionTable> {
    table
        .options
        .iter()
        .filter(|option| !matches!(option.value, Value::Path | Value::Expr))
}

pub(crate) fn names() -> Vec<&'static str> {
    tables().map(|table| table.name).collect()
}

pub(crate) fn find(name: &str) -> Option<&'static PolicyTable> {
    tables().find(|table| table.name == name)
}

impl Stated {
    /// What `entries` say of the policy whose name was written as `key`; `None` where it cannot be used. All faults are
    /// reported.
    pub(crate) fn read(
        table: &'static PolicyTable,
        key: &Ident,
        entries: &[Entry],
        errors: &mut Errors,
    ) -> Option<Self> {
        let mut options: Vec<Setting> = Vec::new();
        let mut meant: Vec<&'static str> = Vec::new();
        let mut sound = true;
        for entry in entries {
            let name = entry.name();
            let Some(option) = options_of(table).find(|option| option.name == name) else {
                let names: Vec<&str> = options_of(table).map(|option| option.name).collect();
                let what = message!("unknown option `{name}` in `{}(…)`", table.name);
                errors.at(&entry.key, what.choose(&name, "its options are", &names));
                meant.extend(nearest(&name, &names));
                sound = false;
                continue;
            };
            if meant.contains(&option.name) || options.iter().any(|given| given.table.name == option.name) {
                errors.at(&entry.key, grammar::twice(&entry.key));
                sound = false;
                continue;
            }
            meant.push(option.name);
            match value::read(option, entry, errors) {
                Some(number) => options.push(Setting::new(option, entry, number)),
                None => sound = false,
            }
        }
        let missing: Vec<&str> = required(table).filter(|name| !meant.contains(name)).collect();
        if !missing.is_empty() {
            let example: Vec<String> = missing.iter().map(|name| format!("{name} = …")).collect();
            errors.at(
                key,
                message!("`{}` needs {}", table.name, list(&missing)).help(format_args!(
                    "write `{}({})`; no default would suit every dependency",
                    table.name,
                    example.join(", ")
                )),
            );
            return None;
        }
        let stated = Self { table, options };
        sound.then(|| stated.checked(errors)).flatten()
    }

    fn checked(self, errors: &mut Errors) -> Option<Self> {
        let before = errors.len();
        if let Some(rules) = self.rules() {
            (rules.check)(&self, errors);
        }
        (errors.len() == before).then_some(self)
    }

    fn rules(&self) -> Option<&'static Rules> {
        RULES.iter().find(|rules| rules.policy == self.table.name)
    }

    /// The option as it was given.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        self.options.iter().find(|option| option.table.name == name)
    }

    /// Whether the option was given this word.
    pub(crate) fn says(&self, name: &str, word: &str) -> bool {
        self.get(name)
            .is_some_and(|option| matches!(option.number, Number::Word(given) if given == word))
    }

    /// The number that holds: the one that was given, or the default.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        if let Some(given) = self.get(name) {
            return given.number.as_f64();
        }
        let option = self.table.options.iter().find(|option| option.name == name)?;
        let Omitted::Is(default) = option.default else {
            return None;
        };
        match default.strip_prefix('`') {
            // The default is another option's value.
            Some(other) => self.number(other.trim_end_matches('`')),
            None => default.split(' ').next()?.parse().ok(),
        }
    }

    /// The number that holds, in words.
    fn shown(&self, name: &str) -> String {
        let by_default = if self.get(name).is_some() {
            ""
        } else {
            ", the default"
        };
        self.number(name)
            .map_or_else(String::new, |number| format!("{number}{by_default}"))
    }
}

impl Setting {
    fn new(table: &'static OptionTable, entry: &Entry, number: Number) -> Self {
        let tokens = match &entry.given {
            grammar::Given::Value(tokens) => tokens.clone(),
            _ => TokenStream::new(),
        };
        Self {
            table,
            key: entry.key.clone(),
            tokens,
            number,
        }
    }
}

fn required(table: &'static PolicyTable) -> impl Iterator<Item = &'static str> {
    table
        .options
        .iter()
        .filter(|option| option.default == Omitted::Required)
        .map(|option| option.name)
}
