//! The wrapper's impl of the port.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ImplItemType;

use super::body;
use crate::adapter::generics::mentioned;
use crate::adapter::item::Const;
use crate::adapter::model::{Member, Method, Model};

pub(super) fn implementation(model: &Model) -> TokenStream {
    let Model {
        conditions,
        lints,
        async_trait,
        wrapper,
        head,
        ..
    } = model;
    let (params, port, args, bounds) = (&head.impl_params, &head.port, &head.args, &head.impl_where);
    let members = model.members.iter().map(|member| match member {
        Member::Method(method) => self::method(model, method),
        Member::Type(alias) => self::alias(model, alias),
        Member::Const(constant) => self::constant(model, constant),
    });
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        #(#async_trait)*
        #(#lints)*
        #[automatically_derived]
        impl #params #port for #wrapper #args #bounds {
            #(#members)*
        }
    }
}

fn method(model: &Model, method: &Method) -> TokenStream {
    let Method {
        conditions,
        lints,
        sig,
        ..
    } = method;
    let body = body::of(model, method);
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        #(#lints)*
        #sig { #body }
    }
}

/// `type Out<'a> = Written<'a>;`, since a way through the adapter would make a private one public. Only where the type is
/// written in terms of `Self`: `type Out<'a> = <Adapter as Port>::Out<'a>;`
fn alias(model: &Model, alias: &ImplItemType) -> TokenStream {
    let (adapter, port) = (&model.head.adapter, &model.head.port);
    let (ident, generics) = (&alias.ident, &alias.generics);
    let (_, args, bounds) = generics.split_for_impl();
    let params = generics.lt_token.map(|_| {
        let params = &generics.params;
        quote_spanned! {Span::mixed_site()=> <#params> }
    });
    let conditions = conditions(&alias.attrs);
    let ty = alias.ty.to_token_stream();
    let ty = if mentioned(ty.clone()).contains("Self") {
        quote_spanned! {Span::mixed_site()=> <#adapter as #port>::#ident #args }
    } else {
        ty
    };
    quote_spanned! {Span::mixed_site()=>
        #conditions
        type #ident #params = #ty #bounds;
    }
}

fn constant(model: &Model, constant: &Const) -> TokenStream {
    let (adapter, port) = (&model.head.adapter, &model.head.port);
    let Const { attrs, ident, ty } = constant;
    let conditions = conditions(attrs);
    quote_spanned! {Span::mixed_site()=>
        #conditions
        const #ident: #ty = <#adapter as #port>::#ident;
    }
}

fn conditions(attributes: &[syn::Attribute]) -> TokenStream {
    let conditions = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr"));
    conditions.map(ToTokens::to_token_stream).collect()
}
