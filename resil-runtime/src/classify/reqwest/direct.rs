//! Errors of clients that make one request for each that they are given.

use std::error::Error;
use std::fmt;

use crate::{Classification, Classify};

/// The error of a client that was built with `redirect(Policy::none())` and repeats nothing by itself: what could not
/// connect was certainly not sent, so a retry may repeat it for any method.
///
/// Only the author of the client knows that it is one. The same is said without this type, where the error is
/// classified by hand, by `error.classify().not_sent()` if `error.is_connect()`.
///
/// ```
/// use resil_runtime::Classify;
/// use resil_runtime::reqwest::{DirectError, checked};
///
/// let client = reqwest::Client::builder()
///     .redirect(reqwest::redirect::Policy::none())
///     .retry(reqwest::retry::never())
///     .build()?;
/// # fn made<F: Future>(_: impl FnOnce(reqwest::Client) -> F) {}
/// # made(|client| async move {
/// let answer = client.get("http://localhost:1").send().await.map_err(DirectError::from);
/// assert!(answer.unwrap_err().classify().is_not_sent());
/// # });
/// # drop(client);
/// # Ok::<(), reqwest::Error>(())
/// ```
#[derive(Debug)]
pub struct DirectError(::reqwest::Error);

impl DirectError {
    /// The client's own error.
    #[must_use]
    pub fn get_ref(&self) -> &::reqwest::Error {
        &self.0
    }

    /// The client's own error.
    #[must_use]
    pub fn into_inner(self) -> ::reqwest::Error {
        self.0
    }
}

impl From<::reqwest::Error> for DirectError {
    fn from(error: ::reqwest::Error) -> Self {
        Self(error)
    }
}

impl Classify for DirectError {
    /// As the client's own error, and `not_sent` where it could not connect.
    fn classify(&self) -> Classification {
        let found = self.0.classify();
        if self.0.is_connect() {
            found.not_sent()
        } else {
            found
        }
    }
}

impl fmt::Display for DirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for DirectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
