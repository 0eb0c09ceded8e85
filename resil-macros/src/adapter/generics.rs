//! The head of the impl, carried over to the wrapper: which of the impl's parameters the wrapper has itself, and names for
//! lifetimes that were left out, since a field needs one.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{GenericParam, Generics, WherePredicate};

use super::item::Item;
use crate::grammar::is_punct;
use crate::paths;

/// What the head of the impl becomes.
pub(super) struct Head {
    /// The trait, with its arguments.
    pub(super) port: TokenStream,
    /// The adapter's type.
    pub(super) adapter: TokenStream,
    /// `<'a, T: Send>`: all parameters of the impl, for the wrapper's impl of the port.
    pub(super) impl_params: TokenStream,
    /// `where …` with all predicates.
    pub(super) impl_where: TokenStream,
    /// Those parameters that the wrapper has itself, with their bounds.
    pub(super) params: TokenStream,
    /// The same as arguments: `<'a, T>`.
    pub(super) args: TokenStream,
    /// Those predicates that speak of the wrapper's parameters.
    pub(super) predicates: Vec<WherePredicate>,
    /// The names of all type and const parameters of the impl.
    pub(super) generics: BTreeSet<String>,
    /// What a field must mention for parameters that only bounds do.
    pub(super) phantom: Option<TokenStream>,
}

impl Head {
    /// Of a function, where `Self` means what it says.
    pub(super) fn of_function() -> Self {
        Self {
            port: TokenStream::new(),
            adapter: quote::quote!(Self),
            impl_params: TokenStream::new(),
            impl_where: TokenStream::new(),
            params: TokenStream::new(),
            args: TokenStream::new(),
            predicates: Vec::new(),
            generics: BTreeSet::new(),
            phantom: None,
        }
    }

