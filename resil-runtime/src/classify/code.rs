//! The short name of an error.

use std::fmt;
use std::sync::Arc;

/// The short name of an error, for operators: `unreachable`. Cloning one never allocates.
///
/// ```
/// use resil_runtime::Code;
///
/// let code = Code::from("unreachable");
/// assert_eq!(code.as_str(), "unreachable");
/// assert_eq!(code, Code::from(String::from("unreachable")));
/// ```
#[derive(Clone)]
pub struct Code(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Code {
    /// A code known at compile time.
    #[must_use]
    pub const fn new(code: &'static str) -> Self {
        Self(Repr::Static(code))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(code) => code,
            Repr::Shared(code) => code,
        }
    }
}

impl From<&'static str> for Code {
    fn from(code: &'static str) -> Self {
        Self::new(code)
    }
}

impl From<String> for Code {
    fn from(code: String) -> Self {
        Self(Repr::Shared(code.into()))
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Code {}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl std::hash::Hash for Code {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
