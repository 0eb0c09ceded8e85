//! The impl below the attribute, as it was written. Bodies are not looked into, so that half-typed ones expand.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Generics, ImplItemType, Path, Result, Signature, Token, Type, Visibility, braced};

use super::helpers;
use crate::diagnostics::{Errors, message};
use crate::shown::shown;

/// An impl of a trait.
pub(super) struct Item {
    pub(super) attrs: Vec<Attribute>,
    pub(super) generics: Generics,
    pub(super) port: Path,
    pub(super) adapter: Type,
    pub(super) members: Vec<Member>,
}

/// What stands in the braces.
pub(super) enum Member {
    Method(Method),
    Type(ImplItemType),
    Const(Const),
}

/// A method without its body.
pub(super) struct Method {
    /// Those that stay.
    pub(super) attrs: Vec<Attribute>,
    /// Those that are for `#[adapter]`.
    pub(super) helpers: Vec<Attribute>,
    pub(super) sig: Signature,
}

/// An associated constant without its value.
pub(super) struct Const {
    pub(super) attrs: Vec<Attribute>,
    pub(super) ident: Ident,
    pub(super) ty: Type,
}

impl Item {
    /// `None` where there is nothing that could be wrapped; that was reported.
    pub(super) fn read(tokens: TokenStream, errors: &mut Errors) -> Option<Self> {
        let tokens = unwrapped(tokens);
        if !tokens
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if word == "impl"))
        {
            errors.at(tokens, misplaced("another item"));
            return None;
        }
        let read = |input: ParseStream<'_>| Self::parse(input, errors);
        match read.parse2(tokens) {
            Ok(item) => item,
            Err(error) => {
                errors.add(error);
                None
            }
        }
    }

    fn parse(input: ParseStream<'_>, errors: &mut Errors) -> Result<Option<Self>> {
        let mut attrs = Attribute::parse_outer(input)?;
        let mut sound = true;
        let defaultness: Option<Token![default]> = input.parse()?;
        if let Some(word) = &defaultness {
            errors.at(
                word,
                message!("`#[adapter]` cannot wrap a `default` impl").help("remove `default`"),
            );
            sound = false;
        }
        let unsafety: Option<Token![unsafe]> = input.parse()?;
        if let Some(word) = &unsafety {
            errors.at(
                word,
                message!("`#[adapter]` cannot wrap an impl of an unsafe trait: what `unsafe` promises of the adapter, nobody promised of its wrapper")
                    .help("write the wrapper of this port by hand"),
            );
            sound = false;
        }
        if !input.peek(Token![impl]) {
            let rest: TokenStream = input.parse()?;
            errors.at(rest, misplaced("another item"));
            return Ok(None);
        }
        input.parse::<Token![impl]>()?;
        let mut generics: Generics = if has_generics(input) {
            input.parse()?
        } else {
            Generics::default()
        };
        let polarity: Option<Token![!]> = input.parse()?;
        if let Some(not) = &polarity {
            errors.at(not, misplaced("a negative impl"));
            sound = false;
        }
        let first: Type = input.parse()?;
        let Some(_) = input.parse::<Option<Token![for]>>()? else {
            let ty = shown(&first);
            errors.at(&first, misplaced(&format!("an inherent impl of `{ty}`")));
            input.parse::<TokenStream>()?;
            return Ok(None);
        };
        let adapter: Type = input.parse()?;
        generics.where_clause = input.parse()?;
        let content;
        braced!(content in input);
        attrs.extend(Attribute::parse_inner(&content)?);
        let mut members = Vec::new();
        while !content.is_empty() {
            members.extend(member(&content, errors)?);
        }
        let written = first.to_token_stream();
        let Some(port) = trait_path(first) else {
            let found = misplaced(&format!("`{written}`, which is none"));
            errors.at(written, found);
            return Ok(None);
        };
        Ok(sound.then_some(Self {
            attrs,
            generics,
            port,
            adapter,
            members,
        }))
    }
}

fn misplaced(found: &str) -> impl std::fmt::Display + use<> {
    message!("`#[adapter]` belongs on the impl of a port, a trait, found {found}")
        .help("write `impl SmsSender for HttpSmsSender { … }`; callers depend on the trait, so that they never see the policies")
}

/// Without the invisible group around an item that a macro by example was given.
fn unwrapped(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            unwrapped(group.stream())
        }
        _ => tokens,
    }
}

