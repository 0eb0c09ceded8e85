//! What stands in `#[adapter(…)]`, as it was written.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Lit, LitStr, Path, Type, Visibility};

use super::generics::without_self;
use crate::diagnostics::{Errors, list, message, nearest};
use crate::grammar::{self, Entry, Given, Slot};
use crate::policy::{self, Stated};

mod allowed;

use self::allowed::Allowed;

/// The keys that are no policies.
const KEYS: &[&str] = &[
    "kind",
    "errors",
    "wrapper",
    "vis",
    "name",
    "context",
    "crate",
    "idempotent",
    "own",
    "no_timeout",
    "allow",
];

/// What an adapter reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    External,
    Gateway,
    Repository,
}

impl Kind {
    const ALL: &[(&str, Self)] = &[
        ("external", Self::External),
        ("gateway", Self::Gateway),
        ("repository", Self::Repository),
    ];

    /// The variant of the runtime's enum.
    pub(super) fn variant(self) -> &'static str {
        match self {
            Self::External => "External",
            Self::Gateway => "Gateway",
            Self::Repository => "Repository",
        }
    }
}

/// A policy that was stated, perhaps wrongly.
pub(super) struct Written {
    pub(super) name: &'static str,
    pub(super) key: Ident,
    /// `None` where it cannot be used; that was reported.
    pub(super) stated: Option<Stated>,
}

/// All of `#[adapter(…)]` or `#[resilient(…)]`.
#[derive(Default)]
pub(super) struct Args {
    /// `adapter` or `resilient`.
    pub(super) attribute: &'static str,
    pub(super) kind: Slot<Kind>,
    pub(super) errors: Slot<Type>,
    pub(super) wrapper: Slot<Ident>,
    pub(super) vis: Slot<Visibility>,
    pub(super) name: Slot<LitStr>,
    pub(super) context: Slot<LitStr>,
    pub(super) krate: Slot<Path>,
    /// Of `#[resilient]` alone: the field with the state.
    pub(super) state: Slot<Ident>,
    pub(super) idempotent: Slot<()>,
    pub(super) own: Slot<LitStr>,
    pub(super) no_timeout: Slot<LitStr>,
    pub(super) allowed: Allowed,
    pub(super) policies: Vec<Written>,
    /// A key that is near to a name, so that "missing" is not said of what was only misspelt.
    misspelt: Vec<&'static str>,
}

