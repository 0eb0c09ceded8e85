//! Classes of `tonic::Status`.

use std::time::Duration;

use ::tonic::{Code, ConnectError, Status, TimeoutExpired};

use super::known::{network, source};
use super::{Class, Classification, Classify, LONGEST_WAIT};

impl Classify for Status {
    /// By its code, which is also the code here, in `snake_case`. A status that the channel made because it could not
    /// connect is `connect` and was not sent; an `UNAVAILABLE` that a server answered may come from a server that began to
    /// work. `grpc-retry-pushback-ms` among the metadata is how long to wait; where it forbids to repeat, the failure is
    /// permanent.
    fn classify(&self) -> Classification {
        if self.code() == Code::Unavailable && source::<ConnectError>(self).is_some() {
            return Class::Transient.code("connect").not_sent();
        }
        if source::<TimeoutExpired>(self).is_some() {
            return Class::Transient.code("timed_out");
        }
        let (class, code) = by_code(self.code());
        if class != Class::Transient {
            return class.code(code);
        }
        let code = network(self).unwrap_or(code.into());
        match pushback(self) {
            Pushback::None => class.code(code),
            Pushback::Wait(wait) => class.code(code).retry_after(wait),
            Pushback::Never => Class::Permanent.code(code),
        }
    }
}

fn by_code(code: Code) -> (Class, &'static str) {
    use Class as C;
    match code {
        // The caller's own cancelling drops the call, and never gets here.
        Code::Cancelled => (C::Transient, "cancelled"),
        Code::Unknown => (C::Transient, "unknown"),
        Code::InvalidArgument => (C::Refusal, "invalid_argument"),
        Code::DeadlineExceeded => (C::Transient, "deadline_exceeded"),
        Code::NotFound => (C::Refusal, "not_found"),
        Code::AlreadyExists => (C::Refusal, "already_exists"),
        // It knows who asks, and denies this request. What concerns every call is `Unauthenticated`.
        Code::PermissionDenied => (C::Refusal, "permission_denied"),
        Code::ResourceExhausted => (C::Transient, "resource_exhausted"),
        Code::FailedPrecondition => (C::Refusal, "failed_precondition"),
        Code::Aborted => (C::Transient, "aborted"),
        Code::OutOfRange => (C::Refusal, "out_of_range"),
        Code::Unimplemented => (C::Permanent, "unimplemented"),
        Code::Internal => (C::Transient, "internal"),
        Code::Unavailable => (C::Transient, "unavailable"),
        Code::DataLoss => (C::Permanent, "data_loss"),
        Code::Unauthenticated => (C::Permanent, "unauthenticated"),
        // An answer without an error, handed on as one.
        Code::Ok => (C::Permanent, "ok"),
    }
}

enum Pushback {
    None,
    Wait(Duration),
    Never,
}

/// What the server says of repeating. By gRPC's rules a value that is no number of milliseconds forbids it.
fn pushback(status: &Status) -> Pushback {
    let Some(value) = status.metadata().get("grpc-retry-pushback-ms") else {
        return Pushback::None;
    };
    let ms = value.to_str().ok().and_then(|text| text.parse().ok());
    match ms.map(Duration::from_millis) {
        Some(wait) if wait <= LONGEST_WAIT => Pushback::Wait(wait),
        _ => Pushback::Never,
    }
}
