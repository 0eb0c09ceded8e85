//! Classes of `std::io::Error`.

use std::io::{Error, ErrorKind};

use super::{Class, Classification, Classify};

impl Classify for Error {
    /// By [`ErrorKind`]: what the network may recover from is transient, everything else permanent. Only a refused
    /// connection was certainly not sent. An error that wraps another one with a class has that class.
    fn classify(&self) -> Classification {
        use ErrorKind as K;
        let inner = self.get_ref().and_then(|inner| Classification::find(inner));
        if let Some(inner) = inner {
            return inner;
        }
        match self.kind() {
            K::ConnectionRefused => Class::Transient.code("connection_refused").not_sent(),
            K::ConnectionReset => Class::Transient.code("connection_reset"),
            K::ConnectionAborted => Class::Transient.code("connection_aborted"),
            K::NotConnected => Class::Transient.code("not_connected"),
            K::BrokenPipe => Class::Transient.code("broken_pipe"),
            K::HostUnreachable => Class::Transient.code("host_unreachable"),
            K::NetworkUnreachable => Class::Transient.code("network_unreachable"),
            K::NetworkDown => Class::Transient.code("network_down"),
            K::TimedOut => Class::Transient.code("timed_out"),
            K::UnexpectedEof => Class::Transient.code("unexpected_eof"),
            K::Interrupted | K::WouldBlock => Class::Transient.code("interrupted"),
            K::ResourceBusy => Class::Transient.code("resource_busy"),
            _ => Class::Permanent.code("io"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PolicyError, PolicyErrorKind};

    #[test]
    fn kinds_have_the_documented_classes() {
        let class = |kind| Error::from(kind).classify();
        assert_eq!(class(ErrorKind::ConnectionReset).class(), Class::Transient);
        assert!(!class(ErrorKind::ConnectionReset).is_not_sent());
        assert!(class(ErrorKind::ConnectionRefused).is_not_sent());
        assert_eq!(class(ErrorKind::NotFound).class(), Class::Permanent);
        assert_eq!(class(ErrorKind::Other).class(), Class::Permanent);
    }

    #[test]
    fn a_wrapped_error_keeps_its_class() {
        let open = PolicyError::new(PolicyErrorKind::CircuitOpen);
        let found = Error::other(open.clone()).classify();
        assert_eq!(found, open.classify());
        assert!(!found.is_evidence());
    }
}
