//! Classes of `reqwest::Error`, and of the statuses of HTTP. Needs the feature `reqwest`.

mod direct;
mod retry_after;
mod status;

use std::time::SystemTime;

use ::reqwest::header::RETRY_AFTER;
use ::reqwest::{Error, Response};

pub use self::direct::DirectError;
pub use self::status::StatusError;
use super::known::{network, source};
use super::{Class, Classification, Classify};

/// A response whose status is no error, or what its status and its `Retry-After` say.
///
/// As `Response::error_for_status`, whose error has lost the headers. Statuses from 400 on are errors; a redirect that the
/// client was told not to follow is an answer.
///
/// # Errors
///
/// A [`StatusError`]. Headers and body are gone by then: who needs them asks the response for its status first.
///
/// ```
/// use resil_runtime::reqwest::{StatusError, checked};
/// use resil_runtime::{Classification, Classify, PolicyError};
///
/// enum SmsError {
///     Unreachable(reqwest::Error),
///     Answered(StatusError),
///     Policy(PolicyError),
/// }
/// # impl From<reqwest::Error> for SmsError { fn from(error: reqwest::Error) -> Self { Self::Unreachable(error) } }
/// # impl From<StatusError> for SmsError { fn from(error: StatusError) -> Self { Self::Answered(error) } }
///
/// impl Classify for SmsError {
///     fn classify(&self) -> Classification {
///         match self {
///             Self::Unreachable(error) => error.classify(),
///             Self::Answered(error) => error.classify(),
///             Self::Policy(error) => error.classify(),
///         }
///     }
/// }
///
/// async fn send(client: &reqwest::Client) -> Result<(), SmsError> {
///     checked(client.post("https://sms.example").send().await?)?;
///     Ok(())
/// }
/// ```
pub fn checked(response: Response) -> Result<Response, StatusError> {
    let status = response.status();
    if status.as_u16() < 400 {
        return Ok(response);
    }
    let header = response.headers().get(RETRY_AFTER);
    let wait = header.and_then(|value| retry_after::parse(value.as_bytes(), SystemTime::now()));
    let error = StatusError::new(status);
    Err(match wait {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    })
}

impl Classify for Error {
    /// What the network may recover from is transient, with the code of the [`std::io::Error`] behind it where there is
    /// one. A status has the class that [`StatusError`] has. What was wrong before a request existed (`builder`) is
    /// permanent, and no evidence for a circuit.
    ///
    /// Never `not_sent`: this error looks the same whether the first connection was refused or one after a followed
    /// redirect, when a server had already processed the request. [`DirectError`] is for clients that follow none.
    fn classify(&self) -> Classification {
        if let Some(status) = self.status() {
            return StatusError::new(status).classify();
        }
        match (self.is_connect(), self.is_timeout()) {
            (true, true) => return Class::Transient.code("connect_timed_out"),
            (true, false) => return Class::Transient.code("connect"),
            (false, true) => return Class::Transient.code("timed_out"),
            (false, false) => {}
        }
        if self.is_builder() {
            return Class::Permanent.code("builder").no_evidence();
        }
        if self.is_redirect() {
            return Class::Permanent.code("redirect");
        }
        if self.is_upgrade() {
            return Class::Permanent.code("upgrade");
        }
        let transport = source::<hyper::Error>(self);
        if transport.is_some_and(hyper::Error::is_parse) {
            return Class::Permanent.code("protocol");
        }
        // A body that breaks off is reported as one that cannot be decoded.
        if self.is_decode() && transport.is_none() {
            return Class::Permanent.code("decode");
        }
        let other = if self.is_request() { "request" } else { "body" };
        Class::Transient.code(network(self).unwrap_or(other.into()))
    }
}
