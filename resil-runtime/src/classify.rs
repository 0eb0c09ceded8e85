//! What an error says of the dependency.

#[cfg(feature = "anyhow")]
mod anyhow;
mod code;
mod io;
mod known;
#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(feature = "sqlx")]
mod sqlx;
#[cfg(feature = "tonic")]
mod tonic;

use std::time::Duration;

pub use self::code::Code;
use crate::{PolicyError, PolicyErrorKind};

/// The longest wait that a dependency is believed to ask for, as everywhere in resil: ten years.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// What an error says of the dependency that was called.
///
/// ```
/// use resil_runtime::{Class, Classification};
///
/// fn of_status(status: u16) -> Classification {
///     match status {
///         402 | 404 | 422 => Class::Refusal.code("refused"),
///         400 | 401 | 403 => Class::Permanent.code("misconfigured"),
///         _ => Class::Transient.code("unavailable"),
///     }
/// }
/// assert_eq!(of_status(503).class(), Class::Transient);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The dependency answered, and the answer is no: an unknown customer, a number it will not call. Never
    /// retried, a success for the circuit breaker, and no fallback answers in its place.
    Refusal,
    /// A failure that may pass: the dependency is unreachable, overloaded, restarting.
    Transient,
    /// A failure that will not pass by itself: a wrong key, an answer that cannot be read. Not retried.
    Permanent,
}

impl Class {
    /// A [`Classification`] with this class and a code.
    #[must_use]
    pub fn code(self, code: impl Into<Code>) -> Classification {
        Classification::new(self).code(code)
    }

    /// A [`Classification`] with this class that asks to wait before the next attempt.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Classification {
        Classification::new(self).retry_after(wait)
    }

    /// A [`Classification`] with this class of a request that certainly never reached the dependency.
    #[must_use]
    pub fn not_sent(self) -> Classification {
        Classification::new(self).not_sent()
    }
}

/// A [`Class`] with what else is known of an error.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{Class, Classification};
///
/// let busy = Class::Transient.code("busy").retry_after(Duration::from_secs(2));
/// assert_eq!(busy.class(), Class::Transient);
/// assert_eq!(busy.get_code().unwrap().as_str(), "busy");
/// assert_eq!(busy.get_retry_after(), Some(Duration::from_secs(2)));
/// assert!(!busy.is_not_sent());
///
/// let plain: Classification = Class::Refusal.into();
/// assert!(plain.get_code().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    class: Class,
    code: Option<Code>,
    retry_after: Option<Duration>,
    not_sent: bool,
    no_evidence: bool,
}

impl Classification {
    /// A class, and nothing else known.
    #[must_use]
    pub const fn new(class: Class) -> Self {
        Self {
            class,
            code: None,
            retry_after: None,
            not_sent: false,
            no_evidence: false,
        }
    }

    /// With a short name for operators: `unreachable`. It reaches logs, metrics and the error of an open circuit, so it
    /// must come from the code, never from data.
    #[must_use]
    pub fn code(mut self, code: impl Into<Code>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With the wait that the dependency asked for. A retry waits at least that long, or does not happen where it is
    /// longer than the retry's `max_ms`; a circuit that this error opens stays open at least that long.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The request certainly never reached the dependency, so repeating it cannot do anything twice. Say so only where
    /// it is certain: a refused connection is, a reset one is not.
    #[must_use]
    pub fn not_sent(mut self) -> Self {
        self.not_sent = true;
        self
    }

    /// Says nothing about the dependency: this process made the error.
    #[must_use]
    pub(crate) fn no_evidence(mut self) -> Self {
        self.no_evidence = true;
        self
    }

    /// Without the claim of [`not_sent`](Self::not_sent).
    #[must_use]
    pub(crate) fn maybe_sent(mut self) -> Self {
        self.not_sent = false;
        self
    }

    /// As `self`, where the error is the payload of another one that has the code `outer`: the codes are joined by a
    /// dot. This is what `#[class(inherit)]` does.
    #[must_use]
    pub fn inherited(mut self, outer: impl Into<Code>) -> Self {
        let outer = outer.into();
        self.code = Some(match self.code {
            None => outer,
            Some(inner) => Code::from(format!("{outer}.{inner}")),
        });
        self
    }

    /// The class.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The code, where one was given.
    #[must_use]
    pub const fn get_code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// The wait that the dependency asked for, where it did.
    #[must_use]
    pub const fn get_retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the request certainly never reached the dependency.
    #[must_use]
    pub const fn is_not_sent(&self) -> bool {
        self.not_sent
    }

    /// Whether a circuit breaker learns something about the dependency from it.
    ///
    /// `false` only for what was decided within this process: an open circuit further in, a request that could not be
    /// built.
    #[must_use]
    pub const fn is_evidence(&self) -> bool {
        !self.no_evidence
    }
}

impl From<Class> for Classification {
    fn from(class: Class) -> Self {
        Self::new(class)
    }
}

/// An error that says what it means for the dependency. Derive it with `#[derive(resil::Classify)]`.
///
/// ```
/// use resil_runtime::{Class, Classification, Classify};
///
/// enum SmsError { NumberRefused, Unreachable }
///
/// impl Classify for SmsError {
///     fn classify(&self) -> Classification {
///         match self {
///             Self::NumberRefused => Class::Refusal.code("number_refused"),
///             Self::Unreachable => Class::Transient.code("unreachable"),
///         }
///     }
/// }
/// assert_eq!(SmsError::NumberRefused.classify().class(), Class::Refusal);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which of its values are business refusals and which are failures",
    label = "this error has no classes",
    note = "without them a refused customer would open the circuit, and a refusal would be retried",
    note = "derive `resil::Classify` on `{Self}`, or name an `ErrorMap` with `errors = …` in `#[adapter]`",
    note = "an erased error, such as `Box<dyn Error>`, no longer says what happened: give the port an error type of its own"
)]
pub trait Classify {
    /// What this error says of the dependency.
    ///
    /// Called once for each failed attempt, under no lock. A panic in it reaches the caller and counts as a failure.
    fn classify(&self) -> Classification;
}

