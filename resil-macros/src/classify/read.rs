//! `#[class(…)]`, as it was written, and what it means for one variant.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Fields, LitStr, Member, Meta, Path};

use super::place::{Place, snake};
use super::{Answer, Class, Model};
use crate::diagnostics::{Errors, list, message, nearest};
use crate::grammar::{self, Entry, Given, Slot};

/// The classes, with the variant of the runtime's enum where they have one.
const CLASSES: &[(&str, Option<&str>)] = &[
    ("refusal", Some("Refusal")),
    ("transient", Some("Transient")),
    ("permanent", Some("Permanent")),
    ("policy", None),
    ("inherit", None),
];
const OPTIONS: &[&str] = &["retry_after", "not_sent", "code"];
const MEANINGS: &str = "`refusal`: the dependency answered, and the answer is no; `transient`: may pass; \
                        `permanent`: will not pass; `policy`: holds a `PolicyError`; `inherit`: ask the inner error";

/// All that `#[class(…)]` on one place says.
#[derive(Default)]
struct Written {
    class: Slot<&'static str>,
    /// The field of `inherit = field`.
    source: Option<Member>,
    retry_after: Slot<Member>,
    not_sent: Slot<()>,
    code: Slot<LitStr>,
    krate: Slot<Path>,
    /// Something unknown is near to a class, so that "missing" is not said of what was only misspelt.
    misspelt: bool,
}

pub(super) fn model(input: DeriveInput, errors: &mut Errors) -> Option<Model> {
    let on_type = Written::read(&input.attrs, errors);
    let answers = match &input.data {
        Data::Union(data) => {
            errors.at(
                data.union_token,
                message!("a union cannot say what its values mean").help("use an enum"),
            );
            return None;
        }
        Data::Struct(data) => {
            on_fields(&data.fields, errors);
            vec![on_type.answer(
                &Place {
                    ty: &input.ident,
                    variant: None,
                    fields: &data.fields,
                },
                errors,
            )]
        }
        Data::Enum(data) => {
            on_type.only_crate(&input.ident, errors);
            let each = data.variants.iter().map(|variant| {
                on_fields(&variant.fields, errors);
                let written = Written::read(&variant.attrs, errors);
                if let Some(key) = written.krate.key() {
                    errors.at(
                        key,
                        message!("`crate` belongs on the type").help("write it once, above the enum"),
                    );
                }
                let place = Place {
                    ty: &input.ident,
                    variant: Some(&variant.ident),
                    fields: &variant.fields,
                };
                written.answer(&place, errors)
            });
            each.collect()
        }
    };
    let krate = on_type.krate.get().cloned();
    Some(Model {
        ident: input.ident,
        generics: input.generics,
        krate,
        answers,
    })
}

/// Classes of fields have no meaning.
fn on_fields(fields: &Fields, errors: &mut Errors) {
    for attribute in fields.iter().flat_map(|field| &field.attrs) {
        if attribute.path().is_ident("class") {
            errors.at(
                attribute.path(),
                message!("`#[class(…)]` belongs on a variant, or on a struct, found a field")
                    .help("move it up, and name the field: `#[class(inherit = field)]`"),
            );
        }
    }
}

