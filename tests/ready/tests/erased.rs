//! What is found in an `anyhow::Error`.

use std::io;

use anyhow::{Context, anyhow};
use ready::Closed;
use resil::reqwest::{DirectError, StatusError};
use resil::{Class, Classification, Classify, PolicyError, PolicyErrorKind};

fn refused() -> io::Error {
    io::ErrorKind::ConnectionRefused.into()
}

/// An error of somebody else's library.
#[derive(Debug, thiserror::Error)]
#[error("could not load")]
struct Foreign(#[source] io::Error);

/// An error of the service, which anyhow cannot know has classes.
#[derive(Debug, thiserror::Error, resil::Classify)]
enum Own {
    #[error("the number was refused")]
    #[class(refusal)]
    NumberRefused,
}

#[test]
fn contexts_are_seen_through() {
    let error = anyhow::Error::from(refused())
        .context("while sending")
        .context("at last");
    assert_eq!(error.classify(), refused().classify());
    assert!(error.classify().is_not_sent());
}

#[test]
fn beneath_a_foreign_error_nothing_is_claimed_to_be_unsent() {
    let error = anyhow::Error::from(Foreign(refused())).context("while sending");
    assert_eq!(error.classify(), Class::Transient.code("connection_refused"));
}

#[test]
fn each_ready_made_class_is_found() {
    let not_found = StatusError::new(reqwest::StatusCode::NOT_FOUND);
    let policy = PolicyError::new(PolicyErrorKind::CircuitOpen);
    let classes: [(anyhow::Error, Classification); 4] = [
        (
            tonic::Status::not_found("").into(),
            Class::Refusal.code("not_found"),
        ),
        (
            sqlx::Error::RowNotFound.into(),
            Class::Refusal.code("row_not_found"),
        ),
        (not_found.into(), Class::Refusal.code("http_404")),
        (policy.clone().into(), policy.classify()),
    ];
    for (error, expected) in classes {
        assert_eq!(error.context("while sending").classify(), expected);
    }
}

#[tokio::test]
async fn the_outermost_class_decides() {
    // The client's error stands above the refused connection, and knows of redirects.
    let closed = Closed::port();
    let url = format!("http://{}/", closed.addr());
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let sent = || client.get(&url).send();
    let plain = sent().await.context("while sending").expect_err("no answer");
    assert_eq!(plain.classify(), Class::Transient.code("connect"));
    let direct = sent().await.map_err(DirectError::from).context("while sending");
    let direct = direct.expect_err("no answer");
    assert_eq!(direct.classify(), Class::Transient.code("connect").not_sent());
}

#[test]
fn what_nobody_knows_is_a_failure_that_is_not_repeated() {
    let unclassified = Class::Permanent.code("unclassified");
    assert_eq!(anyhow!("no idea").classify(), unclassified);
    assert_eq!(anyhow::Error::from(Own::NumberRefused).classify(), unclassified);
    assert!(anyhow!("no idea").classify().is_evidence());
}

#[test]
fn a_port_may_have_it_as_its_error() {
    let open = PolicyError::new(PolicyErrorKind::CircuitOpen);
    fn carries<E: Classify + From<PolicyError>>(error: PolicyError) -> Classification {
        E::from(error).classify()
    }
    assert_eq!(carries::<anyhow::Error>(open.clone()), open.classify());
}
