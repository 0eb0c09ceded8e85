//! A boxed future says what it may borrow. The wrapper's own future borrows the wrapper and all arguments for as long as
//! attempts may follow, so it must be allowed to.

use quote::ToTokens;
use syn::{FnArg, GenericArgument, PathArguments, ReturnType, Type, TypeParamBound};

use super::Draft;
use crate::adapter::args::Args;
use crate::adapter::generics::elides_lifetimes;
use crate::adapter::shape::{self, Form, Taken};
use crate::diagnostics::{Errors, message};

pub(super) fn check(args: &Args, draft: &Draft, errors: &mut Errors) {
    if draft.form != Form::Boxed || !draft.is_guarded(args) {
        return;
    }
    let name = draft.name();
    if let (Some(output), true) = (borrows_nothing(draft), lends(draft)) {
        errors.at(
            output,
            message!("the future of `{name}` may not borrow the adapter, and the wrapper's has to")
                .help("add a lifetime: `Pin<Box<dyn Future<Output = …> + Send + '_>>`, `BoxFuture<'_, …>`"),
        );
        return;
    }
    for argument in unborrowable(draft) {
        errors.at(
            argument,
            message!("the future of `{name}` may not borrow this argument, and the wrapper's has to, to pass it to each attempt")
                .help("name one lifetime for all: `fn f<'a>(&'a self, text: &'a str) -> BoxFuture<'a, …>`, or write an `async fn`"),
        );
    }
}

/// Whether the wrapper's future could not borrow what it needs.
pub(in crate::adapter) fn is_hindered(args: &Args, draft: &Draft) -> bool {
    draft.form == Form::Boxed
        && draft.is_guarded(args)
        && ((lends(draft) && borrows_nothing(draft).is_some()) || unborrowable(draft).next().is_some())
}

/// Whether the wrapper is lent to the method. What takes an `Arc` keeps its own.
fn lends(draft: &Draft) -> bool {
    draft.taken != Taken::Arc
}

/// The return type, if it is `'static`.
fn borrows_nothing(draft: &Draft) -> Option<&Type> {
    let ReturnType::Type(_, output) = &draft.method.sig.output else {
        return None;
    };
    let Type::Path(path) = shape::plain(output) else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let free = if last.ident == "Pin" {
        shape::pinned_bounds(last)?.iter().all(|bound| match bound {
            TypeParamBound::Lifetime(lifetime) => lifetime.ident == "static",
            _ => true,
        })
    } else {
        arguments.args.iter().any(
            |argument| matches!(argument, GenericArgument::Lifetime(lifetime) if lifetime.ident == "static"),
        )
    };
    free.then_some(output)
}

/// The arguments whose lifetime is left out: beside `&self` the future's is the adapter's, never theirs; and a future that
/// borrows nothing borrows none of them.
fn unborrowable(draft: &Draft) -> impl Iterator<Item = &Type> {
    let taken = matches!(draft.taken, Taken::Shared | Taken::Mutable) || borrows_nothing(draft).is_some();
    draft
        .method
        .sig
        .inputs
        .iter()
        .filter_map(move |input| match input {
            FnArg::Typed(argument) if taken && elides_lifetimes(argument.ty.to_token_stream()) => {
                Some(&*argument.ty)
            }
            _ => None,
        })
}
