//! Errors of a real HTTP client, at real sockets.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ready::{Closed, Server, Treat};
use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Error, StatusCode};
use resil::reqwest::{DirectError, StatusError, checked};
use resil::{Class, Classification, Classify};

fn builder() -> ClientBuilder {
    Client::builder().no_proxy()
}

fn client() -> Client {
    builder().build().expect("a client")
}

async fn error(client: &Client, url: impl Into<String>) -> Error {
    client.post(url.into()).send().await.expect_err("no answer")
}

async fn answer(status: &str, headers: &[&str]) -> StatusError {
    let server = Server::answers(status, headers, "").await;
    let response = client().get(server.url()).send().await.expect("an answer");
    checked(response).expect_err("an error")
}

fn url(closed: &Closed) -> String {
    format!("http://{}/", closed.addr())
}

#[tokio::test]
async fn a_refused_connection_is_not_sent_only_where_redirects_are_ruled_out() {
    let closed = Closed::port();
    let error = error(&client(), url(&closed)).await;
    assert_eq!(error.classify(), Class::Transient.code("connect"));
    let direct = DirectError::from(error);
    assert_eq!(direct.classify(), Class::Transient.code("connect").not_sent());
    assert_eq!(Classification::find(&direct), Some(direct.classify()));
}

#[tokio::test]
async fn a_connection_refused_after_a_redirect_looks_like_one_refused_at_first() {
    let closed = Closed::port();
    let location = format!("location: {}", url(&closed));
    let first = Server::answers("303 See Other", &[&location], "").await;
    let error = error(&client(), first.url()).await;
    assert_eq!(error.classify(), Class::Transient.code("connect"));
    // Why nothing better can be said: neither the address nor the kind tells that `first` answered.
    assert_eq!(error.url().map(ToString::to_string), Some(first.url()));
    assert!(error.is_connect() && !error.is_redirect());
}

