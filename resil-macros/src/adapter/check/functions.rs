//! The rules for a function under `#[resilient]`, and what only belongs there.

use syn::Safety;

use super::{Draft, methods};
use crate::adapter::args::Args;
use crate::adapter::function;
use crate::adapter::shape::{self, Form, Taken};
use crate::diagnostics::{Errors, message};

pub(super) fn check(args: &Args, draft: &Draft, errors: &mut Errors) {
    let (sig, name) = (&draft.method.sig, draft.name());
    if draft.form != Form::AsyncFn {
        errors.at(
            &sig.ident,
            message!("`{name}` is no `async fn`, so `#[resilient]` cannot call it more than once")
                .help("write `async fn`, or remove `#[resilient]`"),
        );
    } else if function::hides_its_answer(sig) {
        errors.at(
            &sig.output,
            message!(
                "`{name}` answers with a type that has no name, and its attempts have to be told which it is"
            )
            .help("write the type"),
        );
    }
    if !matches!(draft.taken, Taken::Not | Taken::Shared)
        && let Some(receiver) = shape::receiver(sig)
    {
        errors.at(
            receiver,
            message!("`{name}` cannot lend this to one attempt after another").help("take `&self`"),
        );
    }
    if let Safety::Unsafe(word) = &sig.safety {
        errors.at(
            word,
            message!("`#[resilient]` cannot repeat an `unsafe` function")
                .help("put the part that calls out in a safe function of its own"),
        );
    }
    if let (Taken::Not, Some(key)) = (draft.taken, args.state.key()) {
        errors.at(
            key,
            message!("`{name}` is a free function, which keeps its state itself").help("remove `state`"),
        );
    }
    for (key, what) in [(args.wrapper.key(), "wrapper"), (args.vis.key(), "vis")] {
        if let Some(key) = key {
            errors.at(
                key,
                message!(
                    "`{what}` is of the wrapper that `#[adapter]` writes, and `#[resilient]` writes none"
                )
                .help(format_args!("remove `{what}`")),
            );
        }
    }
    for written in &args.policies {
        let scope = written
            .stated
            .as_ref()
            .filter(|stated| stated.says("scope", "instance"));
        if let Some(scope) = scope.and_then(|stated| stated.get("scope")) {
            errors.at(
                &scope.tokens,
                message!(
                    "`#[resilient]` is about one function, and there is no instance that others belong to"
                )
                .help("remove `scope`, or write a port and an adapter with `#[adapter]`"),
            );
        }
    }
    methods::marks(draft, errors);
    methods::own_and_policies(draft, errors);
}

/// What `#[adapter]` does not know.
pub(super) fn only_there(args: &Args, errors: &mut Errors) {
    if let Some(key) = args.state.key() {
        errors.at(
            key,
            message!("`state` is of `#[resilient]`; the wrapper of an adapter keeps its states itself")
                .help("remove `state`"),
        );
    }
}