    pub(super) fn new(item: &Item) -> Self {
        let mut fresh = Vec::new();
        let adapter = named(item.adapter.to_token_stream(), &mut fresh);
        let port = without_self(named(item.port.to_token_stream(), &mut fresh), &adapter, None);
        let given: Vec<GenericParam> = item.generics.params.iter().cloned().collect();
        let all: Vec<GenericParam> = fresh.iter().map(lifetime_param).chain(given).collect();
        let all_predicates = predicates(&item.generics);

        let in_adapter = mentioned(adapter.clone());
        let wanted = closure(&all, &all_predicates, &in_adapter);
        let own: Vec<&GenericParam> = all.iter().filter(|param| wanted.contains(&name(param))).collect();
        let only_in_bounds = own.iter().filter(|param| !in_adapter.contains(&name(param)));
        let markers: Vec<TokenStream> = only_in_bounds.filter_map(|param| marker(param)).collect();
        let own_predicates = all_predicates
            .iter()
            .filter(|predicate| belongs(predicate, &wanted));
        let where_all = all_predicates
            .iter()
            .map(|predicate| without_self(predicate.to_token_stream(), &adapter, Some(&port)));
        Self {
            impl_params: angled(&all),
            impl_where: clause(where_all),
            params: angled(&own),
            args: angled(own.iter().map(|param| argument(param))),
            predicates: own_predicates.cloned().collect(),
            generics: all
                .iter()
                .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
                .map(name)
                .collect(),
            phantom: (!markers.is_empty()).then(|| {
                let phantom = paths::phantom();
                quote_spanned!(Span::mixed_site()=> #phantom<(#(#markers,)*)>)
            }),
            port,
            adapter,
        }
    }
}

/// `where a, b`, or nothing.
pub(super) fn clause(predicates: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let predicates: Vec<TokenStream> = predicates.into_iter().collect();
    if predicates.is_empty() {
        return TokenStream::new();
    }
    quote_spanned!(Span::mixed_site()=> where #(#predicates,)*)
}

/// `<a, b>`, or nothing.
fn angled<T: ToTokens>(params: impl IntoIterator<Item = T>) -> TokenStream {
    let params: Vec<T> = params.into_iter().collect();
    if params.is_empty() {
        return TokenStream::new();
    }
    quote_spanned!(Span::mixed_site()=> <#(#params),*>)
}

fn predicates(generics: &Generics) -> Vec<WherePredicate> {
    generics
        .where_clause
        .iter()
        .flat_map(|clause| clause.predicates.iter().cloned())
        .collect()
}

fn lifetime_param(lifetime: &TokenStream) -> GenericParam {
    let param: syn::LifetimeParam = syn::parse_quote!(#lifetime);
    GenericParam::Lifetime(param)
}

fn argument(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
    }
}

fn name(param: &GenericParam) -> String {
    argument(param).to_string()
}

fn marker(param: &GenericParam) -> Option<TokenStream> {
    let argument = argument(param);
    match param {
        GenericParam::Lifetime(_) => Some(quote_spanned!(Span::mixed_site()=> &#argument ())),
        GenericParam::Type(_) => Some(quote_spanned!(Span::mixed_site()=> fn() -> #argument)),
        GenericParam::Const(_) => None,
    }
}

/// The parameters that the adapter's type names, and those that their bounds need.
fn closure(
    params: &[GenericParam],
    predicates: &[WherePredicate],
    in_adapter: &BTreeSet<String>,
) -> BTreeSet<String> {
    let known: BTreeSet<String> = params.iter().map(name).collect();
    let mut wanted: BTreeSet<String> = known.intersection(in_adapter).cloned().collect();
    loop {
        let before = wanted.len();
        let of_params = params
            .iter()
            .filter(|param| wanted.contains(&name(param)))
            .map(ToTokens::to_token_stream);
        let of_predicates = predicates
            .iter()
            .filter(|predicate| belongs(predicate, &wanted))
            .map(ToTokens::to_token_stream);
        let needed: BTreeSet<String> = of_params.chain(of_predicates).flat_map(mentioned).collect();
        wanted.extend(known.intersection(&needed).cloned());
        if wanted.len() == before {
            return wanted;
        }
    }
}

/// Whether the predicate speaks of a parameter of the wrapper. What is said of `Self` concerns the impl only.
fn belongs(predicate: &WherePredicate, wanted: &BTreeSet<String>) -> bool {
    let names = mentioned(predicate.to_token_stream());
    !names.contains("Self") && !names.is_disjoint(wanted)
}

/// All names and lifetimes in `tokens`.
pub(super) fn mentioned(tokens: TokenStream) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut quote = "";
    for token in tokens {
        let after = if is_punct(&token, '\'') { "'" } else { "" };
        match token {
            TokenTree::Ident(ident) => {
                names.insert(format!("{quote}{ident}"));
            }
            TokenTree::Group(group) => names.extend(mentioned(group.stream())),
            _ => {}
        }
        quote = after;
    }
    names
}

/// Whether a lifetime is `'_` or left out.
pub(super) fn elides_lifetimes(tokens: TokenStream) -> bool {
    let mut fresh = Vec::new();
    named(tokens, &mut fresh);
    !fresh.is_empty()
}

/// With a name for each lifetime that is `'_` or left out behind `&`; those of closures and function pointers have a meaning
/// of their own.
fn named(tokens: TokenStream, fresh: &mut Vec<TokenStream>) -> TokenStream {
    let mut output = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut last: Option<TokenTree> = None;
    let mut in_answer = false;
    while let Some(token) = tokens.next() {
        let next_is = |tokens: &mut std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
                       wanted: &str| {
            tokens.peek().is_some_and(|next| next.to_string() == wanted)
        };
        let after_minus = last.as_ref().is_some_and(|last| is_punct(last, '-'));
        if is_punct(&token, '>') && after_minus {
            in_answer = true;
        } else if is_punct(&token, ',') || is_punct(&token, '+') {
            in_answer = false;
        }
        last = Some(token.clone());
        if in_answer {
            token.to_tokens(&mut output);
        } else if is_punct(&token, '\'') && next_is(&mut tokens, "_") {
            tokens.next();
            fresh_lifetime(fresh).to_tokens(&mut output);
        } else if is_punct(&token, '&') && !next_is(&mut tokens, "'") {
            token.to_tokens(&mut output);
            fresh_lifetime(fresh).to_tokens(&mut output);
        } else if let TokenTree::Group(group) = &token {
            let of_function = group.delimiter() == proc_macro2::Delimiter::Parenthesis
                && matches!(last_but(&output), Some(TokenTree::Ident(_)));
            let inner = if of_function {
                group.stream()
            } else {
                named(group.stream(), fresh)
            };
            let mut group = Group::new(group.delimiter(), inner);
            group.set_span(token.span());
            group.to_tokens(&mut output);
        } else {
            token.to_tokens(&mut output);
        }
    }
    output
}

fn last_but(tokens: &TokenStream) -> Option<TokenTree> {
    tokens.clone().into_iter().last()
}

fn fresh_lifetime(fresh: &mut Vec<TokenStream>) -> TokenStream {
    let mixed = Span::mixed_site();
    let name = Ident::new(&format!("adapter{}", fresh.len()), mixed);
    let mut tick = Punct::new('\'', Spacing::Joint);
    tick.set_span(mixed);
    let lifetime: TokenStream = [TokenTree::from(tick), name.into()].into_iter().collect();
    fresh.push(lifetime.clone());
    lifetime
}

/// With the adapter's type for `Self`, which on the wrapper would be the wrapper.
pub(super) fn without_self(
    tokens: TokenStream,
    adapter: &TokenStream,
    port: Option<&TokenStream>,
) -> TokenStream {
    replace_self(tokens, adapter, &|at| {
        if let Some(port) = port {
            quote_spanned!(at=> <#adapter as #port>)
        } else {
            // `&Http::Item` would be a reference to an `Http::Item`.
            quote_spanned!(at=> <#adapter>)
        }
    })
}

/// `leading` is for a `Self` that a path begins with.
fn replace_self(
    tokens: TokenStream,
    adapter: &TokenStream,
    leading: &dyn Fn(Span) -> TokenStream,
) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut output = TokenStream::new();
    let mut colons = 0;
    while let Some(token) = tokens.next() {
        // Behind `::` it has no meaning, which the compiler says best of what was written.
        let in_path = colons >= 2;
        colons = if is_punct(&token, ':') { colons + 1 } else { 0 };
        match token {
            TokenTree::Ident(word) if word == "Self" && !in_path => {
                let leads_on = tokens.peek().is_some_and(|next| {
                    matches!(next, TokenTree::Punct(next) if next.as_char() == ':' && next.spacing() == Spacing::Joint)
                });
                let ty = if leads_on {
                    leading(word.span())
                } else {
                    adapter.clone()
                };
                ty.to_tokens(&mut output);
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace_self(group.stream(), adapter, leading));
                inner.set_span(group.span());
                inner.to_tokens(&mut output);
            }
            other => other.to_tokens(&mut output),
        }
    }
    output
}
