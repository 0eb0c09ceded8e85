//! Errors of sqlx: made here, and those of its Postgres driver at real sockets.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use ready::{Closed, Server, Treat};
use resil::{Class, Classification, Classify};
use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, Error, PgConnection};

#[derive(Debug)]
struct Said {
    code: Option<&'static str>,
    kind: fn() -> ErrorKind,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the database said no")
    }
}

impl StdError for Said {}

impl DatabaseError for Said {
    fn message(&self) -> &str {
        "no"
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.code.map(Cow::Borrowed)
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        (self.kind)()
    }
}

fn said(code: impl Into<Option<&'static str>>) -> Classification {
    let code = code.into();
    let kind = || ErrorKind::Other;
    Error::from(Said { code, kind }).classify()
}

fn url(addr: SocketAddr) -> String {
    format!("postgres://user:password@{addr}/db?sslmode=disable")
}

async fn connecting(addr: SocketAddr) -> Error {
    PgConnection::connect(&url(addr)).await.expect_err("no database")
}

#[test]
fn each_sqlstate_has_the_documented_class() {
    use Class::{Permanent, Refusal, Transient};
    for (state, class, name) in [
        ("40001", Transient, "serialization_failure"),
        ("40P01", Transient, "deadlock"),
        ("40003", Transient, "rollback"),
        ("53300", Transient, "too_many_connections"),
        ("08004", Transient, "too_many_connections"),
        ("53100", Transient, "insufficient_resources"),
        ("57P01", Transient, "shutdown"),
        ("57P03", Transient, "shutdown"),
        ("57P05", Transient, "idle_timeout"),
        ("57014", Transient, "query_cancelled"),
        ("55P03", Transient, "lock_not_available"),
        ("08006", Transient, "connection"),
        ("08S01", Transient, "connection"),
        ("58030", Transient, "system"),
        ("23514", Refusal, "constraint_violation"),
        ("23P01", Refusal, "constraint_violation"),
        ("40002", Refusal, "constraint_violation"),
        ("44000", Refusal, "constraint_violation"),
        ("22001", Refusal, "data"),
        ("P0001", Refusal, "raised"),
        ("45000", Refusal, "raised"),
        ("42601", Permanent, "syntax_or_access"),
        ("42501", Permanent, "syntax_or_access"),
        ("28P01", Permanent, "authorization"),
        ("08P01", Permanent, "protocol"),
        ("57P04", Permanent, "database"),
        ("HY000", Permanent, "database"),
        ("XX000", Permanent, "database"),
        // Two bytes would end within a character.
        ("1\u{20ac}2", Permanent, "database"),
    ] {
        assert_eq!(said(state), class.code(name), "{state}");
    }
}

#[test]
fn each_result_code_of_sqlite_has_the_documented_class() {
    assert_eq!(said("5"), Class::Transient.code("busy"));
    assert_eq!(said("517"), Class::Transient.code("busy"));
    assert_eq!(said("6"), Class::Transient.code("locked"));
    assert_eq!(said("8714"), Class::Transient.code("system"));
    assert_eq!(said("13"), Class::Transient.code("insufficient_resources"));
    assert_eq!(said("2067"), Class::Refusal.code("constraint_violation"));
    assert_eq!(said("1"), Class::Permanent.code("database"));
    for garbage in ["", "-5", "five", "99999999999"] {
        assert_eq!(said(garbage), Class::Permanent.code("database"), "{garbage}");
    }
    assert_eq!(said(None), Class::Permanent.code("database"));
}

#[test]
fn a_violated_constraint_is_a_refusal_whatever_its_code() {
    let kinds: [(fn() -> ErrorKind, _); 4] = [
        (|| ErrorKind::UniqueViolation, "unique_violation"),
        (|| ErrorKind::ForeignKeyViolation, "foreign_key_violation"),
        (|| ErrorKind::NotNullViolation, "not_null_violation"),
        (|| ErrorKind::CheckViolation, "check_violation"),
    ];
    for (kind, name) in kinds {
        for code in [None, Some("23505"), Some("2067")] {
            let found = Error::from(Said { code, kind }).classify();
            assert_eq!(found, Class::Refusal.code(name));
        }
    }
}

