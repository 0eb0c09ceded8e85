//! What the wrapper is made of: everything resolved, nothing left to decide.

mod site;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, ImplItemType, LitStr, Pat, Receiver, Signature, Type, Visibility};

use self::site::Site;
use super::args::{Args, Kind};
use super::check::{self, Draft};
use super::generics::Head;
use super::item::{Const, Item, Member as WrittenMember};
use super::question::Question;
use super::shape::{self, Form, Pass, Taken};
use super::signature::{conditions, is_async_trait, lints};
use crate::diagnostics::{Errors, message};
use crate::paths::Paths;
use crate::policy::Stated;
use crate::shown::shown;

/// A wrapper.
pub(super) struct Model {
    /// Set for `#[resilient]`, where there is no wrapper.
    pub(super) function: Option<Function>,
    pub(super) paths: Paths,
    pub(super) head: Head,
    pub(super) wrapper: Ident,
    pub(super) states: Ident,
    pub(super) vis: TokenStream,
    /// `#[cfg]` of the impl, for all that is generated.
    pub(super) conditions: Vec<Attribute>,
    pub(super) lints: Vec<TokenStream>,
    /// It may stand in any layer, the domain too.
    pub(super) any_layer: bool,
    /// `#[async_trait]` below `#[adapter]`.
    pub(super) async_trait: Vec<Attribute>,
    pub(super) spec: Spec,
    /// A method takes `self: Arc<Self>`, so the adapter is held in an `Arc`.
    pub(super) in_arc: bool,
    pub(super) members: Vec<Member>,
}

/// A function under `#[resilient]`.
pub(super) struct Function {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    /// The arguments as the user takes them apart.
    pub(super) patterns: Vec<Pat>,
    pub(super) answer: TokenStream,
    /// In its braces.
    pub(super) body: TokenTree,
    /// The field with the state; a free function has its own.
    pub(super) field: Option<Ident>,
}

/// What is stated on the impl.
pub(super) struct Spec {
    pub(super) kind: Kind,
    pub(super) context: Option<LitStr>,
    pub(super) port: String,
    pub(super) adapter: String,
    pub(super) own: bool,
    pub(super) policies: Vec<Stated>,
}

pub(super) enum Member {
    Method(Box<Method>),
    Type(ImplItemType),
    Const(Const),
}

/// A method of the wrapper.
pub(super) struct Method {
    pub(super) conditions: Vec<Attribute>,
    pub(super) lints: Vec<TokenStream>,
    pub(super) sig: Signature,
    pub(super) form: Form,
    pub(super) receiver: Option<Receiver>,
    pub(super) taken: Taken,
    pub(super) arguments: Vec<Argument>,
    /// `::<T, N>`, or nothing.
    pub(super) turbofish: TokenStream,
    pub(super) treatment: Treatment,
    /// What is asked of the compiler about the answer.
    pub(super) question: Option<Question>,
    /// Why it goes without policies, or without a timeout.
    pub(super) reason: Option<String>,
}

/// An argument under its plain name.
pub(super) struct Argument {
    pub(super) conditions: Vec<Attribute>,
    pub(super) name: Ident,
    pub(super) pass: Pass,
    /// `&T`
    pub(super) is_reference: bool,
    /// `Option<&T>`
    pub(super) lent_option: bool,
}

/// What the wrapper does in a method.
pub(super) enum Treatment {
    /// Passes it on.
    Delegate,
    /// Calls it through its policies.
    Guard(Box<Guard>),
    /// Nothing: an error was reported, and this method must not add to it.
    Diverge,
}

