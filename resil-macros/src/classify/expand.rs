//! The impl of `Classify`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Member, WherePredicate};

use super::{Answer, Class, Field, Model};
use crate::paths::{self, Paths, ours, respan};

pub(super) fn implementation(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let paths = Paths::new(model.krate.as_ref());
    let (trait_, classification) = (paths.public("Classify"), paths.public("Classification"));
    let ident = &model.ident;
    let mut generics = model.generics.clone();
    let asked = asked(model, &trait_);
    if !asked.is_empty() {
        generics.make_where_clause().predicates.extend(asked);
    }
    let (params, args, bounds) = generics.split_for_impl();
    let arms = model.answers.iter().map(|answer| arm(answer, &paths));
    let value = if model.answers.is_empty() {
        quote_spanned! {mixed=> *self }
    } else {
        quote_spanned! {mixed=> self }
    };
    quote_spanned! {mixed=>
        #[automatically_derived]
        impl #params #trait_ for #ident #args #bounds {
            fn classify(&self) -> #classification {
                match #value {
                    #(#arms)*
                }
            }
        }
    }
}

/// Fields of a generic type must have classes themselves.
fn asked(model: &Model, trait_: &TokenStream) -> Vec<WherePredicate> {
    let names: Vec<&Ident> = model.generics.type_params().map(|param| &param.ident).collect();
    let fields = model.answers.iter().filter_map(|answer| match &answer.class {
        Class::Own(..) => None,
        Class::Policy(field) | Class::Inherit(field, _) => Some(&field.ty),
    });
    fields
        .filter(|ty| mentions(quote::ToTokens::to_token_stream(ty), &names))
        .map(|ty| syn::parse_quote!(#ty: #trait_))
        .collect()
}

fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => names.iter().any(|name| ident == **name),
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

/// `Self::Busy { wait: wait, .. } => …,` The braces fit variants of every shape.
fn arm(answer: &Answer, paths: &Paths) -> TokenStream {
    let mixed = Span::mixed_site();
    let variant = answer.variant.as_ref().map(|variant| {
        let variant = ours(variant);
        quote_spanned! {mixed=> ::#variant }
    });
    let asked = match &answer.class {
        Class::Own(..) => None,
        Class::Policy(Field { member, .. }) | Class::Inherit(Field { member, .. }, _) => {
            Some(quote_spanned! {mixed=> #member: inner, })
        }
    };
    let wait = answer
        .retry_after
        .as_ref()
        .map(|member| quote_spanned! {mixed=> #member: wait, });
    let class = class(answer, paths);
    quote_spanned! {mixed=> Self #variant { #asked #wait .. } => #class, }
}

fn class(answer: &Answer, paths: &Paths) -> TokenStream {
    let mixed = Span::mixed_site();
    let known = match &answer.class {
        Class::Own(variant, code) => {
            let (class, variant) = (paths.public("Class"), Ident::new(variant, mixed));
            quote_spanned! {mixed=> #class::#variant.code(#code) }
        }
        Class::Policy(field) => decided(field, paths),
        Class::Inherit(field, code) => {
            let asked = ask(field, paths);
            quote_spanned! {mixed=> #asked.inherited(#code) }
        }
    };
    let not_sent = answer.not_sent.then(|| quote_spanned! {mixed=> .not_sent() });
    let Some(member) = &answer.retry_after else {
        return quote_spanned! {mixed=> #known #not_sent };
    };
    let (option, wait) = (paths::option(), wait(member));
    quote_spanned! {mixed=>
        {
            let known = #known #not_sent;
            match #wait {
                #option::Some(wait) => known.retry_after(wait),
                #option::None => known,
            }
        }
    }
}

/// `Classify::classify(inner)`. A field without classes is an error at its type.
/// Only a `PolicyError` carries what a policy decided; another type is an error at the field.
fn decided(field: &Field, paths: &Paths) -> TokenStream {
    let at = Span::mixed_site().located_at(field.ty.span());
    let (trait_, error) = (
        respan(paths.public("Classify"), at),
        respan(paths.public("PolicyError"), at),
    );
    quote_spanned! {at=> <#error as #trait_>::classify(inner) }
}

fn ask(field: &Field, paths: &Paths) -> TokenStream {
    let at = Span::mixed_site().located_at(field.ty.span());
    let trait_ = respan(paths.public("Classify"), at);
    quote_spanned! {at=> #trait_::classify(inner) }
}

/// `<Option<Duration> as From<_>>::from(Clone::clone(wait))`, for a `Duration` and for an `Option` of one. A field of another type
/// is an error at its name.
fn wait(member: &Member) -> TokenStream {
    let at = match member {
        Member::Named(name) => name.span(),
        Member::Unnamed(index) => index.span,
    };
    let at = Span::mixed_site().located_at(at);
    let (option, from, duration, clone) = (paths::option(), paths::from(), paths::duration(), paths::clone());
    respan(
        quote_spanned! {at=> <#option<#duration> as #from<_>>::from(#clone::clone(wait)) },
        at,
    )
}
