//! What the wrapper keeps of a method's signature and attributes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, GenericParam, Pat, ReceiverKind, Signature, Type};

use super::check::lent_option;
use super::helpers;
use super::model::Argument;
use super::shape::{self, Pass};

/// The type of the answer, or the method's name where none is written. One token: what the compiler finds wrong in several
/// places that share a span, it reports once.
pub(super) fn answer(sig: &Signature) -> Span {
    let at = shape::answer(sig).map_or_else(|| sig.ident.span(), Spanned::span);
    Span::mixed_site().located_at(at)
}

/// Where the compiler says what is wrong with this type.
pub(super) fn shown_at(ty: &Type) -> Span {
    Span::mixed_site().located_at(ty.span())
}

/// The attributes that decide whether something is compiled at all.
pub(super) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    let decides = |attribute: &&Attribute| {
        attribute.path().is_ident("cfg") || helpers::conditional(attribute).iter().any(|name| name == "cfg")
    };
    attributes.iter().filter(decides).cloned().collect()
}

/// `#[allow]`, also for what was expected: whether that happens in the wrapper too is nobody's concern.
pub(super) fn lints(attributes: &[Attribute]) -> Vec<TokenStream> {
    let allowed = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
            let lints = &list.tokens;
            Some(quote::quote!(#[allow(#lints)]))
        }
        _ => None,
    });
    allowed.collect()
}

pub(super) fn is_async_trait(attribute: &Attribute) -> bool {
    let named = attribute
        .path()
        .segments
        .last()
        .is_some_and(|last| last.ident == "async_trait");
    named
        || helpers::conditional(attribute)
            .iter()
            .any(|name| name == "async_trait")
}

/// With plain names for the arguments.
pub(super) fn plain_signature(mut sig: Signature) -> (Signature, Vec<Argument>) {
    let mut arguments = Vec::new();
    for (index, input) in sig.inputs.iter_mut().enumerate() {
        match input {
            FnArg::Receiver(receiver) => {
                receiver.attrs.clear();
                if matches!(receiver.kind, ReceiverKind::Value | ReceiverKind::Typed(..)) {
                    receiver.mutability = None;
                }
            }
            FnArg::Typed(argument) => {
                let conditions = conditions(&argument.attrs);
                let name = match &*argument.pat {
                    Pat::Ident(pattern) => pattern.ident.clone(),
                    _ => Ident::new(&format!("arg{index}"), Span::mixed_site()),
                };
                argument.attrs.clone_from(&conditions);
                *argument.pat = Pat::Verbatim(name.to_token_stream());
                arguments.push(Argument {
                    conditions,
                    name,
                    pass: Pass::of(&argument.ty),
                    is_reference: matches!(shape::plain(&argument.ty), Type::Reference(_)),
                    lent_option: lent_option(&argument.ty).is_some(),
                });
            }
        }
    }
    (sig, arguments)
}

/// The type and const parameters of the method: they cannot always be inferred. Lifetimes can, and `impl Trait` has to be.
pub(super) fn turbofish(sig: &Signature) -> TokenStream {
    let mut names = Vec::new();
    for param in &sig.generics.params {
        match param {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(param) => names.push(&param.ident),
            GenericParam::Const(param) => names.push(&param.ident),
        }
    }
    if names.is_empty() {
        return TokenStream::new();
    }
    quote::quote!(::<#(#names),*>)
}