impl Args {
    pub(super) fn read(attribute: &'static str, tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self {
            attribute,
            ..Self::default()
        };
        let tokens = args.without_bare_text(tokens, errors);
        for key in grammar::without_value(&tokens) {
            args.misspelt.extend(
                KEYS.iter()
                    .copied()
                    .chain(policy::names())
                    .find(|name| *name == key),
            );
        }
        for entry in grammar::entries(tokens, errors) {
            args.entry(&entry, errors);
        }
        args
    }

    /// Without `"external"` in the first place, where some attributes have their main argument.
    fn without_bare_text(&mut self, tokens: TokenStream, errors: &mut Errors) -> TokenStream {
        let mut rest = tokens.clone().into_iter();
        let Some(TokenTree::Literal(text)) = rest.next() else {
            return tokens;
        };
        let is_kind = self.bare_kind(text.to_string().trim_matches('"'), &text, errors);
        if is_kind {
            return rest.skip_while(|token| grammar::is_punct(token, ',')).collect();
        }
        tokens
    }

    fn entry(&mut self, entry: &Entry, errors: &mut Errors) {
        let key = &entry.key;
        match entry.name().as_str() {
            "kind" => self.kind.set(key, kind(entry, errors), errors),
            "errors" => {
                let map = grammar::parsed(
                    entry,
                    "the type with the `ErrorMap`",
                    "errors = SmsErrors",
                    errors,
                );
                self.errors.set(key, map.map(|Map(ty)| ty), errors);
            }
            "wrapper" => {
                let name = grammar::parsed(entry, "the name of the wrapper", "wrapper = CheckedSms", errors);
                self.wrapper.set(key, name, errors);
            }
            "vis" => {
                let vis = grammar::parsed(entry, "a visibility", "vis = pub(crate)", errors);
                self.vis.set(key, vis, errors);
            }
            "name" => self.name.set(key, grammar::text(entry, errors), errors),
            "context" => self.context.set(key, grammar::text(entry, errors), errors),
            "crate" => {
                let path = grammar::root(entry, errors);
                self.krate.set(key, path, errors);
            }
            "state" => {
                let field = grammar::parsed(entry, "the name of a field", "state = resilience", errors);
                self.state.set(key, field, errors);
            }
            "idempotent" => self.idempotent.set(key, grammar::word(entry, errors), errors),
            "own" => self
                .own
                .set(key, reason_of(entry, "none of the policies fits", errors), errors),
            "no_timeout" => self.no_timeout.set(key, no_timeout(entry, errors), errors),
            "allow" => {
                if !self.allowed.read(entry, errors) {
                    self.misspelt.push("allow");
                }
            }
            name => match policy::find(name) {
                Some(table) => self.policy(table, entry, errors),
                None => self.unknown(entry, errors),
            },
        }
    }

    fn policy(&mut self, table: &'static crate::options::PolicyTable, entry: &Entry, errors: &mut Errors) {
        let key = &entry.key;
        if self.policies.iter().any(|written| written.name == table.name) {
            errors.at(key, grammar::twice(key));
            return;
        }
        let stated =
            options(entry, table.name, errors).and_then(|options| Stated::read(table, key, &options, errors));
        self.policies.push(Written {
            name: table.name,
            key: key.clone(),
            stated,
        });
    }

    fn unknown(&mut self, entry: &Entry, errors: &mut Errors) {
        let name = entry.name();
        let policies = policy::names();
        let all: Vec<&'static str> = policies.iter().chain(KEYS).copied().collect();
        let near = nearest(&name, &all);
        self.misspelt.extend(near);
        if near.is_none()
            && matches!(entry.given, Given::Nothing)
            && self.bare_kind(&name, &entry.key, errors)
        {
            return;
        }
        let what = if matches!(entry.given, Given::List(_)) {
            "policy"
        } else {
            "key"
        };
        let mut says = message!("unknown {what} `{name}` in `#[{}(…)]`", self.attribute);
        if let Some(near) = near {
            says = says.help(format_args!("did you mean `{near}`?"));
        }
        let says = says
            .note(format_args!("policies: {}", list(&policies)))
            .note(format_args!("other keys: {}", list(KEYS)));
        errors.at(&entry.key, says);
    }

    /// `external` for `kind = "external"`.
    fn bare_kind(&mut self, word: &str, at: &impl ToTokens, errors: &mut Errors) -> bool {
        let words: Vec<&str> = Kind::ALL.iter().map(|(word, _)| *word).collect();
        let Some(kind) = nearest(word, &words) else {
            return false;
        };
        self.misspelt.push("kind");
        errors.at(
            at,
            message!("the kind is not given by its word alone")
                .help(format_args!("write `kind = \"{kind}\"`")),
        );
        true
    }

    /// The policies that can be used.
    pub(super) fn stated(self) -> Vec<Stated> {
        let stated = self.policies.into_iter().filter_map(|written| written.stated);
        stated.collect()
    }

    /// Whether this key was given, or perhaps meant.
    pub(super) fn meant(&self, name: &str) -> bool {
        self.misspelt.contains(&name)
    }

    /// Whether it was decided, with a reason, that this is as it is.
    pub(super) fn allows(&self, what: &str) -> bool {
        self.allowed.contains(what)
    }

    /// The policy of this name, stated on the impl.
    pub(super) fn policy_named(&self, name: &str) -> Option<&Written> {
        self.policies.iter().find(|written| written.name == name)
    }
}

