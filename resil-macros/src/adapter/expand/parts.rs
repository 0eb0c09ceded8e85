//! The wrapper itself: its fields, how it is made, and the traits that every wrapper has.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::doc;
use crate::adapter::generics::clause;
use crate::adapter::model::Model;
use crate::paths::{self, respan};

/// The wrapper and its states.
pub(super) fn structs(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let Model {
        conditions,
        vis,
        wrapper,
        states,
        head,
        ..
    } = model;
    let (params, held) = (&head.params, model.held());
    let bounds = clause(head.predicates.iter().map(ToTokens::to_token_stream));
    let (arc, state, debug) = (
        model.paths.private("Arc"),
        model.paths.private("MethodState"),
        paths::debug(),
    );
    let phantom = head
        .phantom
        .as_ref()
        .map(|phantom| quote_spanned! {mixed=> marker: #phantom, });
    let fields = model.guarded().map(|(method, guard)| {
        let (conditions, field) = (&method.conditions, &guard.field);
        let cache = guard.cache.as_ref().map(|cache| {
            let (field, slot) = (&cache.field, model.paths.private("CacheSlot"));
            quote_spanned! {mixed=> #(#conditions)* #field: #slot, }
        });
        quote_spanned! {mixed=> #(#conditions)* #field: #state, #cache }
    });
    let about = format!(
        " `{}` behind its policies: an adapter for the port `{}` whose calls are protected.",
        model.spec.adapter, model.spec.port
    );
    let about_states =
        format!(" What the methods of [`{wrapper}`] keep between calls: circuits, bulkheads, budgets.");
    let (table, unusual) = (doc::table(model), unusual_names(model));
    // Of two wrappers with one name rustc speaks here: on the type that the second one is named after.
    let at = wrapper.span();
    let vis = respan(vis.clone(), at);
    let wrapper_struct = quote_spanned! {at=> #vis struct #wrapper };
    let states_struct = quote_spanned! {at=> #vis struct #states };
    quote_spanned! {mixed=>
        #(#conditions)*
        #[doc = #about]
        #table
        #wrapper_struct #params #bounds {
            inner: #held,
            states: #arc<#states>,
            #phantom
        }

        #(#conditions)*
        #[doc = #about_states]
        #unusual
        #[derive(#debug)]
        #states_struct {
            #(#fields)*
        }
    }
}

/// A port may name its methods as it likes; the fields that are named after them must not be warned of.
fn unusual_names(model: &Model) -> Option<TokenStream> {
    let unusual = model
        .guarded()
        .any(|(_, guard)| guard.name.chars().any(char::is_uppercase));
    unusual.then(|| {
        quote_spanned! {Span::mixed_site()=> #[allow(non_snake_case, reason = "the fields have the names of the port's methods")] }
    })
}

/// `new`, `with_policies`, `states`, `sharing`.
pub(super) fn constructors(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let Model {
        conditions,
        vis,
        wrapper,
        states,
        head,
        paths,
        ..
    } = model;
    let (params, args, adapter) = (&head.params, &head.args, &head.adapter);
    let bounds = clause(head.predicates.iter().map(ToTokens::to_token_stream));
    let (arc, stated) = (paths.private("Arc"), paths.private("Stated"));
    let (policies, error) = (paths.public("Policies"), paths.public("PoliciesError"));
    let (result, phantom_data, clone) = (paths::result(), paths::phantom(), paths::clone());
    let marker = head
        .phantom
        .as_ref()
        .map(|_| quote_spanned! {mixed=> marker: #phantom_data, });
    let inner = if model.in_arc {
        quote_spanned! {mixed=> inner: #arc::new(inner) }
    } else {
        quote_spanned! {mixed=> inner }
    };
    quote_spanned! {mixed=>
        #(#conditions)*
        #[automatically_derived]
        impl #params #wrapper #args #bounds {
            /// The adapter behind the policies that its code states, with circuits of its own.
            #[must_use]
            #vis fn new(inner: #adapter) -> Self {
                Self { #inner, states: <#states as #stated>::of_code(), #marker }
            }

            /// The adapter behind `policies`, in place of those on its impl or of its kind. What its methods state themselves
            /// stays. Without a timeout among them a call may wait for ever.
            ///
            /// # Errors
            ///
            /// A number outside its limits, or two that contradict.
            #vis fn with_policies(inner: #adapter, policies: #policies) -> #result<Self, #error> {
                let states = <#states as #stated>::of_binding(policies)?;
                #result::Ok(Self { #inner, states, #marker })
            }

            /// States for [`sharing`](Self::sharing), so that adapters which live for one request have their circuits in
            /// common.
            #[must_use]
            #vis fn states() -> #arc<#states> {
                <#states as #stated>::of_code()
            }

            /// The adapter behind its policies, with the circuits of all that share `states`.
            #[must_use]
            #vis fn sharing(states: &#arc<#states>, inner: #adapter) -> Self {
                Self { #inner, states: #clone::clone(states), #marker }
            }
        }
    }
}

/// `Clone`, `Debug`, `Protected`, `Holds`.
pub(super) fn traits(model: &Model) -> TokenStream {
    let (clone, debug) = (clone(model), debug(model));
    let mixed = Span::mixed_site();
    let Model {
        conditions,
        wrapper,
        head,
        paths,
        ..
    } = model;
    let (params, args, held) = (&head.params, &head.args, model.held());
    let bounds = clause(head.predicates.iter().map(ToTokens::to_token_stream));
    let (protected, holds) = (paths.public("Protected"), paths.private("Holds"));
    let (arc, states, own_states) = (paths.private("Arc"), paths.private("States"), &model.states);
    let clone_ = paths::clone();
    quote_spanned! {mixed=>
        #clone
        #debug

        #(#conditions)*
        #[automatically_derived]
        impl #params #protected for #wrapper #args #bounds {
            fn __states(&self) -> #arc<dyn #states> {
                let states: #arc<#own_states> = #clone_::clone(&self.states);
                states
            }
        }

        #(#conditions)*
        #[automatically_derived]
        impl #params #holds<#held> for #wrapper #args #bounds {
            fn held(&self) -> &#held {
                &self.inner
            }

            fn into_held(self) -> #held {
                self.inner
            }
        }
    }
}

