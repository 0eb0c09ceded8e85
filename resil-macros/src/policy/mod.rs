//! Policies as they are stated in an attribute. The table of options drives both reading and the builders that are called;
//! what a policy has beyond the table stands in a file of its own.

mod bulkhead;
mod circuit_breaker;
mod emit;
mod fallback;
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

const RULES: &[Rules] = &[
    bulkhead::RULES,
    circuit_breaker::RULES,
    fallback::RULES,
    retry::RULES,
];

/// One policy with the options that were given.
#[derive(Clone)]
pub(crate) struct Stated {
    pub(crate) table: &'static PolicyTable,
    /// As written.
    key: Ident,
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

pub(crate) fn names() -> Vec<&'static str> {
    POLICIES.iter().map(|table| table.name).collect()
}

pub(crate) fn find(name: &str) -> Option<&'static PolicyTable> {
    POLICIES.iter().find(|table| table.name == name)
}

/// Whether a value was meant to switch its policy off: `retry = false`.
pub(crate) fn switches_off(value: &TokenStream) -> bool {
    let word = value.to_string();
    matches!(
        word.trim_matches('"'),
        "false" | "off" | "none" | "no" | "never" | "0"
    )
}

/// How `policy = value` was probably meant: `timeout(ms = 100)`.
pub(crate) fn example(policy: &str, value: &TokenStream) -> String {
    let Some(first) = find(policy).and_then(|table| table.options.first()) else {
        return format!("{policy}(option = value)");
    };
    let name = first.name;
    let whole = value.to_string().parse::<u64>().is_ok();
    match first.value {
        Value::Millis { .. } => match value::in_millis(&value.to_string()) {
            Some(millis) => format!("{policy}({name} = {millis})"),
            None => format!("{policy}({name} = …)"),
        },
        _ if whole => format!("{policy}({name} = {value})"),
        _ => format!("{policy}({name} = …)"),
    }
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
            let Some(option) = table.options.iter().find(|option| option.name == name) else {
                meant.extend(unknown(table, entry, entries, errors));
                sound = false;
                continue;
            };
            if meant.contains(&option.name) {
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
        let stated = Self {
            table,
            key: key.clone(),
            options,
        };
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

    /// The function or expression that the option was given.
    pub(crate) fn code(&self, name: &str) -> Option<&TokenStream> {
        self.get(name).map(|option| &option.tokens)
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
    pub(crate) fn shown(&self, name: &str) -> String {
        let by_default = if self.get(name).is_some() {
            ""
        } else {
            ", the default"
        };
        self.number(name)
            .map_or_else(String::new, |number| format!("{number}{by_default}"))
    }
}

/// Reports an option that is none of the policy's; answers what was meant, where that can be guessed: by its name, or since
/// a required option is missing.
fn unknown(
    table: &'static PolicyTable,
    entry: &Entry,
    entries: &[Entry],
    errors: &mut Errors,
) -> Option<&'static str> {
    let (name, policy) = (entry.name(), table.name);
    let names: Vec<&'static str> = table.options.iter().map(|option| option.name).collect();
    let near = nearest(&name, &names);
    let missing = required(table).find(|required| entries.iter().all(|entry| entry.name() != *required));
    let says = message!("unknown option `{name}` in `{policy}(…)`");
    let says = match (near, missing, entry.name().as_str()) {
        (Some(near), ..) => says.help(format_args!("did you mean `{near}`?")),
        (None, _, "off") => says.help(format_args!(
            "to have no `{policy}` leave it out; `#[{policy}(off)]` removes it from one method"
        )),
        (None, Some(missing), _) => {
            says.help(format_args!("write `{policy}({missing} = …)`, which it needs"))
        }
        (None, None, _) => says,
    };
    errors.at(
        &entry.key,
        says.note(format_args!("its options are: {}", list(&names))),
    );
    near.or(missing)
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
