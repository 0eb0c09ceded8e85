//! What a policy tells the caller.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::{Class, Code};

/// What a policy decided in place of an answer from the dependency.
///
/// It becomes the port's own error, by `From<PolicyError>` or
/// [`ErrorMap::policy`](crate::ErrorMap::policy). It holds names from the code and nothing of the arguments.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{PolicyError, PolicyErrorKind};
///
/// // As a test of the port's error makes one.
/// let error = PolicyError::new(PolicyErrorKind::CircuitOpen)
///     .of("SmsSender", "HttpSmsSender", "send")
///     .with_code("unreachable")
///     .with_retry_after(Duration::from_secs(30))
///     .with_not_sent(true);
/// assert_eq!(
///     error.to_string(),
///     "`SmsSender::send` of `HttpSmsSender` was not called: the circuit is open (unreachable), retry after 30s"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    kind: PolicyErrorKind,
    not_sent: bool,
    class: Option<Class>,
    port: &'static str,
    adapter: &'static str,
    method: &'static str,
    retry_after: Option<Duration>,
    code: Option<Code>,
}

/// Which policy decided, and what.
///
/// ```
/// use resil_runtime::PolicyErrorKind;
///
/// assert_eq!(PolicyErrorKind::CircuitOpen.to_string(), "circuit_open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyErrorKind {
    /// The attempt took longer than its `timeout` and was dropped. Whether it took effect is unknown.
    TimedOut,
    /// The time for the whole call was spent.
    DeadlineExceeded,
    /// The circuit is open: recent calls failed, so this one was not made.
    CircuitOpen,
    /// As many calls as allowed are running, and as many as allowed wait, or this one waited for as long as it may.
    BulkheadFull,
    /// More calls than the rate limit allows.
    RateLimited,
    /// Another caller loaded the same value, and failed.
    LoadFailed,
}

impl PolicyErrorKind {
    /// The name used in logs and metrics, `circuit_open` for example.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::DeadlineExceeded => "deadline",
            Self::CircuitOpen => "circuit_open",
            Self::BulkheadFull => "bulkhead_full",
            Self::RateLimited => "rate_limited",
            Self::LoadFailed => "load_failed",
        }
    }
}

impl fmt::Display for PolicyErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl PolicyError {
    /// An error of `kind` about an unnamed method, of which nothing else is known. Wrappers make their own; this is for
    /// tests of what becomes of one.
    #[must_use]
    pub const fn new(kind: PolicyErrorKind) -> Self {
        Self {
            kind,
            not_sent: false,
            class: None,
            port: "",
            adapter: "",
            method: "",
            retry_after: None,
            code: None,
        }
    }

    /// With the names of port, adapter and method.
    #[must_use]
    pub const fn of(mut self, port: &'static str, adapter: &'static str, method: &'static str) -> Self {
        self.port = port;
        self.adapter = adapter;
        self.method = method;
        self
    }

    /// With the code of the error behind it.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Code>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With the class of the error behind it.
    #[must_use]
    pub const fn with_class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }

    /// With the time after which a new call may succeed.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// With what [`not_sent`](Self::not_sent) answers.
    #[must_use]
    pub const fn with_not_sent(mut self, not_sent: bool) -> Self {
        self.not_sent = not_sent;
        self
    }

    /// Which policy decided, and what.
    #[must_use]
    pub const fn kind(&self) -> PolicyErrorKind {
        self.kind
    }

    /// The trait that was called.
    #[must_use]
    pub const fn port(&self) -> &'static str {
        self.port
    }

    /// The adapter, by the name operators see.
    #[must_use]
    pub const fn adapter(&self) -> &'static str {
        self.adapter
    }

    /// The method.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        self.method
    }

    /// How long until a new call may succeed, where that is known: for an open circuit, the rest of its open time.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// For an open circuit the code of the error that opened it, for a failed load the leader's.
    #[must_use]
    pub const fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// For a failed load the class of the leader's error.
    #[must_use]
    pub const fn class(&self) -> Option<Class> {
        self.class
    }

    /// `true` only if no attempt of the whole call may have reached the dependency, so that calling again cannot do
    /// anything twice.
    #[must_use]
    pub const fn not_sent(&self) -> bool {
        self.not_sent
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.port, self.method) {
            ("", "") => f.write_str("the call")?,
            (port, method) => write!(f, "`{port}::{method}` of `{}`", self.adapter)?,
        }
        let was = if self.not_sent { "was not called" } else { "failed" };
        let why = match self.kind {
            PolicyErrorKind::TimedOut => "timed out, so whether it took effect is unknown",
            PolicyErrorKind::DeadlineExceeded => "the deadline is spent",
            PolicyErrorKind::CircuitOpen => "the circuit is open",
            PolicyErrorKind::BulkheadFull => "too many calls are running",
            PolicyErrorKind::RateLimited => "too many calls in this period",
            PolicyErrorKind::LoadFailed => "another caller's load of the same value failed",
        };
        write!(f, " {was}: {why}")?;
        if let Some(code) = &self.code {
            write!(f, " ({code})")?;
        }
        if let Some(wait) = self.retry_after {
            // To the millisecond, upwards: that is what a caller can wait for.
            let ms = wait.as_nanos().div_ceil(1_000_000);
            let wait = Duration::from_millis(u64::try_from(ms).unwrap_or(u64::MAX));
            write!(f, ", retry after {wait:?}")?;
        }
        Ok(())
    }
}

impl Error for PolicyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_small_enough_to_be_a_variant() {
        // Clippy warns of a `Result` whose error has 128 bytes or more; the user's enum adds a tag.
        assert!(size_of::<PolicyError>() <= 104, "{}", size_of::<PolicyError>());
    }

    #[test]
    fn a_timeout_says_that_the_outcome_is_unknown() {
        let error = PolicyError::new(PolicyErrorKind::TimedOut).of("Pay", "HttpPay", "charge");
        assert_eq!(
            error.to_string(),
            "`Pay::charge` of `HttpPay` failed: timed out, so whether it took effect is unknown"
        );
    }
}
