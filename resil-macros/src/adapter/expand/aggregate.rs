//! What a cache must not hold: the value of a `cached` method, and every type that is written in it, is asked whether it is marked
//! as an aggregate. Only the compiler knows; it answers in a constant.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Type;

use super::held;
use crate::adapter::generics::mentioned;
use crate::adapter::model::Model;
use crate::adapter::shape;
use crate::diagnostics::message;
use crate::grammar::is_punct;
use crate::paths::{Paths, respan};

/// The questions about all methods that are cached.
pub(super) fn checks(model: &Model) -> TokenStream {
    let cached = model
        .guarded()
        .filter(|(_, guard)| model.has_policy(guard, "cached"));
    // What has no meaning outside of the impl. A method that is cached has no types of its own.
    let unknown = model.head.generics.iter().cloned().chain(["Self".to_owned()]);
    let unknown: BTreeSet<String> = unknown.collect();
    cached
        .filter_map(|(method, guard)| {
            let answer = shape::answer(&method.sig)?;
            let asked = questions(&model.paths, &guard.name, answer, &unknown)?;
            let (outer, conditions) = (&model.conditions, &method.conditions);
            let lints = model.lints.iter().chain(&method.lints);
            Some(quote_spanned! {Span::mixed_site()=> #(#outer)* #(#conditions)* #(#lints)* #asked })
        })
        .collect()
}

/// One constant with one question for each type in `answer`, the `Result` of the method `name`; `None` where there is nothing to ask. A
/// type that mentions one of the `unknown` names is not asked about itself.
pub(super) fn questions(
    paths: &Paths,
    name: &str,
    answer: &Type,
    unknown: &BTreeSet<String>,
) -> Option<TokenStream> {
    let mut seen = BTreeSet::new();
    let asked: Vec<TokenStream> = held::types(answer)
        .into_iter()
        .filter(|ty| mentioned(ty.to_token_stream()).is_disjoint(unknown))
        .filter(|ty| seen.insert(ty.to_token_stream().to_string()))
        .map(|ty| question(paths, name, ty))
        .collect();
    if asked.is_empty() {
        return None;
    }
    let unmarked = paths.private("Unmarked");
    Some(quote_spanned! {Span::mixed_site()=>
        const _: () = {
            use #unmarked as _;
            #(#asked)*
        };
    })
}

/// `const _: () = not_cached(Probe::<Order>::MARKED, "…");` The error is shown at the type, from its first token to its last.
fn question(paths: &Paths, name: &str, ty: &Type) -> TokenStream {
    let mixed = Span::mixed_site();
    let (first, last) = ends(ty);
    let shown = held::shown(ty);
    let says = message!("`{name}` would cache `{shown}`, which is an aggregate")
        .help("cache a read model that is made from it, behind a method or port of its own, or remove `cached` here")
        .note("an aggregate is loaded to be changed; a copy from a cache would be stored over what others changed since")
        .to_string();
    let (check, probe) = (respan(paths.private("not_cached"), first), paths.private("Probe"));
    let ty = with_static(ty.to_token_stream(), &mut BTreeSet::new());
    let asked = quote_spanned! {last=> (#probe::<#ty>::MARKED, #says) };
    quote_spanned! {mixed=> const _: () = #check #asked; }
}

fn ends(ty: &Type) -> (Span, Span) {
    let mixed = Span::mixed_site();
    let mut tokens = ty.to_token_stream().into_iter();
    let first = tokens.next();
    let last = tokens.last().or_else(|| first.clone());
    let place = |token: Option<TokenTree>| token.map_or(mixed, |token| mixed.located_at(token.span()));
    (place(first), place(last))
}

/// With `'static` for each lifetime, since none of the impl's has a name outside of it. Those that the type binds itself, by `for<'a>`,
/// stay.
fn with_static(tokens: TokenStream, bound: &mut BTreeSet<String>) -> TokenStream {
    let mut output = TokenStream::new();
    let (mut binds, mut binding, mut ticked) = (false, false, false);
    for token in tokens {
        binding = (binding && !is_punct(&token, '>')) || (binds && is_punct(&token, '<'));
        binds = matches!(&token, TokenTree::Ident(word) if word == "for");
        let was_ticked = ticked;
        ticked = is_punct(&token, '\'');
        match token {
            TokenTree::Ident(name) if was_ticked => {
                if binding {
                    bound.insert(name.to_string());
                }
                let kept = bound.contains(&name.to_string());
                let name = if kept {
                    name
                } else {
                    Ident::new("static", name.span())
                };
                name.to_tokens(&mut output);
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_static(group.stream(), bound));
                inner.set_span(group.span());
                inner.to_tokens(&mut output);
            }
            other => other.to_tokens(&mut output),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(answer: &str, unknown: &[&str]) -> String {
        let answer = syn::parse_str(answer).expect("a type");
        let unknown = unknown.iter().map(ToString::to_string).collect();
        let tokens = questions(&Paths::new(None), "find", &answer, &unknown);
        tokens.map_or_else(String::new, |tokens| {
            prettyplease::unparse(&syn::parse2(tokens).expect("an item"))
        })
    }

    #[test]
    fn each_type_is_asked_about_once_in_one_constant() {
        assert_eq!(
            asked("Result<(Order, Vec<Order>), E>", &[]),
            r#"const _: () = {
    use ::resil::__private::Unmarked as _;
    const _: () = ::resil::__private::not_cached(
        ::resil::__private::Probe::<Order>::MARKED,
        "`find` would cache `Order`, which is an aggregate\n\nhelp: cache a read model that is made from it, behind a method or port of its own, or remove `cached` here\nnote: an aggregate is loaded to be changed; a copy from a cache would be stored over what others changed since",
    );
    const _: () = ::resil::__private::not_cached(
        ::resil::__private::Probe::<Vec<Order>>::MARKED,
        "`find` would cache `Vec<Order>`, which is an aggregate\n\nhelp: cache a read model that is made from it, behind a method or port of its own, or remove `cached` here\nnote: an aggregate is loaded to be changed; a copy from a cache would be stored over what others changed since",
    );
};
"#
        );
    }

    #[test]
    fn what_has_no_meaning_outside_is_not_asked_about_itself() {
        let asked = |answer| asked(answer, &["T", "N", "Self"]);
        assert_eq!(asked("Result<T, E>"), "");
        assert_eq!(asked("Result<Self::View, E>"), "");
        assert_eq!(asked("Orders"), "");
        let page = asked("Result<Page<T, Order, N>, E>");
        assert_eq!(page.matches("Probe").count(), 1);
        assert!(page.contains("Probe::<Order>::MARKED"), "{page}");
    }

    #[test]
    fn lifetimes_become_static_unless_the_type_binds_them() {
        let shown = |ty: &str| {
            let tokens = with_static(ty.parse().expect("tokens"), &mut BTreeSet::new());
            tokens.to_string().replace(' ', "")
        };
        assert_eq!(shown("Ref<'a, [View<'_>; 2]>"), "Ref<'static,[View<'static>;2]>");
        assert_eq!(
            shown("(dyn for<'x> Of<'x, 'y> + 'a)"),
            "(dynfor<'x>Of<'x,'static>+'static)"
        );
        assert_eq!(shown("&'a dyn Of"), "&'staticdynOf");
        assert_eq!(shown("Order"), "Order");
    }
}
