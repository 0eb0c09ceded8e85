//! The bodies of the wrapper's methods. Functions are named by their path: a method call could mean one of a trait that the
//! user has in scope.

mod around;
mod function;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ReturnType;
use syn::spanned::Spanned;

pub(super) use self::around::key;
pub(super) use self::function::whole as of_function;
use crate::adapter::model::{Argument, Cache, Guard, Method, Model, Retry, Treatment};
use crate::adapter::question::Question;
use crate::adapter::shape::{Form, Pass, Taken};
use crate::paths::{self, ours, respan};

pub(super) fn of(model: &Model, method: &Method) -> TokenStream {
    let mixed = Span::mixed_site();
    match &method.treatment {
        Treatment::Diverge => in_form(model, method, quote_spanned! {mixed=> loop {} }),
        Treatment::Guard(guard) => in_form(model, method, whole(model, method, guard)),
        Treatment::Delegate => {
            let passed = method.arguments.iter().map(|argument| {
                let Argument { conditions, name, .. } = argument;
                quote_spanned! {mixed=> #(#conditions)* #name }
            });
            let call = call(model, method, passed, mixed);
            // Where the impl promises more than the port, and the adapter as a port does not keep it.
            let call = match &method.sig.output {
                ReturnType::Type(_, ty) => respan(call, ty.span()),
                ReturnType::Default => call,
            };
            if let Some(question) = method.question {
                return asked(model, &call, question);
            }
            let wait = (method.form == Form::AsyncFn).then(|| quote_spanned! {mixed=> .await });
            quote_spanned! {mixed=> #call #wait }
        }
    }
}

/// The same answer, and an error where it is a future that was not seen to be one, or none though it was said to be.
fn asked(model: &Model, call: &TokenStream, question: Question) -> TokenStream {
    match question {
        Question::IsNoFuture(at) => {
            let bare = model.paths.private_at("bare", at);
            let check = quote_spanned! {at=> |answer| answer.must_be_seen() };
            quote_spanned! {Span::mixed_site()=> #bare(#call, #check) }
        }
        Question::IsFuture(at) => {
            let own = model.paths.private_at("own_future", at);
            quote_spanned! {at=> #own(#call) }
        }
    }
}

/// As what the signature promises: the future itself, or the block of an `async fn`.
fn in_form(model: &Model, method: &Method, body: TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    match method.form {
        Form::Sync | Form::AsyncFn => body,
        Form::ImplFuture => quote_spanned! {mixed=> async move { #body } },
        Form::Boxed => {
            let boxed = model.paths.private("Box");
            quote_spanned! {mixed=> #boxed::pin(async move { #body }) }
        }
    }
}

/// The whole call, from the outside in: fallback, cache, attempts.
fn whole(model: &Model, method: &Method, guard: &Guard) -> TokenStream {
    let mixed = Span::mixed_site();
    let map = guard.errors.as_ref().map(|map| {
        let phantom = paths::phantom();
        quote_spanned! {mixed=> let map = #phantom::<fn() -> #map>; }
    });
    if guard.cache.is_none() && guard.fallback.is_none() {
        return guarded(model, method, guard, map.as_ref());
    }
    let mut body = guarded(model, method, guard, None);
    if let Some(cache) = &guard.cache {
        body = around::cached(model, method, guard, cache, &body);
    }
    if let Some(fallback) = &guard.fallback {
        body = around::fallback(model, method, guard, fallback, &body);
    }
    quote_spanned! {mixed=> #map #body }
}

/// One attempt after another, each with the arguments lent anew; or attempts that race.
fn guarded(model: &Model, method: &Method, guard: &Guard, map: Option<&TokenStream>) -> TokenStream {
    let mixed = Span::mixed_site();
    if guard.hedged {
        return hedged(model, method, guard, map);
    }
    let kept = method
        .arguments
        .iter()
        .filter(|argument| argument.pass == Pass::Owned);
    let kept: TokenStream = kept.map(|argument| keep(model, argument, guard)).collect();
    let repeatable = repeatable(model, method, guard);
    let passed = method.arguments.iter().map(|argument| pass(model, argument));
    let called = call(model, method, passed, guard.answer);
    let owned = method
        .arguments
        .iter()
        .any(|argument| argument.pass == Pass::Owned);
    let last = Ident::new(if owned { "last" } else { "_last" }, mixed);
    let (new, state) = (model.paths.private("Call"), state(model, method, guard));
    // What the compiler finds wrong with the answer or its error, it says at the type of the answer.
    let (attempt, first) = around::named(model, guard, "attempt");
    let made = quote_spanned! {guard.answer=> #attempt(#first &mut call, |#last| #called) };
    let awaited = quote_spanned! {guard.answer=> attempt.await };
    let probed = guard.probe.as_ref().map(|probe| {
        let (probed, first) = around::named(model, guard, "probed");
        let asked = examination(model, method, probe);
        quote_spanned! {mixed=>
            if let ::core::option::Option::Some(refused) = #probed(#first &mut call, || #asked).await {
                return refused;
            }
        }
    });
    quote_spanned! {mixed=>
        #kept
        #map
        let mut call = #new::new(#state);
        #repeatable
        loop {
            #probed
            let attempt = #made;
            if let ::core::option::Option::Some(result) = #awaited {
                return result;
            }
        }
    }
}

fn hedged(model: &Model, method: &Method, guard: &Guard, map: Option<&TokenStream>) -> TokenStream {
    let mixed = Span::mixed_site();
    let passed = method.arguments.iter().map(|argument| {
        let Argument {
            conditions,
            name,
            pass,
            ..
        } = argument;
        let repeated = model.paths.private_at("HedgedArgument", name.span());
        let value = match pass {
            Pass::Plain | Pass::Reborrow => name.to_token_stream(),
            Pass::Owned => {
                let at = Span::mixed_site().located_at(name.span());
                quote_spanned! {at=> #repeated::again(&#name) }
            }
        };
        quote_spanned! {mixed=> #(#conditions)* #value }
    });
    let called = call(model, method, passed, guard.answer);
    let state = state(model, method, guard);
    let (race, first) = around::named(model, guard, "hedged");
    let made = quote_spanned! {guard.answer=> #race(#first #state, || #called).await };
    let probed = guard.probe.as_ref().map(|probe| {
        let (probed, first) = around::named(model, guard, "probed_race");
        let asked = examination(model, method, probe);
        quote_spanned! {mixed=>
            if let ::core::option::Option::Some(refused) = #probed(#first #state, || #asked).await {
                return refused;
            }
        }
    });
    quote_spanned! {mixed=> #map #probed #made }
}

/// The user's function that asks whether the dependency is well.
fn examination(model: &Model, method: &Method, probe: &TokenStream) -> TokenStream {
    let at = around::at(probe);
    let inner = first_argument(model, method, at);
    quote_spanned! {at=> #probe(#inner) }
}

/// Where the state of the method is found.
fn state(model: &Model, method: &Method, guard: &Guard) -> TokenStream {
    let mixed = Span::mixed_site();
    if model.function.is_some() {
        return quote_spanned! {mixed=> state };
    }
    let (this, field) = (this(method), &guard.field);
    quote_spanned! {mixed=> &#this.states.#field }
}

/// Where its cache is found.
fn slot(model: &Model, method: &Method, cache: &Cache) -> TokenStream {
    let mixed = Span::mixed_site();
    if model.function.is_some() {
        return quote_spanned! {mixed=> slot };
    }
    let (this, field) = (this(method), &cache.field);
    quote_spanned! {mixed=> &#this.states.#field }
}

/// What the user's own functions get first: the adapter, with a comma where something follows.
fn first_argument(model: &Model, method: &Method, at: Span) -> TokenStream {
    let this = this(method);
    match (&model.function, method.taken) {
        (Some(_), Taken::Not) => TokenStream::new(),
        (Some(_), _) => quote_spanned! {at=> #this, },
        // A method that changes its adapter may have a fallback that does.
        (None, Taken::Mutable) => quote_spanned! {at=> &mut #this.inner, },
        (None, _) => quote_spanned! {at=> &#this.inner, },
    }
}

/// Takes an argument that each attempt needs for itself.
fn keep(model: &Model, argument: &Argument, guard: &Guard) -> TokenStream {
    let mixed = Span::mixed_site();
    let Argument { conditions, name, .. } = argument;
    let kept = model.paths.private("Argument");
    if guard.cache.is_some() {
        // The key borrows the argument while its value is loaded.
        let at = Span::mixed_site().located_at(name.span());
        let lent = quote_spanned! {at=> &#name };
        return quote_spanned! {mixed=> #(#conditions)* let mut #name = #kept::loaded(#lent); };
    }
    match guard.retry {
        Retry::Stated => quote_spanned! {mixed=> #(#conditions)* let mut #name = #kept::cloned(#name); },
        Retry::Never => quote_spanned! {mixed=> #(#conditions)* let mut #name = #kept::once(#name); },
        Retry::Possible => {
            let detect = model.paths.private("Detect");
            quote_spanned! {mixed=>
                #(#conditions)*
                let mut #name = #kept::detected(#detect::of(&#name).detected_clone(), #name);
            }
        }
    }
}

/// Where an argument cannot be passed again, there is one attempt.
fn repeatable(model: &Model, method: &Method, guard: &Guard) -> TokenStream {
    // What is cached was cloned already.
    if guard.retry != Retry::Possible || guard.cache.is_some() {
        return TokenStream::new();
    }
    let owned = method
        .arguments
        .iter()
        .filter(|argument| argument.pass == Pass::Owned);
    let (call, kept) = (model.paths.private("Call"), model.paths.private("Argument"));
    let each = owned.map(|Argument { conditions, name, .. }| {
        quote_spanned! {Span::mixed_site()=>
            #(#conditions)*
            #call::repeatable(&mut call, #kept::is_repeatable(&#name));
        }
    });
    each.collect()
}

fn pass(model: &Model, argument: &Argument) -> TokenStream {
    let Argument {
        conditions,
        name,
        pass,
        ..
    } = argument;
    let passed = match pass {
        Pass::Plain => name.to_token_stream(),
        Pass::Reborrow => quote_spanned! {Span::mixed_site()=> &mut *#name },
        Pass::Owned => {
            let kept = model.paths.private("Argument");
            quote_spanned! {Span::mixed_site()=> #kept::pass(&mut #name, last) }
        }
    };
    quote_spanned! {Span::mixed_site()=> #(#conditions)* #passed }
}

/// `<Adapter as Port>::send(&self.inner, …)`
fn call(model: &Model, method: &Method, passed: impl Iterator<Item = TokenStream>, end: Span) -> TokenStream {
    let mixed = Span::mixed_site();
    if let Some(function) = &model.function {
        return function::attempt(model, method, function, passed);
    }
    let (adapter, port) = (&model.head.adapter, &model.head.port);
    let (name, turbofish, this) = (ours(&method.sig.ident), &method.turbofish, this(method));
    let inner = match method.taken {
        Taken::Not | Taken::Otherwise => None,
        Taken::Shared => Some(quote_spanned! {mixed=> &#this.inner }),
        Taken::Mutable => Some(quote_spanned! {mixed=> &mut #this.inner }),
        Taken::Value => Some(quote_spanned! {mixed=> #this.inner }),
        Taken::Boxed => {
            let boxed = model.paths.private("Box");
            Some(quote_spanned! {mixed=> #boxed::new(#this.inner) })
        }
        Taken::Arc => {
            let clone = paths::clone();
            Some(quote_spanned! {mixed=> #clone::clone(&#this.inner) })
        }
    };
    let arguments = inner.into_iter().chain(passed);
    let arguments = quote_spanned! {end=> (#(#arguments),*) };
    quote_spanned! {mixed=> <#adapter as #port>::#name #turbofish #arguments }
}

/// The user's own `self`, which may come from a macro by example.
pub(super) fn this(method: &Method) -> TokenStream {
    let own = method
        .receiver
        .as_ref()
        .map(|receiver| receiver.self_token.to_token_stream());
    own.unwrap_or_else(|| quote_spanned! {Span::mixed_site()=> self })
}
