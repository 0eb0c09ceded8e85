//! `#[derive(Classify)]`: what was written (`read`) is resolved into one answer per variant and turned into tokens
//! (`expand`), which cannot fail.

mod expand;
mod place;
mod read;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{DeriveInput, Generics, Member, Path, Type};

use crate::diagnostics::Errors;

/// An error type whose values have classes.
struct Model {
    ident: Ident,
    generics: Generics,
    krate: Option<Path>,
    answers: Vec<Answer>,
}

/// What one variant, or the struct, says.
struct Answer {
    /// `None` for a struct.
    variant: Option<Ident>,
    class: Class,
    retry_after: Option<Member>,
    not_sent: bool,
}

enum Class {
    /// A class of its own: the variant of the runtime's enum, and the code.
    Own(&'static str, String),
    /// What the field says, which is a `PolicyError`.
    Policy(Field),
    /// What the field says, with this code before its own.
    Inherit(Field, String),
}

/// The field that is asked.
struct Field {
    member: Member,
    ty: Type,
}

/// The whole derive. An impl comes out whatever is wrong, so that no error follows from another.
pub(crate) fn classify(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut output = TokenStream::new();
    match syn::parse2::<DeriveInput>(input) {
        Ok(input) => {
            if let Some(model) = read::model(input, &mut errors) {
                expand::implementation(&model).to_tokens(&mut output);
            }
        }
        Err(error) => errors.add(error),
    }
    errors.into_tokens().to_tokens(&mut output);
    output
}
