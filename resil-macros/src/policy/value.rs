//! The value of one option, by what the table says it takes.

use std::fmt::Display;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Expr, ExprPath, Lit};

use crate::diagnostics::{Errors, Message, list, message, nearest};
use crate::grammar::{Entry, Given};
use crate::options::{MAX_COUNT, MAX_MS, Omitted, OptionTable, Value};

/// A value within its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Milliseconds, or a count.
    Whole(u64),
    /// A share or a factor.
    Real(f64),
    /// `"off"`.
    Off,
    /// One of the option's words.
    Word(&'static str),
    /// The path of a function, or an expression: what the user wrote.
    Code,
}

impl Number {
    /// As a number; words have none.
    pub(crate) fn as_f64(self) -> Option<f64> {
        match self {
            // Exact: every limit is far below 2^53.
            Self::Whole(whole) => whole.to_string().parse().ok(),
            Self::Real(real) => Some(real),
            Self::Off | Self::Word(_) | Self::Code => None,
        }
    }
}

/// The value of `entry`, or `None` where it is wrong and was reported.
pub(super) fn read(table: &'static OptionTable, entry: &Entry, errors: &mut Errors) -> Option<Number> {
    let reader = Reader { table };
    let Given::Value(tokens) = &entry.given else {
        errors.at(
            entry,
            message!("`{}` needs a value", table.name).help(format_args!(
                "write `{} = {}`",
                table.name,
                reader.example()
            )),
        );
        return None;
    };
    reader
        .number(tokens)
        .map_err(|message| errors.at(tokens, message))
        .ok()
}

struct Reader {
    table: &'static OptionTable,
}

impl Reader {
    fn number(&self, tokens: &TokenStream) -> Result<Number, Message> {
        // Without the gap that a minus is printed with.
        let found = &tokens.to_string().replace("- ", "-");
        let lit = syn::parse2::<Lit>(tokens.clone()).ok();
        if lit.is_none() && self.takes_a_number() && names_something(tokens) {
            return Err(self.no_literal(found));
        }
        match self.table.value {
            Value::Millis { min } => self.whole(lit.as_ref(), found, (min, MAX_MS)),
            Value::Count { min } => self.whole(lit.as_ref(), found, (min.into(), MAX_COUNT.into())),
            Value::Rate => self.rate(lit.as_ref(), found),
            Value::RateOrOff => match &lit {
                Some(Lit::Str(text)) if text.value() == "off" => Ok(Number::Off),
                _ => self.rate(lit.as_ref(), found),
            },
            Value::Factor => self.factor(lit.as_ref(), found),
            Value::Word(words) => self.word(words, lit.as_ref(), found),
            Value::Path => match syn::parse2::<ExprPath>(tokens.clone()) {
                Ok(path) if path.attrs.is_empty() => Ok(Number::Code),
                _ => Err(self.no_code(found, "the path of a function")),
            },
            Value::Expr => match syn::parse2::<Expr>(tokens.clone()) {
                Ok(_) => Ok(Number::Code),
                Err(_) => Err(self.no_code(found, "an expression")),
            },
        }
    }

    fn takes_a_number(&self) -> bool {
        matches!(
            self.table.value,
            Value::Millis { .. } | Value::Count { .. } | Value::Rate | Value::RateOrOff | Value::Factor
        )
    }

    /// A constant, a call, a computation.
    fn no_literal(&self, found: &str) -> Message {
        let name = self.table.name;
        let what = match self.table.value {
            Value::Millis { .. } => "a whole number of milliseconds",
            Value::Count { .. } => "a whole number",
            Value::RateOrOff => "a share or `\"off\"`",
            Value::Rate => "a share",
            _ => "a number",
        };
        message!("`{name}` takes {what}, got `{found}`")
            .help(format_args!(
                "write the number itself, such as `{name} = {}`; `with_policies` takes expressions",
                self.example()
            ))
            .note("an attribute is read before constants have values")
    }

    fn whole(&self, lit: Option<&Lit>, found: &str, (min, max): (u64, u64)) -> Result<Number, Message> {
        let name = self.table.name;
        let millis = matches!(self.table.value, Value::Millis { .. });
        let plain = match lit {
            Some(Lit::Int(int)) => Some(int).filter(|int| int.suffix().is_empty()),
            _ => None,
        };
        let Some(int) = plain else {
            let unit = if millis {
                "a whole number of milliseconds"
            } else {
                "a whole number"
            };
            let says = message!("`{name}` takes {unit}, got `{found}`");
            return Err(if millis {
                self.in_words(says, found)
            } else {
                says.help(format_args!("write `{name} = {}`", self.example()))
            });
        };
        match int.base10_parse::<u64>() {
            Ok(whole) if (min..=max).contains(&whole) => Ok(Number::Whole(whole)),
            whole => {
                let years = if millis { " (ten years)" } else { "" };
                let error = self.outside(format_args!("from {min} to {max}{years}"), found);
                let is_zero = matches!(whole, Ok(0));
                let zero = "zero would mean never, or always; who wants that leaves the whole policy out, or switches it off with `off`";
                Err(if is_zero { error.note(zero) } else { error })
            }
        }
    }