/// The options in the parentheses of a policy; none where there are no parentheses.
pub(super) fn options(entry: &Entry, policy: &str, errors: &mut Errors) -> Option<Vec<Entry>> {
    match &entry.given {
        Given::Nothing => Some(Vec::new()),
        Given::List(tokens) => {
            let before = errors.len();
            let entries = grammar::entries(tokens.clone(), errors);
            (errors.len() == before).then_some(entries)
        }
        Given::Value(value) => {
            let says = message!("`{policy}` takes options in parentheses");
            let says = if policy::switches_off(value) {
                says.help(format_args!(
                    "to have no `{policy}` leave it out; `#[{policy}(off)]` removes it from one method"
                ))
            } else {
                says.help(format_args!("write `{}`", policy::example(policy, value)))
            };
            errors.at(entry, says);
            None
        }
    }
}

/// A type that can stand behind `->`, without `+`, and with the adapter's in place of each `Self`, whatever that is.
struct Map(Type);

impl Parse for Map {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ty = input.call(Type::without_plus)?;
        let replaced = without_self(ty.to_token_stream(), &quote::quote!(&'static Adapter), None);
        syn::parse2::<Type>(replaced)?;
        Ok(Self(ty))
    }
}

fn kind(entry: &Entry, errors: &mut Errors) -> Option<Kind> {
    let words: Vec<&str> = Kind::ALL.iter().map(|(word, _)| *word).collect();
    let meanings = "`\"external\"` is another process, `\"gateway\"` another context of the same system, \
                    `\"repository\"` your own store of aggregates";
    let Given::Value(tokens) = &entry.given else {
        errors.at(
            entry,
            message!("`kind` takes a word")
                .help("write `kind = \"external\"`")
                .note(meanings),
        );
        return None;
    };
    let Ok(Lit::Str(text)) = syn::parse2(tokens.clone()) else {
        let near = nearest(&tokens.to_string(), &words).unwrap_or("external");
        errors.at(
            tokens,
            message!("`kind` takes a word in quotes, got `{tokens}`")
                .help(format_args!("write `kind = \"{near}\"`")),
        );
        return None;
    };
    let given = text.value();
    if let Some((_, kind)) = Kind::ALL.iter().find(|(word, _)| *word == given) {
        return Some(*kind);
    }
    let mut says = message!("unknown kind `{tokens}`");
    if let Some(near) = nearest(&given, &words) {
        says = says.help(format_args!("did you mean `\"{near}\"`?"));
    }
    errors.at(tokens, says.note(meanings));
    None
}

fn no_timeout(entry: &Entry, errors: &mut Errors) -> Option<LitStr> {
    if matches!(entry.given, Given::Value(_)) {
        return grammar::text(entry, errors);
    }
    errors.at(
        entry,
        message!("`no_timeout` must say what bounds the calls instead")
            .help("write `no_timeout = \"the client has a limit of 5 s\"`"),
    );
    None
}

/// The reason of `own(reason = "…")`.
pub(super) fn reason_of(entry: &Entry, example: &str, errors: &mut Errors) -> Option<LitStr> {
    let key = &entry.key;
    let help = format!("write `{key}(reason = \"{example}\")`");
    let Given::List(tokens) = &entry.given else {
        errors.at(entry, message!("`{key}` must say why").help(help));
        return None;
    };
    let entries = grammar::entries(tokens.clone(), errors);
    reason_in(key, entries, &help, errors)
}

/// `reason = "…"` and nothing else.
pub(super) fn reason_in(key: &Ident, entries: Vec<Entry>, help: &str, errors: &mut Errors) -> Option<LitStr> {
    let mut reason = Slot::default();
    let mut misspelt = false;
    for entry in entries {
        if entry.name() == "reason" {
            reason.set(&entry.key, grammar::text(&entry, errors), errors);
        } else {
            misspelt = true;
            let name = entry.name();
            let says = message!("unknown `{name}` in `{key}(…)`");
            errors.at(&entry.key, says.choose(&name, "it takes", &["reason"]));
        }
    }
    if !reason.is_given() && !misspelt {
        errors.at(key, message!("`{key}` must say why").help(help));
    }
    reason.get().cloned()
}
