//! A hedge does the same thing twice at the same time.

use syn::Type;

use super::Draft;
use super::reads::typed;
use crate::adapter::args::{Args, Written};
use crate::adapter::shape::{self, Taken};
use crate::diagnostics::{Errors, list, message};

pub(super) fn check(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let hedged = || {
        drafts
            .iter()
            .filter(|draft| draft.is_guarded(args) && is_hedged(args, draft))
    };
    for draft in hedged() {
        mutable(args, draft, errors);
    }
    beside_retry(args, drafts, errors);
    let unmarked: Vec<&Draft> = hedged().filter(|draft| !is_marked(args, draft)).collect();
    let (own, inherited): (Vec<&Draft>, Vec<&Draft>) = unmarked
        .into_iter()
        .partition(|draft| draft.overrides("hedge").is_some());
    for draft in own {
        if let Some(hedge) = draft.overrides("hedge") {
            unsafe_to_hedge(
                &hedge.written,
                &[draft.name()],
                "put `#[idempotent]` on it if doing it twice is the same as doing it once, or remove the hedge",
                errors,
            );
        }
    }
    let names: Vec<String> = inherited.iter().map(|draft| draft.name()).collect();
    if let Some(hedge) = args.policy_named("hedge").filter(|_| !names.is_empty()) {
        unsafe_to_hedge(
            hedge,
            &names,
            "put `#[idempotent]` or `#[hedge(off)]` on each, or write `idempotent` in `#[adapter(…)]` if all may be done twice",
            errors,
        );
    }
}

/// Whether two attempts could not both have what the method takes; that was reported.
pub(in crate::adapter) fn is_exclusive(args: &Args, draft: &Draft) -> bool {
    let lent_mutably =
        |ty: &Type| matches!(shape::plain(ty), Type::Reference(lent) if lent.mutability.is_some());
    draft.is_guarded(args)
        && is_hedged(args, draft)
        && (draft.taken == Taken::Mutable || typed(draft).any(|argument| lent_mutably(&argument.ty)))
}

fn is_hedged(args: &Args, draft: &Draft) -> bool {
    draft.effective(args, "hedge").is_some()
}

fn is_marked(args: &Args, draft: &Draft) -> bool {
    if draft.helpers.non_idempotent.is_given() {
        return false;
    }
    draft.helpers.idempotent.is_given()
        || args.idempotent.is_given()
        || args.meant("idempotent")
        || draft.effective(args, "cached").is_some()
}

fn unsafe_to_hedge(hedge: &Written, names: &[String], help: &str, errors: &mut Errors) {
    errors.at(
        &hedge.key,
        message!("`hedge` sends a slow request a second time while the first is under way, and nothing says that {} may be done twice", list(names))
            .help(help),
    );
}

/// Two attempts at once cannot both have it.
fn mutable(args: &Args, draft: &Draft, errors: &mut Errors) {
    let off = if draft.overrides("hedge").is_some() {
        "remove the `hedge`"
    } else {
        "put `#[hedge(off)]` on the method"
    };
    let name = draft.name();
    if draft.taken == Taken::Mutable
        && let Some(receiver) = shape::receiver(&draft.method.sig)
        && draft.effective(args, "cached").is_none()
    {
        errors.at(
            receiver,
            message!("`{name}` takes `&mut self`, and the attempts of a `hedge` run at the same time").help(
                format_args!("take `&self`, with a lock for what has to change, or {off}"),
            ),
        );
        return;
    }
    for argument in typed(draft) {
        if matches!(shape::plain(&argument.ty), Type::Reference(lent) if lent.mutability.is_some()) {
            errors.at(
                &argument.ty,
                message!(
                    "`{name}` changes this argument, and the attempts of a `hedge` run at the same time"
                )
                .help(format_args!("let it answer with what it would write, or {off}")),
            );
        }
    }
}

/// Attempts follow each other or race each other.
fn beside_retry(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    let help = "keep `hedge` against a dependency that is now and then slow, `retry` against one that now and then fails";
    let says = |name: &str| {
        message!(
            "`hedge` and `retry` are both stated for {name}, and attempts either race or follow each other"
        )
        .help(help)
    };
    if let (Some(hedge), Some(_)) = (args.policy_named("hedge"), args.policy_named("retry")) {
        errors.at(&hedge.key, says("the impl"));
        return;
    }
    for draft in drafts.iter().filter(|draft| draft.is_guarded(args)) {
        let (Some(_), Some(_)) = (draft.effective(args, "hedge"), draft.effective(args, "retry")) else {
            continue;
        };
        // The nearer one is what the reader looks at.
        let key = draft
            .overrides("hedge")
            .or_else(|| draft.overrides("retry"))
            .map(|own| &own.written.key);
        if let Some(key) = key {
            let name = draft.name();
            errors.at(key, says(&format!("`{name}`")));
        }
    }
}
