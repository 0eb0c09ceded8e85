//! What the statuses of HTTP say.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use ::reqwest::StatusCode;

use crate::{Class, Classification, Classify};

/// The status of an answer that is an error, and how long the server asked to wait.
///
/// Nothing else of request and answer is kept, so it can be cloned, logged and shared.
///
/// ```
/// use std::time::Duration;
/// use reqwest::StatusCode;
/// use resil_runtime::reqwest::StatusError;
/// use resil_runtime::{Class, Classify};
///
/// let busy = StatusError::new(StatusCode::TOO_MANY_REQUESTS).with_retry_after(Duration::from_secs(2));
/// assert_eq!(busy.classify(), Class::Transient.code("http_429").retry_after(Duration::from_secs(2)));
/// assert_eq!(busy.to_string(), "the server answered 429 Too Many Requests, retry after 2s");
///
/// let unknown = StatusError::new(StatusCode::NOT_FOUND);
/// assert_eq!(unknown.classify(), Class::Refusal.code("http_404"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusError {
    status: StatusCode,
    retry_after: Option<Duration>,
}

impl StatusError {
    /// An answer with `status`, and no wish to wait. [`checked`](super::checked) makes one from a response.
    #[must_use]
    pub const fn new(status: StatusCode) -> Self {
        Self {
            status,
            retry_after: None,
        }
    }

    /// With the wait that the server asked for.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The wait that the server asked for, where it did.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl Classify for StatusError {
    /// A 4xx is a refusal: the server answered this request with no. But 408, 425 and 429 may pass, and 401 and 407 reject
    /// the credentials of the process, which concerns every call, so they are permanent failures. A 403 stays a refusal: it
    /// knows who asks, and denies this request. A 5xx is transient, but for 501 and 505.
    fn classify(&self) -> Classification {
        let found = class(self.status).code(code(self.status));
        match (found.class(), self.retry_after) {
            (Class::Transient, Some(wait)) => found.retry_after(wait),
            _ => found,
        }
    }
}

fn class(status: StatusCode) -> Class {
    match status.as_u16() {
        408 | 425 | 429 => Class::Transient,
        401 | 407 | 501 | 505 => Class::Permanent,
        400..=499 => Class::Refusal,
        500..=599 => Class::Transient,
        _ => Class::Permanent,
    }
}

/// `http_` and the status where that is a registered one. A server can make up others, and what it sends must not decide
/// how many codes there are.
fn code(status: StatusCode) -> &'static str {
    macro_rules! registered {
        ($($status:literal)*) => {
            match status.as_u16() {
                $($status => concat!("http_", $status),)*
                400..=499 => "http_4xx",
                500..=599 => "http_5xx",
                _ => "http_other",
            }
        };
    }
    registered! {
        400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 421 422 423 424 425 426 428 429 431 451
        500 501 502 503 504 505 506 507 508 510 511
    }
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered {}", self.status.as_str())?;
        if let Some(reason) = self.status.canonical_reason() {
            write!(f, " {reason}")?;
        }
        if let Some(wait) = self.retry_after {
            // Upwards: that is what a caller can wait for. A date is seldom whole seconds away.
            let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
            write!(f, ", retry after {seconds}s")?;
        }
        Ok(())
    }
}

impl Error for StatusError {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of(status: u16) -> Classification {
        StatusError::new(StatusCode::from_u16(status).expect("a status")).classify()
    }

    #[test]
    fn each_status_has_the_documented_class() {
        for status in [
            400, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423, 451, 499,
        ] {
            assert_eq!(of(status).class(), Class::Refusal, "{status}");
        }
        for status in [408, 425, 429, 500, 502, 503, 504, 507, 520, 599] {
            assert_eq!(of(status).class(), Class::Transient, "{status}");
        }
        for status in [401, 407, 501, 505, 304, 600, 999] {
            assert_eq!(of(status).class(), Class::Permanent, "{status}");
        }
    }

    #[test]
    fn a_server_cannot_make_up_codes() {
        let code = |status| of(status).get_code().expect("a code").as_str().to_owned();
        assert_eq!(code(503), "http_503");
        assert_eq!(code(418), "http_4xx");
        assert_eq!(code(520), "http_5xx");
        assert_eq!(code(700), "http_other");
        let all: BTreeSet<_> = (100..1000).map(code).collect();
        assert_eq!(all.len(), 28 + 11 + 3);
    }

    #[test]
    fn a_part_of_a_second_is_shown_as_a_whole_one() {
        let busy =
            StatusError::new(StatusCode::TOO_MANY_REQUESTS).with_retry_after(Duration::from_millis(1200));
        assert!(busy.to_string().ends_with("retry after 2s"), "{busy}");
        assert!(
            busy.with_retry_after(Duration::MAX)
                .to_string()
                .ends_with("retry after 18446744073709551615s")
        );
    }

    #[test]
    fn no_status_says_that_nothing_was_sent() {
        assert!((100..1000).all(|status| !of(status).is_not_sent()));
    }

    #[test]
    fn only_what_is_repeated_has_a_wait() {
        let wait = Duration::from_secs(7);
        let after = |status| StatusError::new(status).with_retry_after(wait).classify();
        assert_eq!(
            after(StatusCode::SERVICE_UNAVAILABLE).get_retry_after(),
            Some(wait)
        );
        assert_eq!(after(StatusCode::PAYLOAD_TOO_LARGE).get_retry_after(), None);
    }
}
