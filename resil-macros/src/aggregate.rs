//! `#[aggregate]` and `#[derive(Aggregate)]`, which mark a type of the domain model.
//!
//! Both, since each is what somebody looks for: the attribute reads as a word of the domain model and needs no second one to take
//! `crate = …`; the derive stands in one line with the others.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{DeriveInput, Meta, Path};

use crate::diagnostics::{Errors, message};
use crate::grammar::{self, Slot};
use crate::paths::Paths;

/// The attribute: the item as it was written, and the mark.
pub(crate) fn attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut krate = Slot::default();
    read(args, &mut krate, &mut errors);
    let mut output = item.clone();
    match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) => implementation(&input, krate.get()).to_tokens(&mut output),
        Err(_) => errors.at(
            head(item),
            message!("`#[aggregate]` marks a struct or an enum, found another item")
                .help("put it on the type itself; one that a macro makes is marked by `impl resil::Aggregate for … {}`"),
        ),
    }
    errors.into_tokens().to_tokens(&mut output);
    output
}

/// The derive. An impl comes out whatever is wrong, so that no error follows from another.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut output = TokenStream::new();
    match syn::parse2::<DeriveInput>(input) {
        Ok(input) => {
            let mut krate = Slot::default();
            for attribute in &input.attrs {
                match &attribute.meta {
                    meta if !meta.path().is_ident("aggregate") => {}
                    Meta::List(list) => read(list.tokens.clone(), &mut krate, &mut errors),
                    // The mark itself, which says nothing more.
                    Meta::Path(_) => {}
                    Meta::NameValue(value) => errors.at(value, unknown("=")),
                }
            }
            implementation(&input, krate.get()).to_tokens(&mut output);
        }
        Err(error) => errors.add(error),
    }
    errors.into_tokens().to_tokens(&mut output);
    output
}

fn read(args: TokenStream, krate: &mut Slot<Path>, errors: &mut Errors) {
    for entry in grammar::entries(args, errors) {
        let name = entry.name();
        if name == "crate" {
            let path = grammar::root(&entry, errors);
            krate.set(&entry.key, path, errors);
        } else {
            errors.at(&entry.key, unknown(&name));
        }
    }
}

fn unknown(name: &str) -> impl std::fmt::Display + use<> {
    message!("unknown `{name}` in `#[aggregate]`")
        .help("write `#[aggregate]` alone, or `#[aggregate(crate = path)]` where `resil` has another name")
}

/// The first token behind the attributes: an item may be long.
fn head(item: TokenStream) -> TokenStream {
    let mut tokens = item.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if grammar::is_punct(&token, '#') && tokens.peek().is_some() {
            tokens.next();
        } else {
            return token.into();
        }
    }
    TokenStream::new()
}

/// `impl<…> Aggregate for Order<…> where … {}`
fn implementation(input: &DeriveInput, krate: Option<&Path>) -> TokenStream {
    let trait_ = Paths::new(krate).public("Aggregate");
    let ident = &input.ident;
    let (params, args, bounds) = input.generics.split_for_impl();
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #params #trait_ for #ident #args #bounds {}
    }
}