#[test]
fn what_sqlx_says_itself_has_the_documented_class() {
    let io = |kind| Error::Io(io::Error::from(kind)).classify();
    assert_eq!(
        Error::RowNotFound.classify(),
        Class::Refusal.code("row_not_found")
    );
    assert_eq!(
        Error::PoolTimedOut.classify(),
        Class::Transient.code("pool_timed_out").not_sent()
    );
    assert_eq!(
        io(io::ErrorKind::ConnectionReset),
        Class::Transient.code("connection_reset")
    );
    assert_eq!(
        io(io::ErrorKind::ConnectionRefused),
        Class::Transient.code("connection_refused").not_sent()
    );
    assert_eq!(
        Error::WorkerCrashed.classify(),
        Class::Transient.code("worker_crashed")
    );

    let tls = |kind| Error::Tls(Box::new(io::Error::from(kind))).classify();
    assert_eq!(tls(io::ErrorKind::UnexpectedEof), Class::Transient.code("tls"));
    assert_eq!(tls(io::ErrorKind::InvalidData), Class::Permanent.code("tls"));

    let column = Error::ColumnNotFound("phone".to_owned());
    assert_eq!(column.classify(), Class::Permanent.code("column_not_found"));
    assert_eq!(
        Error::Decode("no number".into()).classify(),
        Class::Permanent.code("decode")
    );
    assert_eq!(
        Error::Protocol("garbled".to_owned()).classify(),
        Class::Permanent.code("protocol")
    );
    assert_eq!(Error::BeginFailed.classify(), Class::Permanent.code("sqlx"));
}

#[test]
fn what_this_process_did_wrong_says_nothing_of_the_database() {
    for error in [
        Error::PoolClosed,
        Error::Configuration("no host".into()),
        Error::Encode("too long".into()),
        Error::InvalidArgument("a zero byte".to_owned()),
    ] {
        let found = error.classify();
        assert_eq!(found.class(), Class::Permanent, "{error}");
        assert!(!found.is_evidence(), "{error}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_not_sent() {
    let closed = Closed::port();
    let error = connecting(closed.addr()).await;
    assert_eq!(
        error.classify(),
        Class::Transient.code("connection_refused").not_sent()
    );
    assert_eq!(Classification::find(&error), Some(error.classify()));
}

#[tokio::test]
async fn a_connection_that_breaks_off_claims_nothing() {
    for treat in [Treat::Reset, Treat::Close] {
        let server = Server::that(treat.clone()).await;
        let error = connecting(server.addr()).await;
        assert_eq!(error.classify().class(), Class::Transient, "{treat:?}: {error:?}");
        assert!(!error.classify().is_not_sent(), "{treat:?}: {error:?}");
    }
}

#[tokio::test]
async fn what_a_server_says_is_read_by_its_state() {
    let fields = b"SFATAL\0C53300\0Mtoo many clients\0\0";
    let length = u32::try_from(fields.len() + 4).expect("a short text");
    let answer = [b"E", &length.to_be_bytes()[..], fields].concat();
    let server = Server::that(Treat::Answer(answer)).await;
    let error = connecting(server.addr()).await;
    assert_eq!(
        error.classify(),
        Class::Transient.code("too_many_connections"),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_pool_without_a_free_connection_sent_nothing() {
    let server = Server::that(Treat::Silent).await;
    let pool = PgPoolOptions::new().acquire_timeout(Duration::from_secs(5));
    let pool = pool.connect_lazy(&url(server.addr())).expect("an address");
    let error = pool.acquire().await.expect_err("no connection");
    assert_eq!(
        error.classify(),
        Class::Transient.code("pool_timed_out").not_sent()
    );
}
