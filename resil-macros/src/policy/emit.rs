//! The builder calls that state the same.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;

use super::{Number, Setting, Stated, required};
use crate::options::{Omitted, Value};
use crate::paths::{self, Paths};

impl Stated {
    /// `::resil::Retry::attempts(3).base(…)`
    pub(crate) fn tokens(&self, paths: &Paths) -> TokenStream {
        let mixed = Span::mixed_site();
        let ty = paths.public(&pascal(self.table.name));
        let constructor = self.rules().and_then(|rules| rules.constructor);
        let in_constructor: Vec<&str> = match constructor {
            Some(name) => vec![name],
            None => required(self.table).collect(),
        };
        let arguments = in_constructor.iter().map(|name| self.argument(name, paths));
        let new = Ident::new(constructor.unwrap_or("new"), mixed);
        let rest = self
            .options
            .iter()
            .filter(|option| !in_constructor.contains(&option.table.name) && !is_elsewhere(option));
        let calls = rest.map(|option| self.call(option, paths));
        quote_spanned!(mixed=> #ty::#new(#(#arguments),*) #(#calls)*)
    }

    /// `.retry(Retry::attempts(3))`, on a set of policies or what a method changes in one.
    pub(crate) fn setter(&self, paths: &Paths) -> TokenStream {
        let mixed = Span::mixed_site();
        let method = Ident::new(self.table.name, mixed);
        // A fallback has no numbers.
        let builder = (self.table.name != "fallback").then(|| self.tokens(paths));
        quote_spanned!(mixed=> .#method(#builder))
    }

    /// The constructor's argument, as given or by default.
    fn argument(&self, name: &str, paths: &Paths) -> TokenStream {
        if let Some(given) = self.get(name) {
            return value(given, paths);
        }
        let option = self.table.options.iter().find(|option| option.name == name);
        let default = option.and_then(|option| match option.default {
            Omitted::Is(default) => default.parse().ok(),
            _ => None,
        });
        default.unwrap_or_default()
    }

    /// `.base(…)`. A duration `x_ms` is `x`, or `x_time` where that is an option of its own.
    fn call(&self, option: &Setting, paths: &Paths) -> TokenStream {
        let name = option.table.name;
        let method = match (option.table.value, name.strip_suffix("_ms")) {
            (Value::Millis { .. }, Some(stem))
                if self.table.options.iter().any(|other| other.name == stem) =>
            {
                format!("{stem}_time")
            }
            (Value::Millis { .. }, Some(stem)) => stem.to_owned(),
            _ if option.number == Number::Off => format!("{name}_off"),
            _ => name.to_owned(),
        };
        let method = Ident::new(&method, Span::mixed_site());
        let value = value(option, paths);
        quote_spanned!(Span::mixed_site()=> .#method(#value))
    }
}

/// Whether an option stands in the code of the method, and not among the numbers.
fn is_elsewhere(option: &Setting) -> bool {
    option.number == Number::Code && option.table.name != "probe"
}

fn value(option: &Setting, paths: &Paths) -> TokenStream {
    let mixed = Span::mixed_site();
    match option.number {
        Number::Whole(whole) => {
            let whole = Literal::u64_unsuffixed(whole);
            if matches!(option.table.value, Value::Millis { .. }) {
                let duration = paths::duration();
                quote_spanned!(mixed=> #duration::from_millis(#whole))
            } else {
                quote_spanned!(mixed=> #whole)
            }
        }
        Number::Real(real) => {
            let real = Literal::f64_unsuffixed(real);
            quote_spanned!(mixed=> #real)
        }
        Number::Off | Number::Code => TokenStream::new(),
        Number::Word(word) => {
            let ty = paths.public(&pascal(option.table.name));
            let variant = Ident::new(&pascal(word), mixed);
            quote_spanned!(mixed=> #ty::#variant)
        }
    }
}

/// `circuit_breaker` → `CircuitBreaker`
pub(crate) fn pascal(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect()
}