impl Written {
    fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut written = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("class"))
        {
            match &attribute.meta {
                Meta::List(list) => {
                    for entry in grammar::entries(list.tokens.clone(), errors) {
                        written.entry(&entry, errors);
                    }
                }
                other => errors.at(
                    other,
                    message!("`#[class]` takes a class in parentheses")
                        .help("write `#[class(transient)]`")
                        .note(MEANINGS),
                ),
            }
        }
        written
    }

    fn entry(&mut self, entry: &Entry, errors: &mut Errors) {
        let key = &entry.key;
        match entry.name().as_str() {
            "retry_after" => self.retry_after.set(key, member(entry, errors), errors),
            "not_sent" => self.not_sent.set(key, grammar::word(entry, errors), errors),
            "code" => self.code.set(key, grammar::text(entry, errors), errors),
            "crate" => {
                let path = grammar::root(entry, errors);
                self.krate.set(key, path, errors);
            }
            name => match CLASSES.iter().find(|(class, _)| *class == name) {
                Some((class, _)) => self.class(class, entry, errors),
                None => self.unknown(entry, errors),
            },
        }
    }

    fn class(&mut self, class: &'static str, entry: &Entry, errors: &mut Errors) {
        let key = &entry.key;
        if let Some(first) = self.class.key() {
            errors.at(
                key,
                message!("`{key}` stands beside `{first}`, and a value has one class")
                    .help(format_args!("keep one of them; {MEANINGS}")),
            );
            return;
        }
        if class == "inherit" && matches!(entry.given, Given::Value(_)) {
            self.source = member(entry, errors);
            self.class
                .set(key, self.source.is_some().then_some(class), errors);
        } else {
            self.class
                .set(key, grammar::word(entry, errors).map(|()| class), errors);
        }
    }

    fn unknown(&mut self, entry: &Entry, errors: &mut Errors) {
        let name = entry.name();
        let classes: Vec<&str> = CLASSES.iter().map(|(class, _)| *class).collect();
        let all: Vec<&str> = classes.iter().chain(OPTIONS).copied().collect();
        let near = nearest(&name, &all);
        self.misspelt |= near.is_none_or(|near| classes.contains(&near));
        let mut says = message!("unknown `{name}` in `#[class(…)]`");
        if let Some(near) = near {
            says = says.help(format_args!("did you mean `{near}`?"));
        }
        let says = says.note(format_args!("classes: {}", list(&classes)));
        errors.at(&entry.key, says.note(format_args!("options: {}", list(OPTIONS))));
    }

    /// On an enum each variant has its own.
    fn only_crate(&self, ty: &Ident, errors: &mut Errors) {
        let keys = [
            self.class.key(),
            self.retry_after.key(),
            self.not_sent.key(),
            self.code.key(),
        ];
        if let Some(key) = keys.into_iter().flatten().next() {
            errors.at(
                key,
                message!("`{key}` would be said of all values of `{ty}` at once")
                    .help("put `#[class(…)]` on each variant; on an enum only `crate = …` may stand"),
            );
        }
    }

    fn answer(&self, place: &Place<'_>, errors: &mut Errors) -> Answer {
        let class = self.resolved(place, errors);
        let retry_after = self
            .retry_after
            .get()
            .and_then(|member| place.field(member, errors));
        Answer {
            variant: place.variant.cloned(),
            // Anything does where an error was reported.
            class: class.unwrap_or_else(|| Class::Own("Permanent", String::from("unknown"))),
            retry_after: retry_after.map(|field| field.member),
            not_sent: self.not_sent.is_given(),
        }
    }

    fn resolved(&self, place: &Place<'_>, errors: &mut Errors) -> Option<Class> {
        let Some(class) = self.class.get().copied() else {
            if !self.class.is_given() && !self.misspelt {
                errors.at(
                    place.ident(),
                    message!("`{}` does not say what it means for the dependency", place.name())
                        .help(format_args!("put `#[class(transient)]` or another class on it: {MEANINGS}"))
                        .note("without a class a refused customer would open the circuit, or a failure would never be retried"),
                );
            }
            return None;
        };
        let code = self
            .code
            .get()
            .map_or_else(|| snake(place.ident()), LitStr::value);
        match class {
            "policy" => self.policy(place, errors),
            "inherit" => place
                .asked(self.source.as_ref(), class, errors)
                .map(|field| Class::Inherit(field, code)),
            _ => {
                let variant = CLASSES
                    .iter()
                    .find(|(name, _)| *name == class)
                    .and_then(|(_, variant)| *variant);
                variant.map(|variant| Class::Own(variant, code))
            }
        }
    }

    /// A `PolicyError` says all of it itself.
    fn policy(&self, place: &Place<'_>, errors: &mut Errors) -> Option<Class> {
        let keys = [self.retry_after.key(), self.not_sent.key(), self.code.key()];
        for key in keys.into_iter().flatten() {
            errors.at(
                key,
                message!("`{key}` has no meaning beside `policy`: the `PolicyError` knows it")
                    .help(format_args!("remove `{key}`")),
            );
        }
        place.asked(None, "policy", errors).map(Class::Policy)
    }
}

fn member(entry: &Entry, errors: &mut Errors) -> Option<Member> {
    let key = &entry.key;
    if let Given::Value(tokens) = &entry.given {
        if let Ok(member) = syn::parse2(tokens.clone()) {
            return Some(member);
        }
        errors.at(
            tokens,
            message!(
                "`{key}` takes the name of a field, got `{}`",
                tokens.to_token_stream()
            )
            .help(format_args!(
                "write `{key} = wait`, or `{key} = 0` for the first of a tuple"
            )),
        );
        return None;
    }
    errors.at(
        entry,
        message!("`{key}` takes the name of a field").help(format_args!(
            "write `{key} = wait`, or `{key} = 0` for the first of a tuple"
        )),
    );
    None
}
