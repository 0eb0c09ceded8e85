//! The attributes that belong on methods inside an `#[adapter]` impl, where they stand elsewhere. Inside, `#[adapter]` reads them and
//! takes them out before they could expand; that they are items too gives them a place for their documentation.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::adapter::helpers;
use crate::diagnostics::{Errors, message};
use crate::grammar::is_punct;

/// What the attribute was put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Function,
    Method,
    /// Without a body, so in a trait.
    Declaration,
    Impl,
    Other,
}

/// The item as it was, and why the attribute `name` does nothing here. Others of its kind on the same item have the same cause, so
/// they go without a word.
pub(crate) fn helper(name: &str, args: &TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let found = Found::of(item.clone());
    let says = message!(
        "`#[{name}]` belongs on a method inside an `#[adapter]` impl, found {}",
        found.shown()
    );
    errors.at_span(Span::call_site(), says.help(found.instead(name, args)));
    let mut output = helpers::without_attributes(item);
    errors.into_tokens().to_tokens(&mut output);
    output
}

impl Found {
    fn of(item: TokenStream) -> Self {
        let ends_without_body = item
            .clone()
            .into_iter()
            .last()
            .is_some_and(|last| is_punct(&last, ';'));
        let mut tokens = item.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let TokenTree::Ident(word) = token else {
                continue;
            };
            match word.to_string().as_str() {
                "fn" => {
                    let takes_self = tokens.any(|token| takes_self(&token));
                    return match (ends_without_body, takes_self) {
                        (true, _) => Self::Declaration,
                        (false, true) => Self::Method,
                        (false, false) => Self::Function,
                    };
                }
                "impl" => return Self::Impl,
                "pub" | "default" | "async" | "unsafe" | "extern" => {}
                // `const fn`, but not `const LIMIT: fn() = …;`
                "const" if matches!(tokens.peek(), Some(TokenTree::Ident(next)) if is_of_function(&next.to_string())) =>
                    {}
                _ => return Self::Other,
            }
        }
        Self::Other
    }

    const fn shown(self) -> &'static str {
        match self {
            Self::Function => "a function",
            Self::Method => "a method of another impl",
            Self::Declaration => "a method of a trait",
            Self::Impl => "an impl",
            Self::Other => "another item",
        }
    }

    fn instead(self, name: &str, args: &TokenStream) -> String {
        match self {
            Self::Function => format!(
                "where there is no port, write `#[resilient(kind = \"external\", …)]` on the function; otherwise put `#[{name}]` on a method of the impl of a port, below `#[adapter(kind = \"external\")]`"
            ),
            Self::Method => "put `#[adapter(kind = \"external\")]` on the impl, if it is that of a port; where there is no port, write `#[resilient(kind = \"external\", …)]` on the method".to_owned(),
            Self::Declaration => "put it on the method in the impl of the adapter; a port says nothing of policies".to_owned(),
            Self::Impl if name == "non_idempotent" => {
                "put it on the methods that must not be done twice".to_owned()
            }
            Self::Impl => {
                let options = if args.is_empty() { String::new() } else { format!("({args})") };
                format!("state it for the whole impl, in its attribute: `#[adapter(kind = \"external\", {name}{options})]`")
            }
            Self::Other => "remove it; calls of a method have policies, nothing else".to_owned(),
        }
    }
}

fn is_of_function(word: &str) -> bool {
    matches!(word, "fn" | "async" | "unsafe" | "extern")
}

/// Whether these are the arguments, and `self` is the first.
fn takes_self(token: &TokenTree) -> bool {
    let TokenTree::Group(arguments) = token else {
        return false;
    };
    arguments.delimiter() == Delimiter::Parenthesis
        && arguments
            .stream()
            .into_iter()
            .take_while(|token| !is_punct(token, ',') && !is_punct(token, ':'))
            .any(|token| matches!(token, TokenTree::Ident(word) if word == "self"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::messages;

    fn found(item: &str) -> Found {
        Found::of(item.parse().expect("tokens"))
    }

    #[test]
    fn what_it_stands_on_is_known_by_its_first_words() {
        for (item, wanted) in [
            ("async fn get() {}", Found::Function),
            (
                "pub(crate) const unsafe extern \"C\" fn get(x: u8) {}",
                Found::Function,
            ),
            (
                "#[inline] /** Gets. */ async fn get<T>(&mut self, x: u8) { self. }",
                Found::Method,
            ),
            ("fn get(self: Arc<Self>) {}", Found::Method),
            ("fn get(f: fn(u8) -> u8, selfish: u8) {}", Found::Function),
            ("fn get(key: self::Key, other: u8) {}", Found::Function),
            ("async fn get(&self) -> u8;", Found::Declaration),
            ("unsafe impl<T> Port for Http<T> {}", Found::Impl),
            ("const LIMIT: fn() = f;", Found::Other),
            ("const default: fn() = f;", Found::Other),
            ("pub struct Http { f: fn(&Self) }", Found::Other),
            ("mod domain { fn get() {} }", Found::Other),
            ("", Found::Other),
        ] {
            assert_eq!(found(item), wanted, "{item}");
        }
    }

    #[test]
    fn the_item_stays_and_is_told_once() {
        let item = "#[inline] #[timeout(ms = 5)] #[resil::idempotent] async fn get(&self) { self. }";
        let output = helper("retry", &TokenStream::new(), item.parse().expect("tokens"));
        let kept: TokenStream = "#[inline] async fn get(&self) { self. }".parse().expect("tokens");
        assert!(output.to_string().starts_with(&kept.to_string()), "{output}");
        let says = messages(output);
        assert_eq!(says.len(), 1, "{says:?}");
        assert!(
            says[0].starts_with("`#[retry]` belongs on a method inside an `#[adapter]` impl, found a method of another impl\n\nhelp: "),
            "{says:?}"
        );
    }

    #[test]
    fn an_impl_is_told_what_to_write_in_its_attribute() {
        let args: TokenStream = "attempts = 3".parse().expect("tokens");
        let says = |name: &str, args: &TokenStream| {
            let item = "impl Port for Http {}".parse().expect("tokens");
            messages(helper(name, args, item)).concat()
        };
        assert!(says("retry", &args).contains("`#[adapter(kind = \"external\", retry(attempts = 3))]`"));
        let nothing = TokenStream::new();
        assert!(says("idempotent", &nothing).contains("`#[adapter(kind = \"external\", idempotent)]`"));
        assert!(!says("non_idempotent", &nothing).contains("kind = "));
    }
}