impl<E: Classify + ?Sized> Classify for Box<E> {
    fn classify(&self) -> Classification {
        (**self).classify()
    }
}

impl<E: Classify + ?Sized> Classify for std::sync::Arc<E> {
    fn classify(&self) -> Classification {
        (**self).classify()
    }
}

impl Classify for PolicyError {
    /// A timeout is transient. Whatever else a policy further in refused is not retried, and no evidence: it says
    /// nothing about the dependency.
    fn classify(&self) -> Classification {
        let class = match self.kind() {
            PolicyErrorKind::TimedOut => Classification::new(Class::Transient),
            _ => Classification::new(Class::Permanent).no_evidence(),
        };
        let class = if self.not_sent() { class.not_sent() } else { class };
        class.code(self.kind().as_str())
    }
}

/// Says what each value of the error type `E` means, and how a [`PolicyError`] becomes one: for port errors that must not
/// know resil. Named with `errors = …` in `#[adapter]`.
///
/// ```
/// use resil_runtime::{Class, Classification, ErrorMap, PolicyError};
///
/// enum SmsError { NumberRefused, Unavailable(String) }
///
/// struct SmsErrors;
/// impl ErrorMap<SmsError> for SmsErrors {
///     fn classify(error: &SmsError) -> Classification {
///         match error {
///             SmsError::NumberRefused => Class::Refusal.into(),
///             SmsError::Unavailable(_) => Class::Transient.code("unavailable"),
///         }
///     }
///     fn policy(error: PolicyError) -> SmsError {
///         SmsError::Unavailable(error.to_string())
///     }
/// }
/// assert_eq!(SmsErrors::classify(&SmsError::NumberRefused).class(), Class::Refusal);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what the values of `{E}` mean for the dependency",
    label = "no `ErrorMap<{E}>` for `{Self}`",
    note = "without `errors = …` the error must implement both `resil::Classify` and `From<resil::PolicyError>`"
)]
pub trait ErrorMap<E> {
    /// What `error` says of the dependency. Called once for each failed attempt, under no lock.
    fn classify(error: &E) -> Classification;

    /// The port's own error for what a policy decided.
    fn policy(error: PolicyError) -> E;
}

/// The [`ErrorMap`] of an adapter without `errors = …`: the error speaks for itself.
///
/// ```
/// use resil_runtime::{Classify, ErrorMap, Own, PolicyError, PolicyErrorKind};
///
/// let error = PolicyError::new(PolicyErrorKind::TimedOut);
/// assert_eq!(<Own as ErrorMap<PolicyError>>::classify(&error), error.classify());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl<E: Classify + From<PolicyError>> ErrorMap<E> for Own {
    fn classify(error: &E) -> Classification {
        error.classify()
    }

    fn policy(error: PolicyError) -> E {
        error.into()
    }
}
