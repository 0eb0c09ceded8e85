//! `#[resilient(…)]` on an `async fn`: what was written, checked and resolved, as for an impl with one method.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Result, ReturnType, Signature, Visibility};

use super::args::Args;
use super::check::{self, Draft};
use super::generics::Head;
use super::helpers;
use super::item::{Method, is_block};
use super::model::{Function, Model};
use super::shape::{self, Taken};
use crate::diagnostics::{Errors, message};
use crate::grammar::has_word;

/// A function as it was written.
struct Written {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: Signature,
    body: TokenTree,
}

/// The function with its policies; `None` where it has to stay as it was written, which was reported.
pub(super) fn model(args: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<Model> {
    let before = errors.len();
    let args = Args::read("resilient", args, errors);
    let written = read(item, errors)?;
    let patterns = shape::patterns(&written.sig);
    let (helpers, attrs) = written.attrs.into_iter().partition(helpers::is_ours);
    let draft = Draft::new(
        Method {
            attrs: Vec::new(),
            helpers,
            sig: written.sig,
        },
        errors,
    );
    check::function(&args, &draft, errors);
    let function = Function {
        attrs,
        vis: written.vis,
        patterns,
        answer: answer(&draft.method.sig),
        body: written.body,
        field: (draft.taken != Taken::Not).then(|| {
            let given = args.state.get().cloned();
            given.unwrap_or_else(|| syn::Ident::new("state", Span::call_site()))
        }),
    };
    (errors.len() == before).then(|| Model::of_function(args, Head::of_function(), draft, function))
}

fn answer(sig: &Signature) -> TokenStream {
    match &sig.output {
        ReturnType::Default => quote::quote!(()),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    }
}

fn read(item: TokenStream, errors: &mut Errors) -> Option<Written> {
    let parse = |input: ParseStream<'_>| -> Result<Written> {
        let attrs = Attribute::parse_outer(input)?;
        let vis = input.parse()?;
        let sig: Signature = input.parse()?;
        let body: TokenTree = input.parse()?;
        if !is_block(&body) {
            return Err(syn::Error::new(body.span(), ""));
        }
        Ok(Written {
            attrs,
            vis,
            sig,
            body,
        })
    };
    if let Ok(written) = parse.parse2(item.clone()) {
        return Some(written);
    }
    errors.at(
        item,
        message!("`#[resilient]` must be placed on an `async fn` with a body")
            .help("write `#[resilient(kind = \"external\", timeout(ms = 2000))] async fn fetch(…) -> Result<…, …> { … }`; on the impl of a port write `#[adapter]`"),
    );
    None
}

/// Whether the answer has a type without a name, which the attempts could not be told.
pub(super) fn hides_its_answer(sig: &Signature) -> bool {
    has_word(&sig.output, "impl")
}
