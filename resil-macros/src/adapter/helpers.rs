//! The attributes on methods that belong to `#[adapter]`, and how they are taken out of the emitted impl.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, LitStr, Meta};

use super::args::{self, Written};
use crate::diagnostics::{Errors, message, nearest, within};
use crate::grammar::{self, Entry, Given, Slot, is_punct};
use crate::options::PolicyTable;
use crate::policy::{self, Stated};

/// The helper attributes that are no policies.
pub(crate) const MARKS: &[&str] = &["idempotent", "non_idempotent", "own"];

fn is_helper(name: &str) -> bool {
    MARKS.contains(&name) || policy::find(name).is_some()
}

/// `#[resilient]`, which has no place inside an impl that `#[adapter]` wraps.
pub(super) fn is_resilient(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "resilient")
}

/// Whether `attribute` is one of resil's, also inside `cfg_attr`, or was meant to be.
pub(super) fn is_ours(attribute: &Attribute) -> bool {
    name(attribute).is_some_and(|name| is_helper(&name.unraw().to_string()))
        || is_resilient(attribute)
        || inside_cfg_attr(attribute).is_some()
        || misspelt(attribute).is_some()
}

/// Attributes of others that are near to a helper.
const OTHERS: &[&str] = &["cache", "caches", "timeouts"];

/// The helper attribute that was meant. What is no helper may be anybody's attribute, so this is strict: a long name with the
/// right first letter and one wrong one, two where it is very long.
fn misspelt(attribute: &Attribute) -> Option<&'static str> {
    let name = attribute.path().get_ident()?.unraw().to_string();
    let allowed = match name.len() {
        0..5 => return None,
        5..10 => 1,
        _ => 2,
    };
    let names: Vec<&'static str> = MARKS.iter().copied().chain(policy::names()).collect();
    let near = within(&name, &names, allowed)?;
    let begins_alike = name.to_lowercase().starts_with(&near[..1]);
    (begins_alike && near != name && !OTHERS.contains(&name.as_str())).then_some(near)
}

/// `retry` of `#[retry]` and `#[resil::retry]`.
fn name(attribute: &Attribute) -> Option<&Ident> {
    let path = attribute.path();
    let mut segments = path.segments.iter().rev();
    let last = segments.next()?;
    let qualified = segments.next().is_some_and(|root| root.ident == "resil") && segments.next().is_none();
    (qualified || path.get_ident().is_some()).then_some(&last.ident)
}

/// The helper attribute that a `cfg_attr` would put on the method.
pub(super) fn inside_cfg_attr(attribute: &Attribute) -> Option<Ident> {
    conditional(attribute)
        .into_iter()
        .find(|name| is_helper(&name.unraw().to_string()))
}

/// The names of the attributes that a `cfg_attr` applies.
pub(super) fn conditional(attribute: &Attribute) -> Vec<Ident> {
    let Meta::List(list) = &attribute.meta else {
        return Vec::new();
    };
    if !attribute.path().is_ident("cfg_attr") {
        return Vec::new();
    }
    let mut names = Vec::new();
    // Not before the first comma: what stands there is the predicate.
    let mut starts = false;
    for token in list.tokens.clone() {
        if is_punct(&token, ',') {
            starts = true;
        } else if let TokenTree::Ident(name) = token {
            // The last segment of `tracing::instrument` does for what is asked of it.
            if starts {
                names.push(name);
            }
        } else if !is_punct(&token, ':') {
            starts = false;
        }
    }
    names
}

/// What the helper attributes of one method say.
#[derive(Default)]
pub(super) struct Helpers {
    pub(super) policies: Vec<Override>,
    pub(super) idempotent: Slot<()>,
    pub(super) non_idempotent: Slot<()>,
    pub(super) own: Slot<LitStr>,
}

/// A policy that a method states or removes.
pub(super) struct Override {
    pub(super) written: Written,
    /// `off`
    pub(super) off: bool,
    /// Why it is off.
    pub(super) reason: Option<LitStr>,
}