fn clone(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let Model {
        conditions,
        wrapper,
        head,
        paths,
        ..
    } = model;
    let (params, args) = (&head.params, &head.args);
    let (clone, if_clone) = (paths::clone(), paths.private("IfClone"));
    // An `Arc` is `Clone` whatever it holds.
    let (bounds, inner) = if model.in_arc {
        let bounds = clause(head.predicates.iter().map(ToTokens::to_token_stream));
        (bounds, quote_spanned! {mixed=> #clone::clone(&self.inner) })
    } else {
        let inner = quote_spanned! {mixed=> #if_clone::clone_adapter(&self.inner) };
        (conditional(model, &if_clone), inner)
    };
    let phantom_data = paths::phantom();
    let marker = head
        .phantom
        .as_ref()
        .map(|_| quote_spanned! {mixed=> marker: #phantom_data, });
    quote_spanned! {mixed=>
        #(#conditions)*
        #[automatically_derived]
        impl #params #clone for #wrapper #args #bounds {
            fn clone(&self) -> Self {
                Self {
                    inner: #inner,
                    states: #clone::clone(&self.states),
                    #marker
                }
            }
        }
    }
}

fn debug(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let Model {
        conditions,
        wrapper,
        head,
        paths,
        ..
    } = model;
    let (params, args, name) = (&head.params, &head.args, wrapper.to_string());
    let (debug, if_debug) = (paths::debug(), paths.private("IfDebug"));
    let (formatter, result) = (paths::formatter(), paths::fmt_result());
    let bounds = conditional(model, &if_debug);
    let inner = if model.in_arc {
        quote_spanned! {mixed=> &*self.inner }
    } else {
        quote_spanned! {mixed=> &self.inner }
    };
    quote_spanned! {mixed=>
        #(#conditions)*
        #[automatically_derived]
        impl #params #debug for #wrapper #args #bounds {
            fn fmt(&self, f: &mut #formatter<'_>) -> #result {
                #if_debug::debug_wrapper(#inner, #name, f)
            }
        }
    }
}

/// The wrapper's predicates, and that its adapter has `bound`.
fn conditional(model: &Model, bound: &TokenStream) -> TokenStream {
    let adapter = &model.head.adapter;
    let has = quote_spanned! {Span::mixed_site()=> for<'resil> #adapter: #bound<'resil> };
    clause(
        model
            .head
            .predicates
            .iter()
            .map(ToTokens::to_token_stream)
            .chain([has]),
    )
}
