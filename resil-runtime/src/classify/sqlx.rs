//! Classes of `sqlx::Error`.

use ::sqlx::Error;
use ::sqlx::error::{DatabaseError, ErrorKind};

use super::{Class, Classification, Classify};

impl Classify for Error {
    /// What the database says has the class of its SQLSTATE (of its result code, for `SQLite`): a violated constraint is a
    /// refusal, what the next attempt may find different is transient, everything else permanent. So is
    /// `Error::RowNotFound` a refusal: the database answered.
    ///
    /// That nothing was sent is claimed for the statement that failed: no connection was to be had from the pool, or
    /// a new one was refused. A method that runs several statements on a pool, without a transaction, must not pass that on.
    fn classify(&self) -> Classification {
        match self {
            Error::Database(error) => of_database(error.as_ref()),
            Error::RowNotFound => Class::Refusal.code("row_not_found"),
            Error::Io(error) => error.classify(),
            Error::PoolTimedOut => Class::Transient.code("pool_timed_out").not_sent(),
            Error::WorkerCrashed => Class::Transient.code("worker_crashed"),
            Error::Tls(error) => of_tls(Classification::find(error.as_ref())),
            // The process itself is at fault, before the database was asked.
            Error::PoolClosed => Class::Permanent.code("pool_closed").no_evidence(),
            Error::Configuration(_) => Class::Permanent.code("configuration").no_evidence(),
            Error::InvalidArgument(_) => Class::Permanent.code("invalid_argument").no_evidence(),
            Error::Encode(_) => Class::Permanent.code("encode").no_evidence(),
            // Its answer cannot be read.
            Error::Protocol(_) => Class::Permanent.code("protocol"),
            Error::TypeNotFound { .. } => Class::Permanent.code("type_not_found"),
            Error::ColumnNotFound(_) | Error::ColumnIndexOutOfBounds { .. } => {
                Class::Permanent.code("column_not_found")
            }
            Error::Decode(_) | Error::ColumnDecode { .. } => Class::Permanent.code("decode"),
            _ => Class::Permanent.code("sqlx"),
        }
    }
}

/// A connection that breaks off may come to be; a certificate that is not trusted stays so.
fn of_tls(cause: Option<Classification>) -> Classification {
    match cause {
        Some(cause) if cause.class() == Class::Transient => Class::Transient.code("tls"),
        _ => Class::Permanent.code("tls"),
    }
}

fn of_database(error: &dyn DatabaseError) -> Classification {
    match error.kind() {
        ErrorKind::UniqueViolation => Class::Refusal.code("unique_violation"),
        ErrorKind::ForeignKeyViolation => Class::Refusal.code("foreign_key_violation"),
        ErrorKind::NotNullViolation => Class::Refusal.code("not_null_violation"),
        ErrorKind::CheckViolation => Class::Refusal.code("check_violation"),
        _ => {
            let code = error.code();
            let (class, code) = match code.as_deref() {
                // The result codes of SQLite have at most four digits.
                Some(state) if state.len() == 5 => by_state(state),
                Some(result) => result.parse().map_or(OTHER, by_result),
                None => OTHER,
            };
            class.code(code)
        }
    }
}

const OTHER: (Class, &str) = (Class::Permanent, "database");

/// By the SQLSTATE: single ones first, then those of a group, by its first two characters.
fn by_state(state: &str) -> (Class, &'static str) {
    use Class as C;
    match state {
        "40001" => (C::Transient, "serialization_failure"),
        "40P01" => (C::Transient, "deadlock"),
        "53300" | "08004" => (C::Transient, "too_many_connections"),
        "55P03" => (C::Transient, "lock_not_available"),
        "57014" => (C::Transient, "query_cancelled"),
        "57P01" | "57P02" | "57P03" => (C::Transient, "shutdown"),
        "57P05" => (C::Transient, "idle_timeout"),
        "08P01" => (C::Permanent, "protocol"),
        // Raised by a procedure or trigger: a rule of the business that lives in the database.
        "P0001" | "45000" => (C::Refusal, "raised"),
        "40002" => (C::Refusal, "constraint_violation"),
        _ => match state.get(..2) {
            Some("08") => (C::Transient, "connection"),
            Some("22") => (C::Refusal, "data"),
            Some("23" | "44") => (C::Refusal, "constraint_violation"),
            Some("28") => (C::Permanent, "authorization"),
            Some("40") => (C::Transient, "rollback"),
            Some("42") => (C::Permanent, "syntax_or_access"),
            Some("53") => (C::Transient, "insufficient_resources"),
            Some("58") => (C::Transient, "system"),
            _ => OTHER,
        },
    }
}

/// By the result code of `SQLite`, whose lowest byte is the primary one.
fn by_result(code: u32) -> (Class, &'static str) {
    use Class as C;
    match code & 0xff {
        5 => (C::Transient, "busy"),
        6 => (C::Transient, "locked"),
        10 => (C::Transient, "system"),
        13 => (C::Transient, "insufficient_resources"),
        19 => (C::Refusal, "constraint_violation"),
        _ => OTHER,
    }
}