impl Helpers {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut helpers = Self::default();
        for attribute in attributes {
            if let Some(name) = inside_cfg_attr(attribute) {
                errors.at(
                    &name,
                    message!("`{name}` inside `cfg_attr` is not known to `#[adapter]`, which runs before it")
                        .help("write the method twice, each under its `#[cfg(…)]`"),
                );
                continue;
            }
            let meant = misspelt(attribute);
            if let Some(meant) = meant {
                let path = attribute.path();
                let says = message!(
                    "unknown attribute `#[{}]` in an `#[adapter]` impl",
                    path.to_token_stream()
                );
                errors.at(path, says.help(format_args!("did you mean `#[{meant}]`?")));
            }
            if let Some(mut entry) = as_entry(attribute, errors) {
                if let Some(meant) = meant {
                    entry.key = Ident::new(meant, entry.key.span());
                }
                helpers.entry(&entry, errors);
            }
        }
        helpers
    }

    fn entry(&mut self, entry: &Entry, errors: &mut Errors) {
        let key = &entry.key;
        match entry.name().as_str() {
            "idempotent" => self.idempotent.set(key, grammar::word(entry, errors), errors),
            "non_idempotent" => self.non_idempotent.set(key, grammar::word(entry, errors), errors),
            "own" => self.own.set(
                key,
                args::reason_of(entry, "the caller bounds it", errors),
                errors,
            ),
            name => {
                if let Some(table) = policy::find(name) {
                    self.policy(table, entry, errors);
                }
            }
        }
    }

    fn policy(&mut self, table: &'static PolicyTable, entry: &Entry, errors: &mut Errors) {
        let key = entry.key.clone();
        if self.named(table.name).is_some() {
            errors.at(&key, grammar::twice(&key));
            return;
        }
        let options = args::options(entry, table.name, errors);
        let is_off = options
            .as_ref()
            .is_some_and(|options| options.iter().any(|option| means_off(table, option)));
        let mut reason = None;
        let stated = match options {
            Some(options) if is_off => {
                reason = removed(table, &key, options, errors);
                None
            }
            Some(options) => Stated::read(table, &key, &options, errors),
            None => None,
        };
        let written = Written {
            name: table.name,
            key,
            stated,
        };
        self.policies.push(Override {
            written,
            off: is_off,
            reason,
        });
    }

    /// What the method says of this policy.
    pub(super) fn named(&self, name: &str) -> Option<&Override> {
        self.policies.iter().find(|policy| policy.written.name == name)
    }

    /// What the method says that only has a meaning where it is wrapped.
    pub(super) fn keys(&self) -> Vec<&Ident> {
        let policies = self.policies.iter().map(|policy| &policy.written.key);
        policies
            .chain(self.idempotent.key())
            .chain(self.non_idempotent.key())
            .chain(self.own.key())
            .collect()
    }

    /// The policies that the method states; `off` states none.
    pub(super) fn stated(&self) -> impl Iterator<Item = &Override> {
        self.policies.iter().filter(|policy| !policy.off)
    }
}

/// `off`, or a word that is nearer to it than to any option.
fn means_off(table: &PolicyTable, option: &Entry) -> bool {
    let names: Vec<&str> = table
        .options
        .iter()
        .map(|option| option.name)
        .chain(["off"])
        .collect();
    let word = option.name() == "off" || matches!(option.given, Given::Nothing);
    word && nearest(&option.name(), &names) == Some("off")
}

/// `off`, for a timeout with the reason, which is the answer.
fn removed(table: &PolicyTable, key: &Ident, options: Vec<Entry>, errors: &mut Errors) -> Option<LitStr> {
    let policy = table.name;
    let mut off = Slot::default();
    let mut rest = Vec::new();
    for option in options {
        if option.name() != "off" && means_off(table, &option) {
            let says = message!("unknown option `{}` in `#[{policy}(…)]`", option.key);
            errors.at(&option.key, says.help("did you mean `off`?"));
        } else if option.name() == "off" {
            off.set(&option.key, grammar::word(&option, errors), errors);
        } else {
            rest.push(option);
        }
    }
    if policy != "timeout" && rest.is_empty() {
        return None;
    }
    let help = format!("write `#[{policy}(off, reason = \"…\")]`");
    let known = |name: &str| table.options.iter().any(|option| option.name == name);
    if let Some(option) = rest.iter().find(|option| known(&option.name())) {
        errors.at(
            &option.key,
            message!(
                "`off` removes the policy, so `{}` has no meaning beside it",
                option.name()
            )
            .help("keep one of them"),
        );
        return None;
    }
    args::reason_in(key, rest, &help, errors)
}

/// `#[key]` or `#[key(…)]`.
fn as_entry(attribute: &Attribute, errors: &mut Errors) -> Option<Entry> {
    let key = name(attribute)?.clone();
    let given = match &attribute.meta {
        Meta::Path(_) => Given::Nothing,
        Meta::List(list) => Given::List(list.tokens.clone()),
        Meta::NameValue(value) => {
            let (name, given) = (key.unraw().to_string(), value.value.to_token_stream());
            let write = if policy::switches_off(&given) {
                format!("{name}(off)")
            } else {
                policy::example(&name, &given)
            };
            errors.at(
                value,
                message!("`#[{key}]` takes its options in parentheses")
                    .help(format_args!("write `#[{write}]`")),
            );
            return None;
        }
    };
    Some(Entry { key, given })
}

/// The impl with every other token as it was, invisible groups included.
pub(super) fn without_helpers(item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    if let Some(TokenTree::Group(last)) = tokens.last_mut() {
        let inner = match last.delimiter() {
            Delimiter::None => without_helpers(last.stream()),
            Delimiter::Brace => without_attributes(last.stream()),
            _ => return tokens.into_iter().collect(),
        };
        let mut group = Group::new(last.delimiter(), inner);
        group.set_span(last.span());
        *last = group;
    }
    tokens.into_iter().collect()
}

/// The same without resil's attributes, wherever they stand in the outermost tokens.
pub(crate) fn without_attributes(body: TokenStream) -> TokenStream {
    let mut tokens = body.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_ours = |next: &TokenTree| match next {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Bracket && names_a_helper(group),
            _ => false,
        };
        let removed = is_punct(&token, '#') && tokens.next_if(is_ours).is_some();
        if !removed {
            token.to_tokens(&mut kept);
        }
    }
    kept
}

fn names_a_helper(attribute: &Group) -> bool {
    let stream = attribute.stream();
    let parsed = syn::parse::Parser::parse2(Attribute::parse_outer, quote::quote!(#[#stream]));
    parsed.is_ok_and(|attributes| attributes.iter().any(is_ours))
}