/// Whether `<` begins generics, and not a type like `<T as Trait>::Out`.
fn has_generics(input: ParseStream<'_>) -> bool {
    input.peek(Token![<])
        && (input.peek2(Token![>])
            || input.peek2(Token![#])
            || input.peek2(syn::Lifetime)
            || input.peek2(Token![const])
            || (input.peek2(syn::Ident) && !input.peek3(Token![as]) && !input.peek3(Token![::])))
}

fn trait_path(ty: Type) -> Option<Path> {
    match ty {
        Type::Path(path) if path.qself.is_none() => Some(path.path),
        Type::Group(group) => trait_path(*group.elem),
        _ => None,
    }
}

fn member(input: ParseStream<'_>, errors: &mut Errors) -> Result<Option<Member>> {
    let attrs = Attribute::parse_outer(input)?;
    let _: Visibility = input.parse()?;
    if input.peek(Token![type]) {
        let mut alias: ImplItemType = input.parse()?;
        alias.attrs = without_ours(attrs, "an associated type", errors);
        return Ok(Some(Member::Type(alias)));
    }
    if input.peek(Token![const]) && !is_fn(input) {
        let attrs = without_ours(attrs, "an associated constant", errors);
        return constant(input, attrs).map(|constant| Some(Member::Const(constant)));
    }
    if is_fn(input) {
        return method(input, attrs, errors).map(Some);
    }
    unseen(input, errors)
}

/// Whether a function begins here, behind its modifiers.
fn is_fn(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let modifier = |ahead: ParseStream<'_>| {
        ahead.peek(Token![const])
            || ahead.peek(Token![async])
            || ahead.peek(Token![unsafe])
            || ahead.peek(Token![extern])
            || ahead.peek(Token![default])
            || ahead.peek(syn::LitStr)
    };
    while modifier(&ahead) {
        if ahead.parse::<TokenTree>().is_err() {
            return false;
        }
    }
    ahead.peek(Token![fn])
}

fn method(input: ParseStream<'_>, attrs: Vec<Attribute>, errors: &mut Errors) -> Result<Member> {
    if let Some(word) = input.parse::<Option<Token![default]>>()? {
        errors.at(
            word,
            message!("`#[adapter]` cannot wrap a `default` method").help("remove `default`"),
        );
    }
    let sig: Signature = input.parse()?;
    if input.peek(Token![;]) {
        input.parse::<Token![;]>()?;
    } else {
        let body: TokenTree = input.parse()?;
        if !is_block(&body) {
            return Err(syn::Error::new(body.span(), "expected the body of the method"));
        }
    }
    let (helpers, attrs) = attrs.into_iter().partition(helpers::is_ours);
    Ok(Member::Method(Method { attrs, helpers, sig }))
}

/// `{ … }`, also as the `$body:block` of a macro by example, which is a group around it.
pub(super) fn is_block(body: &TokenTree) -> bool {
    let TokenTree::Group(group) = body else {
        return false;
    };
    match group.delimiter() {
        Delimiter::Brace => true,
        Delimiter::None => group.stream().into_iter().all(|inner| is_block(&inner)),
        Delimiter::Parenthesis | Delimiter::Bracket => false,
    }
}

fn constant(input: ParseStream<'_>, attrs: Vec<Attribute>) -> Result<Const> {
    input.parse::<Token![const]>()?;
    let ident = if input.peek(Token![_]) {
        input.call(Ident::parse_any)?
    } else {
        input.parse()?
    };
    input.parse::<Token![:]>()?;
    let ty = input.parse()?;
    if !input.peek(Token![;]) {
        input.parse::<Token![=]>()?;
    }
    while !input.parse::<TokenTree>()?.to_string().eq(";") {}
    Ok(Const { attrs, ident, ty })
}

/// What a macro would make here cannot be wrapped.
fn unseen(input: ParseStream<'_>, errors: &mut Errors) -> Result<Option<Member>> {
    let path: Path = input.parse().map_err(|error| {
        syn::Error::new(
            error.span(),
            "expected a method, an associated type or an associated constant",
        )
    })?;
    let bang: Token![!] = input.parse()?;
    errors.at(
        [path.to_token_stream(), bang.to_token_stream()]
            .into_iter()
            .collect::<TokenStream>(),
        message!("`#[adapter]` cannot see what this macro makes, so the wrapper would lack it")
            .help("write the methods out, or let one macro make the whole impl, with the `#[adapter]` on it"),
    );
    let body: Group = input.parse()?;
    if body.delimiter() != Delimiter::Brace {
        input.parse::<Token![;]>()?;
    }
    Ok(None)
}

/// Reports helper attributes where they mean nothing.
fn without_ours(attrs: Vec<Attribute>, place: &str, errors: &mut Errors) -> Vec<Attribute> {
    let (ours, others): (Vec<_>, Vec<_>) = attrs.into_iter().partition(helpers::is_ours);
    for attribute in ours {
        let path = attribute.path();
        let name = path.to_token_stream();
        errors.at(
            path,
            message!("`#[{name}]` belongs on a method, found {place}").help("remove it"),
        );
    }
    others
}
