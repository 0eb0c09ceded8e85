//! The rules that concern one method alone.

use syn::{FnArg, ReturnType, Safety};

use super::Draft;
use crate::adapter::args::Args;
use crate::adapter::shape::{self, Taken};
use crate::diagnostics::{Errors, list, message};
use crate::shown::shown;

pub(super) fn check(args: &Args, draft: &Draft, errors: &mut Errors) {
    not_async(draft, errors);
    marks(draft, errors);
    own_and_policies(draft, errors);
    scope(args, draft, errors);
    safety(draft, errors);
    receiver(args, draft, errors);
    bare_self(draft, errors);
}

fn not_async(draft: &Draft, errors: &mut Errors) {
    if draft.is_async() {
        return;
    }
    let mut keys = draft.helpers.keys();
    if let (Some(own), Some(_)) = (
        draft.helpers.own.key(),
        shape::may_hide_a_future(&draft.method.sig),
    ) {
        // For a future under another name.
        keys.retain(|key| *key != own);
    }
    let Some(first) = keys.first() else { return };
    let name = draft.name();
    errors.at(
        first,
        message!("`{name}` is not async, so {} cannot apply to it", list(&keys))
            .help("remove it, or make the method async: what blocks can neither be timed out nor repeated")
            .note("a future is seen as `async fn`, `-> impl Future<…>`, `-> Pin<Box<dyn Future<…>>>`, `BoxFuture` or `LocalBoxFuture`"),
    );
}

fn marks(draft: &Draft, errors: &mut Errors) {
    if draft.helpers.idempotent.is_given()
        && let Some(not) = draft.helpers.non_idempotent.key()
    {
        errors.at(
            not,
            message!(
                "`{}` is marked both `idempotent` and `non_idempotent`",
                draft.name()
            )
            .help("keep `#[idempotent]` only if doing it twice is the same as doing it once"),
        );
    }
}

fn own_and_policies(draft: &Draft, errors: &mut Errors) {
    if let (Some(own), Some(policy)) = (draft.helpers.own.key(), draft.helpers.stated().next()) {
        let policy = policy.written.name;
        errors.at(
            own,
            message!(
                "`own` says that `{}` goes without policies, and `{policy}` is stated beside it",
                draft.name()
            )
            .help(format_args!("keep `#[own(reason = \"…\")]` or `#[{policy}(…)]`")),
        );
    }
}

/// One circuit or bulkhead of the whole instance is nothing that a method could have differently.
fn scope(args: &Args, draft: &Draft, errors: &mut Errors) {
    for policy in draft.helpers.stated() {
        let name = policy.written.name;
        let own_scope = policy
            .written
            .stated
            .as_ref()
            .filter(|stated| stated.says("scope", "instance"));
        if let Some(scope) = own_scope.and_then(|stated| stated.get("scope")) {
            errors.at(
                &scope.tokens,
                message!("one `{name}` for the whole instance cannot be stated on one of its methods").help(
                    format_args!("state it in `#[adapter({name}(…, scope = \"instance\"))]`"),
                ),
            );
            continue;
        }
        let on_impl = args
            .policy_named(name)
            .and_then(|written| written.stated.as_ref());
        if on_impl.is_some_and(|stated| stated.says("scope", "instance")) {
            errors.at(
                &policy.written.key,
                message!("`{name}` is one for the whole instance here, so a method cannot have its own")
                    .help(format_args!(
                        "remove it here, or remove `scope = \"instance\"` in `#[adapter({name}(…))]`"
                    )),
            );
        }
    }
}

fn safety(draft: &Draft, errors: &mut Errors) {
    if let Safety::Unsafe(word) = &draft.method.sig.safety {
        errors.at(
            word,
            message!("`#[adapter]` cannot wrap an `unsafe` method, since the wrapper would have to contain `unsafe` code")
                .help("move it to a trait of its own, which only the adapter implements"),
        );
    }
}

/// Whether the wrapper can pass itself on as the method takes it.
pub(in crate::adapter) fn can_pass(args: &Args, draft: &Draft) -> bool {
    if draft.is_guarded(args) {
        matches!(draft.taken, Taken::Shared | Taken::Mutable | Taken::Arc)
    } else {
        draft.taken != Taken::Otherwise
    }
}

fn receiver(args: &Args, draft: &Draft, errors: &mut Errors) {
    if can_pass(args, draft) {
        return;
    }
    let (sig, name) = (&draft.method.sig, draft.name());
    let exempt = if draft.is_guarded(args) {
        ", or put `#[own(reason = \"…\")]` on the method"
    } else {
        ""
    };
    match shape::receiver(sig) {
        None => errors.at(
            &sig.ident,
            message!("`{name}` is async and takes no `self`, so the wrapper has no state to protect it with")
                .help("take `&self`, or put `#[own(reason = \"…\")]` on the method"),
        ),
        Some(receiver) => {
            let shown = shown(receiver);
            let exempt = if draft.taken == Taken::Otherwise {
                ""
            } else {
                exempt
            };
            errors.at(
                receiver,
                message!("`{shown}` cannot work on a wrapped method: the wrapper holds the adapter itself, and lends it to one attempt after another")
                    .help(format_args!("take `&self`, `&mut self` or `self: Arc<Self>`{exempt}")),
            );
        }
    }
}

/// Whether the wrapper holds its adapter in an `Arc`, since a method takes it so.
pub(in crate::adapter) fn in_arc(drafts: &[Draft]) -> bool {
    drafts.iter().any(|draft| draft.taken == Taken::Arc)
}

/// Whether the method takes what an `Arc` does not give.
pub(in crate::adapter) fn takes_all(draft: &Draft) -> bool {
    matches!(draft.taken, Taken::Mutable | Taken::Value | Taken::Boxed)
}

/// Nothing that needs the adapter for itself stands beside `self: Arc<Self>`.
pub(super) fn beside_arc(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let Some(shared) = drafts.iter().find(|draft| draft.taken == Taken::Arc) else {
        return;
    };
    let exclusive: Vec<&Draft> = drafts
        .iter()
        .filter(|draft| takes_all(draft) && can_pass(args, draft))
        .collect();
    let Some(receiver) = exclusive
        .first()
        .and_then(|draft| shape::receiver(&draft.method.sig))
    else {
        return;
    };
    let names: Vec<String> = exclusive.iter().map(|draft| draft.name()).collect();
    errors.at(
        receiver,
        message!(
            "`{}` takes `self: Arc<Self>`, so the wrapper holds its adapter in an `Arc`, and {} cannot have it for itself",
            shared.name(),
            list(&names)
        )
        .help(format_args!("take `&self` or `self: Arc<Self>` in {} too, with a lock around what changes", list(&names))),
    );
}

/// `Self` is another type on the wrapper.
pub(in crate::adapter) fn find_bare_self(draft: &Draft) -> Option<proc_macro2::TokenTree> {
    let sig = &draft.method.sig;
    let arguments = sig.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => shape::bare_self(&argument.ty),
        FnArg::Receiver(_) => None,
    });
    let output = match &sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => shape::bare_self(ty),
    };
    arguments.chain(output).next()
}

fn bare_self(draft: &Draft, errors: &mut Errors) {
    if let Some(word) = find_bare_self(draft) {
        errors.at_span(
            word.span(),
            message!("`Self` in the signature of `{}` would be the adapter here, and the wrapper there", draft.name())
                .help("name a type of the port's, such as an associated type, or move the method to a trait of its own"),
        );
    }
}
