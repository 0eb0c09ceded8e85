//! Whether an answer is a future is more than a macro sees: what the compiler is asked about it.

use proc_macro2::Span;

use super::args::Args;
use super::check::Draft;
use super::shape;
use super::signature::shown_at;

/// Where the answer to it is an error, that is said at the span.
#[derive(Clone, Copy)]
pub(super) enum Question {
    /// It must be none: nobody said that the method goes without policies.
    IsNoFuture(Span),
    /// It must be one: somebody did.
    IsFuture(Span),
}

impl Question {
    /// None where the form of the method says it all.
    pub(super) fn of(args: &Args, draft: &Draft) -> Option<Self> {
        let answer = shape::may_hide_a_future(&draft.method.sig)?;
        if draft.helpers.own.is_given() {
            Some(Self::IsFuture(shown_at(answer)))
        } else if args.own.is_given() || !draft.helpers.keys().is_empty() {
            // Nothing here has policies, or an error was reported.
            None
        } else {
            Some(Self::IsNoFuture(shown_at(answer)))
        }
    }
}