pub(super) struct Guard {
    /// Without `r#`.
    pub(super) name: String,
    /// The method's state.
    pub(super) field: Ident,
    pub(super) overrides: Vec<Override>,
    /// What was said of repeating it.
    pub(super) idempotent: Option<bool>,
    pub(super) retry: Retry,
    /// Its attempts race each other.
    pub(super) hedged: bool,
    /// Asks the dependency whether it is well.
    pub(super) probe: Option<TokenStream>,
    pub(super) cache: Option<Cache>,
    pub(super) fallback: Option<Fallback>,
    /// The type with the `ErrorMap`, where the error does not speak for itself.
    pub(super) errors: Option<TokenStream>,
    /// Where the compiler says that the answer or its error cannot be worked with.
    pub(super) answer: Span,
}

/// The cache of a method.
pub(super) struct Cache {
    /// Where it stands beside the method's state.
    pub(super) field: Ident,
    /// The method that forgets one key.
    pub(super) invalidate: Ident,
    /// What makes the key; all arguments where it is left out.
    pub(super) key: Option<TokenStream>,
    /// What stamps a value with its age.
    pub(super) aged: Option<TokenStream>,
}

/// What answers in place of a failure.
pub(super) enum Fallback {
    With(TokenStream),
    Value(TokenStream),
}

pub(super) enum Override {
    Set(Stated),
    Off(&'static str),
}

/// Whether a later attempt may need the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retry {
    /// The author stated one.
    Stated,
    /// One may come from the kind, the binding or a file.
    Possible,
    Never,
}

impl Model {
    /// `None` where there can be no wrapper; that was reported.
    pub(super) fn new(args: Args, item: Item, errors: &mut Errors) -> Option<Self> {
        let head = Head::new(&item);
        let mut drafts = Vec::new();
        let mut others = Vec::new();
        // The order of the source is the order of the wrapper.
        let mut order = Vec::new();
        let Item {
            attrs,
            generics,
            port,
            adapter,
            members,
        } = item;
        for member in members {
            order.push(matches!(member, WrittenMember::Method(_)));
            match member {
                WrittenMember::Method(method) => drafts.push(Draft::new(method, errors)),
                WrittenMember::Type(alias) => others.push(Member::Type(alias)),
                WrittenMember::Const(constant) => others.push(Member::Const(constant)),
            }
        }
        let item = Item {
            attrs,
            generics,
            port,
            adapter,
            members: Vec::new(),
        };
        check::all(&args, &item, &drafts, errors);
        let (wrapper, adapter_name) = names(&args, &item.adapter, errors)?;

        let paths = Paths::new(args.krate.get());
        let several = check::several_async(&drafts);
        let some = drafts.iter().any(Draft::is_async);
        let in_arc = check::in_arc(&drafts);
        let site = Site {
            args: &args,
            head: &head,
            some,
            several,
            names: drafts
                .iter()
                .map(|draft| draft.method.sig.ident.unraw().to_string())
                .collect(),
            in_arc,
        };
        let mut methods = drafts
            .into_iter()
            .map(|draft| Member::Method(Box::new(site.method(draft))));
        let mut others = others.into_iter();
        let members = order
            .into_iter()
            .filter_map(|method| if method { methods.next() } else { others.next() })
            .collect();

        Some(Self {
            function: None,
            states: Ident::new(&format!("{}States", wrapper.unraw()), wrapper.span()),
            vis: args
                .vis
                .get()
                .map_or_else(|| quote::quote!(pub), ToTokens::to_token_stream),
            conditions: conditions(&item.attrs),
            lints: lints(&item.attrs),
            any_layer: args.allows("layer") || args.meant("allow"),
            async_trait: item
                .attrs
                .iter()
                .filter(|attribute| is_async_trait(attribute))
                .cloned()
                .collect(),
            spec: Spec {
                kind: check::kind_of(&args),
                context: args.context.get().cloned(),
                port: item
                    .port
                    .segments
                    .last()
                    .map_or_else(String::new, |last| last.ident.unraw().to_string()),
                adapter: args.name.get().map_or(adapter_name, LitStr::value),
                own: args.own.is_given(),
                policies: args.stated(),
            },
            paths,
            head,
            wrapper,
            in_arc,
            members,
        })
    }

