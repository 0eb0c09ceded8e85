//! What does harm before the own store of aggregates, unless somebody decided otherwise and says why.

use super::{Draft, kind_of};
use crate::adapter::args::{Args, Kind};
use crate::diagnostics::{Errors, message};

struct Harm {
    policy: &'static str,
    why: &'static str,
    instead: &'static str,
}

const HARMS: &[Harm] = &[
    Harm {
        policy: "retry",
        why: "repeats one statement of a transaction that has already failed as a whole",
        instead: "repeat the whole use case",
    },
    Harm {
        policy: "cached",
        why: "would hand out what others have changed since, and it would be stored over their changes",
        instead: "cache a read model behind a port of its own",
    },
    Harm {
        policy: "hedge",
        why: "sends each slow statement twice, to the one store that is slow under its load",
        instead: "find out why the statement is slow",
    },
];

pub(super) fn check(args: &Args, drafts: &[Draft], errors: &mut Errors) {
    if kind_of(args) != Kind::Repository || args.meant("allow") {
        return;
    }
    for Harm { policy, why, instead } in HARMS {
        if args.allows(policy) {
            continue;
        }
        let on_methods = drafts
            .iter()
            .filter_map(|draft| draft.overrides(policy))
            .filter(|stated| !stated.off)
            .map(|stated| &stated.written);
        for stated in args.policy_named(policy).into_iter().chain(on_methods) {
            errors.at(
                &stated.key,
                message!("`{policy}` on a repository {why}").help(format_args!(
                    "remove it and {instead}, or record the decision: `allow({policy}, reason = \"…\")`"
                )),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;
    use crate::adapter::args::Written;

    /// What is said of an adapter that states `policy`, whose options are not looked into.
    fn said(args: proc_macro2::TokenStream, policy: &'static str) -> Vec<String> {
        let mut errors = Errors::default();
        let mut args = Args::read("adapter", args, &mut errors);
        args.policies.push(Written {
            name: policy,
            key: proc_macro2::Ident::new(policy, proc_macro2::Span::call_site()),
            stated: None,
        });
        check(&args, &[], &mut errors);
        errors.messages()
    }

    #[test]
    fn what_does_harm_needs_a_decision() {
        for policy in ["retry", "cached", "hedge"] {
            let message = said(quote!(kind = "repository"), policy);
            assert_eq!(message.len(), 1, "{message:?}");
            assert!(
                message[0].starts_with(&format!("`{policy}` on a repository ")),
                "{message:?}"
            );
            assert!(
                message[0].ends_with(&format!("`allow({policy}, reason = \"…\")`")),
                "{message:?}"
            );
        }
    }

    #[test]
    fn each_decision_is_for_what_it_names() {
        let none: [&str; 0] = [];
        for policy in ["retry", "cached", "hedge"] {
            let allowed = quote!(kind = "repository", allow(cached, hedge, retry, reason = "x"));
            assert_eq!(said(allowed, policy), none);
            let layer = quote!(kind = "repository", allow(layer, reason = "x"));
            assert_eq!(said(layer, policy).len(), 1);
            assert_eq!(said(quote!(kind = "external"), policy), none);
            assert_eq!(said(quote!(kind = "gateway"), policy), none);
        }
        let other = quote!(
            kind = "repository",
            allow(retry, reason = "x"),
            allow(hedge, reason = "y")
        );
        assert_eq!(said(other.clone(), "cached").len(), 1);
        assert_eq!(said(other.clone(), "retry"), none);
        assert_eq!(said(other, "hedge"), none);
        assert_eq!(said(quote!(kind = "repository"), "timeout"), none);
    }
}
