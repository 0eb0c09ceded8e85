//! The shape of a method: whether it is async, and in which way; its receiver; its arguments.

#[cfg(test)]
mod tests;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    FnArg, GenericArgument, PathArguments, PathSegment, Receiver, ReceiverKind, ReturnType, Signature, Token,
    Type, TypeParamBound,
};

/// How a method says that it is async.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is not.
    Sync,
    /// `async fn`
    AsyncFn,
    /// `-> impl Future<…>`
    ImplFuture,
    /// `-> Pin<Box<dyn Future<…>>>`, `BoxFuture`, `LocalBoxFuture`: by hand or by `#[async_trait]` above.
    Boxed,
}

impl Form {
    pub(super) fn of(sig: &Signature) -> Self {
        if sig.asyncness.is_some() {
            return Self::AsyncFn;
        }
        match &sig.output {
            ReturnType::Default => Self::Sync,
            ReturnType::Type(_, ty) => Self::of_type(ty),
        }
    }

    fn of_type(ty: &Type) -> Self {
        match plain(ty) {
            Type::ImplTrait(future) if bound_by_future(&future.bounds) => Self::ImplFuture,
            Type::Path(path) => match path.path.segments.last() {
                Some(last) if last.ident == "BoxFuture" || last.ident == "LocalBoxFuture" => Self::Boxed,
                Some(last) if last.ident == "Pin" && pins_a_boxed_future(last) => Self::Boxed,
                _ => Self::Sync,
            },
            _ => Self::Sync,
        }
    }
}

/// The return type of a method that is not seen to be async, where it may be a future under another name.
pub(super) fn may_hide_a_future(sig: &Signature) -> Option<&Type> {
    match &sig.output {
        ReturnType::Type(_, ty) if Form::of(sig) == Form::Sync && !is_no_future(ty) => Some(ty),
        _ => None,
    }
}

/// What the standard library has under these names is no future.
const NO_FUTURES: &[&str] = &["Option", "Result", "String", "Vec"];

fn is_no_future(ty: &Type) -> bool {
    match plain(ty) {
        Type::Array(_) | Type::FnPtr(_) | Type::Never(_) | Type::Ptr(_) | Type::Slice(_) | Type::Tuple(_) => {
            true
        }
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            NO_FUTURES.iter().any(|name| last.ident == name)
                || COPIED.iter().any(|name| path.path.is_ident(name))
        }),
        _ => false,
    }
}

/// Without parentheses and the invisible groups of macros by example.
pub(super) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        ty => ty,
    }
}

fn bound_by_future(bounds: &Punctuated<TypeParamBound, Token![+]>) -> bool {
    bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(bound)
            if bound.path.segments.last().is_some_and(|last| last.ident == "Future"))
    })
}

fn pins_a_boxed_future(pin: &PathSegment) -> bool {
    pinned_bounds(pin).is_some_and(bound_by_future)
}

/// The bounds of `…` in `Pin<Box<dyn …>>`.
pub(super) fn pinned_bounds(pin: &PathSegment) -> Option<&Punctuated<TypeParamBound, Token![+]>> {
    let Some(Type::Path(boxed)) = type_argument(pin) else {
        return None;
    };
    let boxed = boxed.path.segments.last().filter(|last| last.ident == "Box")?;
    match type_argument(boxed) {
        Some(Type::TraitObject(future)) => Some(&future.bounds),
        _ => None,
    }
}

fn type_argument(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(plain(ty)),
        _ => None,
    })
}

/// What the method's future answers, where that is written.
pub(super) fn answer(sig: &Signature) -> Option<&Type> {
    let ReturnType::Type(_, output) = &sig.output else {
        return None;
    };
    if sig.asyncness.is_some() {
        return Some(output);
    }
    match plain(output) {
        Type::ImplTrait(future) => future_answer(&future.bounds),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match pinned_bounds(last) {
                Some(bounds) => future_answer(bounds),
                None => type_argument(last),
            }
        }
        _ => None,
    }
}

/// `T` of `Future<Output = T>`.
fn future_answer(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<&Type> {
    let paths = bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    let arguments = paths.filter_map(|last| match &last.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    arguments.flatten().find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
        _ => None,
    })
}

/// How a method takes its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Not at all.
    Not,
    /// `&self`, `self: &Self`
    Shared,
    /// `&mut self`, `self: &mut Self`
    Mutable,
    /// `self`
    Value,
    /// `self: Box<Self>`
    Boxed,
    /// `self: Arc<Self>`
    Arc,
    /// Any other way.
    Otherwise,
}

impl Taken {
    pub(super) fn of(sig: &Signature) -> Self {
        let Some(FnArg::Receiver(receiver)) = sig.inputs.first() else {
            return Self::Not;
        };
        match &receiver.kind {
            ReceiverKind::Value => Self::Value,
            ReceiverKind::Reference(_, _, None) => Self::Shared,
            ReceiverKind::Reference(_, _, Some(_)) => Self::Mutable,
            ReceiverKind::Typed(_, ty) => Self::of_type(ty),
            _ => Self::Otherwise,
        }
    }

    fn of_type(ty: &Type) -> Self {
        match plain(ty) {
            Type::Reference(reference) if is_self(&reference.elem) => match reference.mutability {
                None => Self::Shared,
                Some(_) => Self::Mutable,
            },
            Type::Path(path) => match path.path.segments.last() {
                _ if is_self(ty) => Self::Value,
                Some(last) if type_argument(last).is_some_and(is_self) => {
                    match last.ident.to_string().as_str() {
                        "Box" => Self::Boxed,
                        "Arc" => Self::Arc,
                        _ => Self::Otherwise,
                    }
                }
                _ => Self::Otherwise,
            },
            _ => Self::Otherwise,
        }
    }
}

fn is_self(ty: &Type) -> bool {
    matches!(plain(ty), Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self"))
}

pub(super) fn receiver(sig: &Signature) -> Option<&Receiver> {
    match sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => Some(receiver),
        _ => None,
    }
}

/// How an argument is passed to one attempt after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// As it is: a shared reference, a number.
    Plain,
    /// A reference that is lent anew for each attempt.
    Reborrow,
    /// Owned: moved, or cloned.
    Owned,
}

/// Types whose values are copied.
const COPIED: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
    "u128", "usize",
];

impl Pass {
    pub(super) fn of(ty: &Type) -> Self {
        match plain(ty) {
            Type::Reference(reference) if reference.mutability.is_some() => Self::Reborrow,
            Type::Reference(_) | Type::Ptr(_) | Type::FnPtr(_) => Self::Plain,
            Type::Tuple(tuple) if tuple.elems.iter().all(|ty| Self::of(ty) == Self::Plain) => Self::Plain,
            Type::Array(array) if Self::of(&array.elem) == Self::Plain => Self::Plain,
            Type::Path(path) if COPIED.iter().any(|name| path.path.is_ident(name)) => Self::Plain,
            _ => Self::Owned,
        }
    }
}

/// The first `Self` that means the adapter as a value, not the way to one of its associated types.
pub(super) fn bare_self(tokens: impl ToTokens) -> Option<TokenTree> {
    bare_self_in(tokens.into_token_stream())
}

fn bare_self_in(tokens: TokenStream) -> Option<TokenTree> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Ident(word) if word == "Self" => {
                let leads_on = match tokens.peek() {
                    Some(TokenTree::Punct(next)) => next.as_char() == ':',
                    Some(TokenTree::Ident(next)) => next == "as",
                    _ => false,
                };
                if !leads_on {
                    return Some(token);
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = bare_self_in(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}