#[tokio::test]
async fn without_redirects_the_redirect_is_the_answer() {
    let closed = Closed::port();
    let location = format!("location: {}", url(&closed));
    let first = Server::answers("303 See Other", &[&location], "").await;
    let client = builder().redirect(Policy::none()).build().expect("a client");
    let response = client.post(first.url()).send().await.expect("an answer");
    assert_eq!(
        checked(response).expect("no error").status(),
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn a_reset_connection_may_have_been_sent() {
    let server = Server::that(Treat::Reset).await;
    let error = error(&client(), server.url()).await;
    assert_eq!(error.classify(), Class::Transient.code("connection_reset"));
    assert!(!DirectError::from(error).classify().is_not_sent());
}

#[tokio::test]
async fn a_connection_closed_before_the_answer_may_have_been_sent() {
    let server = Server::that(Treat::Close).await;
    let error = error(&client(), server.url()).await;
    assert_eq!(error.classify(), Class::Transient.code("request"));
    assert!(!DirectError::from(error).classify().is_not_sent());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_may_have_been_sent() {
    let server = Server::that(Treat::Silent).await;
    let client = builder()
        .timeout(Duration::from_secs(5))
        .build()
        .expect("a client");
    let error = DirectError::from(error(&client, server.url()).await);
    assert_eq!(error.classify(), Class::Transient.code("timed_out"));
}

/// Finds no address: at once, or never.
struct Resolver {
    answers: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, _: Name) -> Resolving {
        if self.answers {
            Box::pin(async { Err("no such host".into()) })
        } else {
            Box::pin(pending())
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_takes_too_long_is_not_sent() {
    let resolver = Arc::new(Resolver { answers: false });
    let client = builder()
        .connect_timeout(Duration::from_secs(5))
        .dns_resolver(resolver);
    let error = error(&client.build().expect("a client"), "http://sms.example/").await;
    assert_eq!(error.classify(), Class::Transient.code("connect_timed_out"));
    assert!(DirectError::from(error).classify().is_not_sent());
}

#[tokio::test]
async fn a_name_that_is_not_found_is_not_sent() {
    let client = builder().dns_resolver(Arc::new(Resolver { answers: true }));
    let error = error(&client.build().expect("a client"), "http://sms.example/").await;
    assert_eq!(error.classify(), Class::Transient.code("connect"));
    assert!(DirectError::from(error).classify().is_not_sent());
}

#[tokio::test]
async fn a_request_that_cannot_be_built_says_nothing_of_the_server() {
    let built = client()
        .get("http://sms.example/")
        .header("x-phone", "two\nlines")
        .send()
        .await;
    let found = built.expect_err("no request").classify();
    assert_eq!(found.class(), Class::Permanent);
    assert_eq!(found.get_code().map(AsRef::as_ref), Some("builder"));
    assert!(!found.is_evidence());
}

#[tokio::test]
async fn a_redirect_to_a_scheme_that_is_none_claims_nothing() {
    let first = Server::answers("302 Found", &["location: ftp://sms.example/"], "").await;
    let found = DirectError::from(error(&client(), first.url()).await).classify();
    assert_eq!(found.class(), Class::Permanent);
    assert!(!found.is_not_sent());
}

#[tokio::test]
async fn redirects_without_an_end_are_a_permanent_failure() {
    let server = Server::answers("302 Found", &["location: /again"], "").await;
    let found = error(&client(), server.url()).await.classify();
    assert_eq!(found, Class::Permanent.code("redirect"));
}

#[tokio::test]
async fn a_body_that_breaks_off_may_pass_and_one_that_cannot_be_read_does_not() {
    let broken = Server::answers("200 OK", &["content-length: 100"], "1").await;
    let response = client().get(broken.url()).send().await.expect("an answer");
    let found = response.json::<u32>().await.expect_err("no value").classify();
    assert_eq!(found, Class::Transient.code("unexpected_eof"));

    let garbled = Server::answers("200 OK", &["transfer-encoding: chunked"], "zz\r\n").await;
    let response = client().get(garbled.url()).send().await.expect("an answer");
    let found = response.bytes().await.expect_err("no value").classify();
    assert_eq!(found, Class::Transient.code("body"));

    let unreadable = Server::answers("200 OK", &[], "a page").await;
    let response = client().get(unreadable.url()).send().await.expect("an answer");
    let found = response.json::<u32>().await.expect_err("no value").classify();
    assert_eq!(found, Class::Permanent.code("decode"));
}

#[tokio::test]
async fn a_server_that_speaks_something_else_is_a_permanent_failure() {
    let server = Server::that(Treat::Answer(b"220 mail.example ESMTP\r\n".into())).await;
    let found = error(&client(), server.url()).await.classify();
    assert_eq!(found, Class::Permanent.code("protocol"));
}

#[tokio::test]
async fn an_answer_that_is_no_error_goes_through() {
    let server = Server::answers("200 OK", &["retry-after: 5"], "7").await;
    let response = client().get(server.url()).send().await.expect("an answer");
    let response = checked(response).expect("no error");
    assert_eq!(response.json::<u32>().await.expect("a number"), 7);
}

#[tokio::test]
async fn retry_after_in_seconds_reaches_the_class() {
    let wait = Duration::from_secs(7);
    let busy = answer("429 Too Many Requests", &["retry-after: 7"]).await;
    assert_eq!(
        busy.classify(),
        Class::Transient.code("http_429").retry_after(wait)
    );
    assert_eq!(busy.clone(), busy);
    let down = answer("503 Service Unavailable", &["Retry-After: 7"]).await;
    assert_eq!(
        down.classify(),
        Class::Transient.code("http_503").retry_after(wait)
    );
}

#[tokio::test]
async fn retry_after_as_a_date_reaches_the_class() {
    let day = Duration::from_secs(24 * 60 * 60);
    let date = httpdate::fmt_http_date(SystemTime::now() + 30 * day);
    let down = answer("503 Service Unavailable", &[&format!("retry-after: {date}")]).await;
    let wait = down.retry_after().expect("a wait");
    assert!(wait > 29 * day && wait <= 30 * day, "{wait:?}");
    assert_eq!(down.classify().get_retry_after(), Some(wait));

    let past = "retry-after: Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(
        answer("429 Too Many Requests", &[past]).await.retry_after(),
        Some(Duration::ZERO)
    );
}

#[tokio::test]
async fn a_retry_after_that_makes_no_sense_is_as_none() {
    for value in ["soon", "-1", "99999999999999999999999999", "\u{e9}"] {
        let down = answer("503 Service Unavailable", &[&format!("retry-after: {value}")]).await;
        assert_eq!(down.classify(), Class::Transient.code("http_503"), "{value}");
    }
}

#[tokio::test]
async fn the_clients_own_error_of_a_status_has_the_same_class_without_the_wait() {
    for (status, expected) in [
        ("404 Not Found", Class::Refusal.code("http_404")),
        ("401 Unauthorized", Class::Permanent.code("http_401")),
        ("429 Too Many Requests", Class::Transient.code("http_429")),
        ("502 Bad Gateway", Class::Transient.code("http_502")),
    ] {
        let server = Server::answers(status, &["retry-after: 7"], "").await;
        let response = client().get(server.url()).send().await.expect("an answer");
        let error = response.error_for_status().expect_err("an error");
        assert_eq!(error.classify(), expected);
        assert_eq!(Classification::find(&error), Some(expected));
    }
}

#[derive(Debug, thiserror::Error, resil::Classify)]
enum SmsError {
    #[error("no answer")]
    #[class(inherit)]
    Unreachable(#[from] DirectError),
    #[error("an error for an answer")]
    #[class(inherit)]
    Answered(#[from] StatusError),
}

#[tokio::test]
async fn a_derived_class_takes_over_what_the_client_says() {
    let closed = Closed::port();
    let sent = client().get(url(&closed)).send().await.map_err(DirectError::from);
    let unreachable = SmsError::from(sent.expect_err("no answer"));
    assert_eq!(
        unreachable.classify(),
        Class::Transient.code("unreachable.connect").not_sent()
    );

    let answered = SmsError::from(answer("429 Too Many Requests", &["retry-after: 7"]).await);
    let expected = Class::Transient
        .code("answered.http_429")
        .retry_after(Duration::from_secs(7));
    assert_eq!(answered.classify(), expected);
}
