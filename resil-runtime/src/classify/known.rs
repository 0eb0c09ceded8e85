//! The errors that have a class of their own, and how they are found beneath others.

use std::error::Error;
use std::io;

use super::{Classification, Classify};
use crate::PolicyError;

/// What can hold an error of a type that is known.
pub(super) trait Holds {
    fn get<T: Error + Send + Sync + 'static>(&self) -> Option<&T>;
}

impl Holds for dyn Error + 'static {
    fn get<T: Error + Send + Sync + 'static>(&self) -> Option<&T> {
        self.downcast_ref()
    }
}

/// The class of `error` where its type is one of those that have one.
pub(super) fn known<H: Holds + ?Sized>(error: &H) -> Option<Classification> {
    fn class<E: Classify>(error: &E) -> Classification {
        error.classify()
    }
    let found = error.get::<PolicyError>().map(class);
    let found = found.or_else(|| error.get::<io::Error>().map(class));
    #[cfg(feature = "reqwest")]
    let found = found
        .or_else(|| error.get::<::reqwest::Error>().map(class))
        .or_else(|| error.get::<super::reqwest::StatusError>().map(class))
        .or_else(|| error.get::<super::reqwest::DirectError>().map(class));
    #[cfg(feature = "tonic")]
    let found = found.or_else(|| error.get::<::tonic::Status>().map(class));
    #[cfg(feature = "sqlx")]
    let found = found.or_else(|| error.get::<::sqlx::Error>().map(class));
    found
}

/// The nearest source of `error` that has the type `T`.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
pub(super) fn source<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The code of the failure of the network among the sources of `error`: `connection_reset`.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
pub(super) fn network(error: &(dyn Error + 'static)) -> Option<super::Code> {
    let found = source::<io::Error>(error)?.classify();
    match found.class() {
        super::Class::Transient => found.get_code().cloned(),
        _ => None,
    }
}

impl Classification {
    /// Looks for an error of a known class along `error` and its sources: a [`PolicyError`], a [`std::io::Error`], and
    /// those whose classes a feature brings: `reqwest::Error`, `tonic::Status`, `sqlx::Error`. The outermost one decides.
    ///
    /// That nothing was sent is claimed only where `error` itself is of such a type. What an error of another type did
    /// before it met its source is not known: an HTTP client may have followed a redirect, and then met a refused
    /// connection.
    ///
    /// ```
    /// use std::io::{Error, ErrorKind};
    /// use resil_runtime::{Class, Classification};
    ///
    /// let wrapped = Error::other(Error::from(ErrorKind::ConnectionRefused));
    /// let found = Classification::find(&wrapped).unwrap();
    /// assert_eq!(found.class(), Class::Transient);
    /// assert!(found.is_not_sent());
    ///
    /// assert!(Classification::find(&std::fmt::Error).is_none());
    /// ```
    #[must_use]
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(found) = known(error) {
            return Some(found);
        }
        let mut next = error.source();
        while let Some(error) = next {
            if let Some(found) = known(error) {
                return Some(found.maybe_sent());
            }
            next = error.source();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;
    use crate::Class;

    #[derive(Debug)]
    struct Client(io::Error);

    impl fmt::Display for Client {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a client of another library")
        }
    }

    impl Error for Client {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn what_an_unknown_error_did_before_is_not_known() {
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let found = Classification::find(&Client(refused())).expect("a class");
        assert_eq!(found, Class::Transient.code("connection_refused"));

        let through_io = Classification::find(&io::Error::other(Client(refused()))).expect("a class");
        assert_eq!(through_io, found);
        assert!(Classification::find(&refused()).expect("a class").is_not_sent());
    }
}