    /// What the wrapper holds.
    pub(super) fn held(&self) -> TokenStream {
        let adapter = &self.head.adapter;
        if self.in_arc {
            let arc = self.paths.private("Arc");
            return quote::quote_spanned!(Span::mixed_site()=> #arc<#adapter>);
        }
        adapter.clone()
    }

    /// A function that has no wrapper.
    pub(super) fn of_function(args: Args, head: Head, draft: Draft, function: Function) -> Self {
        let name = draft.method.sig.ident.unraw().to_string();
        let site = Site {
            args: &args,
            head: &head,
            some: true,
            several: false,
            names: BTreeSet::new(),
            in_arc: false,
        };
        let treatment = Treatment::Guard(Box::new(site.guard(&draft)));
        let paths = Paths::new(args.krate.get());
        let method = Site::resolved(draft, treatment, None, None);
        Self {
            function: Some(function),
            states: Ident::new("States", Span::mixed_site()),
            wrapper: Ident::new("Wrapper", Span::mixed_site()),
            vis: TokenStream::new(),
            conditions: Vec::new(),
            lints: Vec::new(),
            any_layer: args.allows("layer") || args.meant("allow"),
            async_trait: Vec::new(),
            in_arc: false,
            spec: Spec {
                kind: check::kind_of(&args),
                context: args.context.get().cloned(),
                port: String::new(),
                adapter: args.name.get().map_or(name, LitStr::value),
                own: args.own.is_given(),
                policies: args.stated(),
            },
            paths,
            head,
            members: vec![Member::Method(Box::new(method))],
        }
    }

    pub(super) fn methods(&self) -> impl Iterator<Item = &Method> {
        self.members.iter().filter_map(|member| match member {
            Member::Method(method) => Some(&**method),
            _ => None,
        })
    }

    /// The methods that have a state.
    pub(super) fn guarded(&self) -> impl Iterator<Item = (&Method, &Guard)> {
        self.methods().filter_map(|method| match &method.treatment {
            Treatment::Guard(guard) => Some((method, &**guard)),
            _ => None,
        })
    }

    /// Whether a method has this policy by what the code states, on it or on the impl.
    pub(super) fn has_policy(&self, guard: &Guard, policy: &str) -> bool {
        let own = guard.overrides.iter().find_map(|own| match own {
            Override::Set(stated) => (stated.table.name == policy).then_some(true),
            Override::Off(name) => (*name == policy).then_some(false),
        });
        own.unwrap_or_else(|| {
            self.spec
                .policies
                .iter()
                .any(|stated| stated.table.name == policy)
        })
    }
}

impl Method {
    /// Without `r#`.
    pub(super) fn name(&self) -> String {
        self.sig.ident.unraw().to_string()
    }
}

/// The name of the wrapper, and the adapter's name for operators.
fn names(args: &Args, adapter: &Type, errors: &mut Errors) -> Option<(Ident, String)> {
    let of_type = match shape::plain(adapter) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    };
    if let Some(wrapper) = args.wrapper.get() {
        let name = of_type.map_or_else(
            || wrapper.unraw().to_string(),
            |last| last.ident.unraw().to_string(),
        );
        return Some((wrapper.clone(), name));
    }
    let Some(last) = of_type else {
        if !args.wrapper.is_given() && !args.meant("wrapper") {
            errors.at(
                adapter,
                message!("the wrapper of `{}` needs a name", shown(adapter))
                    .help("add `wrapper = CheckedSms`; by default it is named after the type where that is a plain path"),
            );
        }
        return None;
    };
    let name = last.ident.unraw().to_string();
    // Named by the user's tokens, seen where the attribute stands.
    let wrapper = Ident::new(
        &format!("Resilient{name}"),
        Span::call_site().located_at(last.ident.span()),
    );
    Some((wrapper, name))
}
