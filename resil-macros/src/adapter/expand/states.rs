//! What the methods keep between calls, and what is known of them at compile time.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::adapter::model::{Guard, Model, Override};
use crate::paths;

/// The inherent impl and `States`.
pub(super) fn impls(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let (conditions, states) = (&model.conditions, &model.states);
    let (made, found, names) = (made(model), found(model), names(model));
    let caches = caches(model);
    let adapter = adapter_spec(model);
    let (adapter_spec, arc) = (model.paths.private("AdapterSpec"), model.paths.private("Arc"));
    let (instance, trait_) = (model.paths.private("Instance"), model.paths.private("States"));
    let (option, state) = (paths::option(), model.paths.private("MethodState"));
    let trait_with_spec = model.paths.private("Stated");
    let stateless = model.guarded().next().is_none();
    let given = Ident::new(if stateless { "_instance" } else { "instance" }, mixed);
    let name = Ident::new(if stateless { "_name" } else { "name" }, mixed);
    quote_spanned! {mixed=>
        #(#conditions)*
        #[automatically_derived]
        impl #trait_with_spec for #states {
            const ADAPTER: &'static #adapter_spec = &#adapter;

            fn build(#given: &#instance) -> #arc<Self> {
                #arc::new(Self { #made })
            }
        }

        #(#conditions)*
        #[automatically_derived]
        impl #trait_ for #states {
            fn method(&self, #name: &str) -> #option<&#state> {
                #found
            }

            fn names(&self) -> &'static [&'static str] {
                &[#names]
            }

            #caches
        }
    }
}

/// `send: instance.method(const { &MethodSpec::new(…) }),`
fn made(model: &Model) -> TokenStream {
    let fields = model.guarded().map(|(method, guard)| {
        let (conditions, field) = (&method.conditions, &guard.field);
        let spec = method_spec(model, guard);
        let cache = guard.cache.as_ref().map(|cache| {
            let (field, slot) = (&cache.field, model.paths.private("CacheSlot"));
            quote_spanned! {Span::mixed_site()=> #(#conditions)* #field: #slot::new(), }
        });
        quote_spanned! {Span::mixed_site()=>
            #(#conditions)* #field: instance.method(const { &#spec }),
            #cache
        }
    });
    fields.collect()
}

fn found(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let option = paths::option();
    let arms: Vec<TokenStream> = model
        .guarded()
        .map(|(method, guard)| {
            let (conditions, field, name) = (&method.conditions, &guard.field, &guard.name);
            quote_spanned! {mixed=> #(#conditions)* #name => #option::Some(&self.#field), }
        })
        .collect();
    if arms.is_empty() {
        return quote_spanned! {mixed=> #option::None };
    }
    quote_spanned! {mixed=>
        match name {
            #(#arms)*
            _ => #option::None,
        }
    }
}

/// `States::cache`, where there is one.
fn caches(model: &Model) -> Option<TokenStream> {
    let mixed = Span::mixed_site();
    let (option, slot) = (paths::option(), model.paths.private("CacheSlot"));
    let arms: Vec<TokenStream> = model
        .guarded()
        .filter_map(|(method, guard)| {
            let field = &guard.cache.as_ref()?.field;
            let (conditions, name) = (&method.conditions, &guard.name);
            Some(quote_spanned! {mixed=> #(#conditions)* #name => #option::Some(&self.#field), })
        })
        .collect();
    (!arms.is_empty()).then(|| {
        quote_spanned! {mixed=>
            fn cache(&self, name: &str) -> #option<&#slot> {
                match name {
                    #(#arms)*
                    _ => #option::None,
                }
            }
        }
    })
}

fn names(model: &Model) -> TokenStream {
    let names = model.guarded().map(|(method, guard)| {
        let (conditions, name) = (&method.conditions, &guard.name);
        quote_spanned! {Span::mixed_site()=> #(#conditions)* #name, }
    });
    names.collect()
}

fn adapter_spec(model: &Model) -> TokenStream {
    let mixed = Span::mixed_site();
    let spec = &model.spec;
    let new = model.paths.private("AdapterSpec");
    let context = spec.context.as_ref().map_or_else(
        || {
            let context = model.paths.private("context");
            quote_spanned! {mixed=> #context(::core::option_env!("CARGO_PKG_NAME"), ::core::module_path!()) }
        },
        ToTokens::to_token_stream,
    );
    let (port, adapter) = (&spec.port, &spec.adapter);
    let (kind, variant) = (model.paths.public("Kind"), Ident::new(spec.kind.variant(), mixed));
    let stated = if spec.own {
        quote_spanned! {mixed=> .own() }
    } else if spec.policies.is_empty() {
        TokenStream::new()
    } else {
        let policies = model.paths.public("Policies");
        let each = spec.policies.iter().map(|policy| policy.setter(&model.paths));
        quote_spanned! {mixed=> .policies(#policies::new() #(#each)*) }
    };
    quote_spanned! {mixed=> #new::new(#context, #port, #adapter, #kind::#variant) #stated }
}

fn method_spec(model: &Model, guard: &Guard) -> TokenStream {
    let mixed = Span::mixed_site();
    let (new, name) = (model.paths.private("MethodSpec"), &guard.name);
    let overrides = (!guard.overrides.is_empty()).then(|| {
        let overrides = model.paths.private("Overrides");
        let each = guard.overrides.iter().map(|policy| match policy {
            Override::Set(stated) => stated.setter(&model.paths),
            Override::Off(name) => {
                let method = Ident::new(&format!("{name}_off"), mixed);
                quote_spanned! {mixed=> .#method() }
            }
        });
        quote_spanned! {mixed=> .overrides(#overrides::new() #(#each)*) }
    });
    let mark = guard.idempotent.map(|idempotent| {
        let mark = Ident::new(
            if idempotent {
                "idempotent"
            } else {
                "non_idempotent"
            },
            mixed,
        );
        quote_spanned! {mixed=> .#mark() }
    });
    quote_spanned! {mixed=> #new::new(Self::ADAPTER, #name) #overrides #mark }
}