    /// What a duration that is no whole number was probably meant to be.
    fn in_words(&self, says: Message, found: &str) -> Message {
        let name = self.table.name;
        let Some(millis) = in_millis(found) else {
            return says.help(format_args!("write `{name} = {}`", self.example()));
        };
        match in_millis(&format!("{found}s")) {
            // A fraction of what? Nobody counts in parts of a millisecond.
            Some(seconds) if found.contains('.') => says.help(format_args!(
                "write `{name} = {millis}`, or `{name} = {seconds}` if it is in seconds"
            )),
            _ => says.help(format_args!("write `{name} = {millis}`")),
        }
    }

    fn rate(&self, lit: Option<&Lit>, found: &str) -> Result<Number, Message> {
        let real = self.real(lit, found, "a share")?;
        if real > 0.0 && real <= 1.0 {
            return Ok(Number::Real(real));
        }
        let error = self.outside(format_args!("above 0 and at most 1"), found);
        Err(if (1.0..=100.0).contains(&real) {
            error.note(format_args!(
                "it is a share: {real} % is `{} = {}`",
                self.table.name,
                real / 100.0
            ))
        } else {
            error
        })
    }

    fn factor(&self, lit: Option<&Lit>, found: &str) -> Result<Number, Message> {
        let real = self.real(lit, found, "a number")?;
        if (1.0..=f64::from(MAX_COUNT)).contains(&real) {
            return Ok(Number::Real(real));
        }
        Err(self.outside(format_args!("from 1 to {MAX_COUNT}"), found))
    }

    fn real(&self, lit: Option<&Lit>, found: &str, what: &str) -> Result<f64, Message> {
        let real = match lit {
            Some(Lit::Int(int)) if int.suffix().is_empty() => int.base10_parse().ok(),
            Some(Lit::Float(float)) if float.suffix().is_empty() => float.base10_parse().ok(),
            _ => None,
        };
        real.ok_or_else(|| {
            let name = self.table.name;
            if self.table.value == Value::RateOrOff && matches!(lit, Some(Lit::Str(_) | Lit::Bool(_))) {
                return message!("`{name}` takes {what} or `\"off\"`, got `{found}`").help(format_args!(
                    "write `{name} = \"off\"`, or `{name} = {}`",
                    self.example()
                ));
            }
            let or = if self.table.value == Value::RateOrOff {
                " or `\"off\"`"
            } else {
                ""
            };
            message!("`{name}` takes {what}{or}, got `{found}`")
                .help(format_args!("write `{name} = {}`", self.example()))
        })
    }

    fn word(
        &self,
        words: &'static [&'static str],
        lit: Option<&Lit>,
        found: &str,
    ) -> Result<Number, Message> {
        let given = match lit {
            Some(Lit::Str(text)) => text.value(),
            _ => found.to_owned(),
        };
        let quoted = matches!(lit, Some(Lit::Str(_)));
        if let Some(word) = words.iter().find(|word| quoted && **word == given) {
            return Ok(Number::Word(word));
        }
        let name = self.table.name;
        let error = message!("`{name}` is one of {}, got `{found}`", list(&quote_all(words)));
        Err(match nearest(&given, words) {
            Some(near) => error.help(format_args!("write `{name} = \"{near}\"`")),
            None => error,
        })
    }

    fn no_code(&self, found: &str, what: &str) -> Message {
        let name = self.table.name;
        message!("`{name}` takes {what}, got `{found}`")
            .help(format_args!("write `{name} = {}`", self.example()))
    }

    fn outside(&self, limits: impl Display, found: &str) -> Message {
        let name = self.table.name;
        let error = message!("`{name}` must be {limits}, got `{found}`");
        match self.table.default {
            Omitted::Required => error.help(format_args!("write `{name} = {}`", self.example())),
            Omitted::None => error.help("leave it out where it is not wanted"),
            Omitted::Is(default) => error.help(format_args!("leave it out for its default: {default}")),
        }
    }

    /// A value that would be right.
    fn example(&self) -> String {
        let default = match self.table.default {
            Omitted::Is(default) if default.parse::<f64>().is_ok() || default.starts_with('"') => {
                Some(default)
            }
            _ => None,
        };
        let usual = match self.table.value {
            Value::Millis { .. } => "2000",
            Value::Count { .. } => "10",
            Value::Rate | Value::RateOrOff => "0.5",
            Value::Factor => "2",
            Value::Word(words) => return format!("\"{}\"", words[0]),
            Value::Path => return format!("Self::{}", self.table.name),
            Value::Expr => "Vec::new()",
        };
        default.unwrap_or(usual).to_owned()
    }
}

/// Whether a name stands in `tokens`: what is no literal, however it was meant.
fn names_something(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Group(group) => names_something(&group.stream()),
        _ => false,
    })
}

fn quote_all(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("\"{word}\"")).collect()
}

/// What `2s`, `"500 ms"` or `1.5s` probably meant.
pub(super) fn in_millis(found: &str) -> Option<u64> {
    let text = found.trim_matches('"').trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == ' ');
    let number: f64 = digits.trim_end_matches('_').parse().ok()?;
    let unit = match text[digits.len()..].trim() {
        "" | "ms" | "millis" => 1.0,
        "s" | "sec" | "secs" => 1000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    let millis = format!("{:.0}", (number * unit).ceil());
    millis.parse().ok().filter(|millis| (1..=MAX_MS).contains(millis))
}
