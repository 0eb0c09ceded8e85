//! The types that a method's value holds, as far as its signature says so.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{GenericArgument, PathArguments, PathSegment, Token, Type, TypeParamBound};

use crate::adapter::shape::plain;

/// The value's type in `answer`, a `Result` or an alias of it, and the types in its generic arguments, tuples, arrays and references,
/// from the outside in. What a failure holds is no value.
pub(super) fn types(answer: &Type) -> Vec<&Type> {
    let mut found = Vec::new();
    if let Type::Path(path) = plain(answer)
        && let Some(last) = path.path.segments.last()
    {
        if last.ident == "Result" {
            // The first is the value, whatever the alias adds.
            let mut types = arguments(last).filter_map(type_of);
            types.next().into_iter().for_each(|ty| walk(ty, &mut found));
        } else {
            in_arguments(last, &mut found);
        }
    }
    found
}

/// A type as it is usually written.
pub(super) fn shown(ty: &Type) -> String {
    let tight = [
        (" ::", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" ;", ";"),
        ("& ", "&"),
        ("=<", "= <"),
    ];
    let text = ty.to_token_stream().to_string();
    tight
        .iter()
        .fold(text, |text, (loose, tight)| text.replace(loose, tight))
}

fn walk<'t>(ty: &'t Type, found: &mut Vec<&'t Type>) {
    let ty = plain(ty);
    match ty {
        Type::Path(path) => {
            found.push(ty);
            // Those of `<T as Trait<…>>::Out` say how the type is found, and not what it holds.
            if path.qself.is_none() {
                let segments = path.path.segments.iter();
                segments.for_each(|segment| in_arguments(segment, found));
            }
        }
        Type::TraitObject(object) => {
            found.push(ty);
            in_bounds(&object.bounds, found);
        }
        Type::ImplTrait(object) => in_bounds(&object.bounds, found),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| walk(ty, found)),
        Type::Array(array) => walk(&array.elem, found),
        Type::Slice(slice) => walk(&slice.elem, found),
        Type::Reference(reference) => walk(&reference.elem, found),
        Type::Ptr(pointer) => walk(&pointer.elem, found),
        _ => {}
    }
}

fn in_bounds<'t>(bounds: &'t Punctuated<TypeParamBound, Token![+]>, found: &mut Vec<&'t Type>) {
    for bound in bounds {
        if let TypeParamBound::Trait(bound) = bound {
            let segments = bound.path.segments.iter();
            segments.for_each(|segment| in_arguments(segment, found));
        }
    }
}

fn in_arguments<'t>(segment: &'t PathSegment, found: &mut Vec<&'t Type>) {
    let types = arguments(segment).filter_map(type_of);
    types
        .filter(|ty| !may_be_a_constant(ty))
        .for_each(|ty| walk(ty, found));
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten()
}

fn type_of(argument: &GenericArgument) -> Option<&Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        GenericArgument::AssocType(output) => Some(&output.ty),
        _ => None,
    }
}

/// `Page<Order, LIMIT>`: a constant looks like a type, and asking about it as one would be an error.
fn may_be_a_constant(ty: &Type) -> bool {
    let Type::Path(path) = plain(ty) else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| {
        last.arguments.is_none() && !last.ident.to_string().chars().any(char::is_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(answer: &str) -> Vec<String> {
        let answer: Type = syn::parse_str(answer).expect("a type");
        let shown = |ty: &&Type| ty.to_token_stream().to_string().replace(' ', "");
        types(&answer).iter().map(shown).collect()
    }

    #[test]
    fn the_value_is_the_first_argument_of_a_result() {
        assert_eq!(held("Result<Order, Conflict<Order>>"), ["Order"]);
        assert_eq!(held("std::io::Result<Order>"), ["Order"]);
        assert_eq!(held("Result<SKU, Failed>"), ["SKU"]);
        assert_eq!(held("StoreResult<Order>"), ["Order"]);
        assert_eq!(held("Answer<Failed, Order>"), ["Failed", "Order"]);
        assert_eq!(held("Result<(), Failed>"), [""; 0]);
        assert_eq!(held("Orders"), [""; 0]);
    }

    #[test]
    fn every_written_argument_counts() {
        assert_eq!(
            held("Result<Option<Vec<crate::Order>>, E>"),
            ["Option<Vec<crate::Order>>", "Vec<crate::Order>", "crate::Order"]
        );
        assert_eq!(
            held("Result<(Id, [Order; 3], &'a [Line], (Arc<Customer>,)), E>"),
            ["Id", "Order", "Line", "Arc<Customer>", "Customer"]
        );
        assert_eq!(held("Result<a::B<C>::D<E>, F>"), ["a::B<C>::D<E>"]);
        assert_eq!(
            held("Result<Box<dyn Iterator<Item = Order> + Send>, E>"),
            [
                "Box<dynIterator<Item=Order>+Send>",
                "dynIterator<Item=Order>+Send",
                "Order"
            ]
        );
        assert_eq!(
            held("Result<impl Iterator<Item = (u8, Order)>, E>"),
            ["u8", "Order"]
        );
        assert_eq!(held("Result<*const Order, E>"), ["Order"]);
        assert_eq!(
            held("Result<<T as Of<Order>>::View, E>"),
            ["<TasOf<Order>>::View"]
        );
        assert_eq!(held("Result<fn(Order) -> Order, E>"), [""; 0]);
        assert_eq!(held("Result<!, E>"), [""; 0]);
    }

    #[test]
    fn types_are_shown_as_they_are_written() {
        for written in [
            "crate::Order",
            "Option<View<'a>>",
            "HashMap<Id, (u8, &'static [Line; 2])>",
            "Box<dyn Iterator<Item = <T as Of>::Out> + Send>",
        ] {
            assert_eq!(shown(&syn::parse_str(written).expect("a type")), written);
        }
    }

    #[test]
    fn a_constant_is_no_type() {
        assert_eq!(
            held("Result<Page<Order, LIMIT, 3>, E>"),
            ["Page<Order,LIMIT,3>", "Order"]
        );
        assert_eq!(
            held("Result<Page<Order, { LIMIT + 1 }>, E>"),
            ["Page<Order,{LIMIT+1}>", "Order"]
        );
    }
}
