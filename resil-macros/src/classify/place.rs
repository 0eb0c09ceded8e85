//! The variant, or the struct, that a class stands on.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Fields, Member};

use super::Field;
use crate::diagnostics::{Errors, message};

/// Where a class stands.
pub(super) struct Place<'a> {
    pub(super) ty: &'a Ident,
    pub(super) variant: Option<&'a Ident>,
    pub(super) fields: &'a Fields,
}

impl Place<'_> {
    pub(super) fn ident(&self) -> &Ident {
        self.variant.unwrap_or(self.ty)
    }

    pub(super) fn name(&self) -> String {
        match self.variant {
            Some(variant) => format!("{}::{variant}", self.ty),
            None => self.ty.to_string(),
        }
    }

    fn all(&self) -> Vec<Field> {
        let fields = self.fields.members().zip(self.fields);
        fields
            .map(|(member, field)| Field {
                member,
                ty: field.ty.clone(),
            })
            .collect()
    }

    /// The field with this name.
    pub(super) fn field(&self, wanted: &Member, errors: &mut Errors) -> Option<Field> {
        let fields = self.all();
        let names: Vec<String> = fields.iter().map(|field| shown(&field.member)).collect();
        if let Some(found) = fields.into_iter().find(|field| field.member == *wanted) {
            return Some(found);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let says = message!("`{}` has no field `{}`", self.name(), shown(wanted));
        errors.at(
            wanted,
            if names.is_empty() {
                says.help("remove it")
            } else {
                says.choose(&shown(wanted), "its fields are", &names)
            },
        );
        None
    }

    /// The field that `policy` or `inherit` asks.
    pub(super) fn asked(&self, source: Option<&Member>, class: &str, errors: &mut Errors) -> Option<Field> {
        if let Some(source) = source {
            return self.field(source, errors);
        }
        let mut fields = self.all();
        if fields.len() == 1 {
            return fields.pop();
        }
        let help = match class {
            "inherit" if !fields.is_empty() => "write `inherit = field` with the field to ask",
            "inherit" => "give it a field, or a class of its own",
            _ => "give it one field: `Policy(#[from] resil::PolicyError)`",
        };
        errors.at(
            self.ident(),
            message!(
                "`{class}` asks the error that `{}` holds, and it has {} fields",
                self.name(),
                fields.len()
            )
            .help(help),
        );
        None
    }
}

fn shown(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// `NumberRefused` → `number_refused`, `HTTPError` → `http_error`
pub(super) fn snake(ident: &Ident) -> String {
    let letters: Vec<char> = ident.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let after_lower = index > 0 && !letters[index - 1].is_uppercase() && letters[index - 1] != '_';
        let ends_acronym = index > 0
            && letters[index - 1].is_uppercase()
            && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || ends_acronym) {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    #[test]
    fn codes_are_the_words_of_the_variant() {
        let snake = |name: &str| snake(&Ident::new(name, Span::call_site()));
        assert_eq!(snake("NumberRefused"), "number_refused");
        assert_eq!(snake("HTTPError"), "http_error");
        assert_eq!(snake("Io2Failed"), "io2_failed");
        assert_eq!(snake("already_snake"), "already_snake");
    }
}
