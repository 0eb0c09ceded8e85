//! Statuses of a real gRPC channel, and of a server.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::PathAndQuery;
use ready::{Closed, Server, Treat};
use resil::{Class, Classification, Classify};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataValue;
use tonic::server::NamedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

/// Messages without content.
#[derive(Default)]
struct Empty;

impl Codec for Empty {
    type Encode = ();
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Empty {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
        Ok(())
    }
}

impl Decoder for Empty {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, _: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        Ok(Some(()))
    }
}

async fn call(channel: Channel) -> Status {
    let mut client = tonic::client::Grpc::new(channel);
    if let Err(error) = client.ready().await {
        return Status::from_error(Box::new(error));
    }
    let path = PathAndQuery::from_static("/sms.Sender/Send");
    client
        .unary(tonic::Request::new(()), path, Empty)
        .await
        .expect_err("no answer")
}

fn endpoint(addr: std::net::SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{addr}")).expect("an address")
}

/// Answers every call with one status.
#[derive(Clone)]
struct Answers(fn() -> Status);

impl NamedService for Answers {
    const NAME: &'static str = "sms.Sender";
}

impl tower::Service<http::Request<Body>> for Answers {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Request<Body>) -> Self::Future {
        ready(Ok((self.0)().into_http()))
    }
}

/// The status that a client gets where a server answers with `status`.
async fn answered(status: fn() -> Status) -> Status {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("a bound socket");
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    let server = tonic::transport::Server::builder().add_service(Answers(status));
    let server = tokio::spawn(server.serve_with_incoming(incoming));
    let status = call(endpoint(addr).connect_lazy()).await;
    server.abort();
    status
}

#[tokio::test]
async fn a_channel_that_cannot_connect_sent_nothing() {
    let closed = Closed::port();
    let status = call(endpoint(closed.addr()).connect_lazy()).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.classify(), Class::Transient.code("connect").not_sent());
    assert_eq!(Classification::find(&status), Some(status.classify()));

    let eager = endpoint(closed.addr())
        .connect()
        .await
        .expect_err("no connection");
    let eager = Status::from_error(Box::new(eager));
    assert_eq!(eager.classify(), Class::Transient.code("connect").not_sent());
}

#[tokio::test]
async fn a_server_that_says_it_is_unavailable_may_have_begun() {
    let status = answered(|| Status::unavailable("tcp connect error")).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.classify(), Class::Transient.code("unavailable"));
}

#[tokio::test]
async fn a_connection_that_breaks_off_may_have_been_sent() {
    for treat in [Treat::Reset, Treat::Close] {
        let server = Server::that(treat.clone()).await;
        let status = call(endpoint(server.addr()).connect_lazy()).await;
        let found = status.classify();
        assert_eq!(found.class(), Class::Transient, "{treat:?}: {status:?}");
        assert!(!found.is_not_sent(), "{treat:?}: {status:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_may_have_been_sent() {
    let server = Server::that(Treat::Silent).await;
    let status = call(
        endpoint(server.addr())
            .timeout(Duration::from_secs(5))
            .connect_lazy(),
    )
    .await;
    assert_eq!(status.classify(), Class::Transient.code("timed_out"));
}

#[tokio::test]
async fn the_server_says_when_to_come_back() {
    let status = answered(|| {
        let mut status = Status::resource_exhausted("");
        status
            .metadata_mut()
            .insert("grpc-retry-pushback-ms", MetadataValue::from_static("1500"));
        status
    });
    let expected = Class::Transient
        .code("resource_exhausted")
        .retry_after(Duration::from_millis(1500));
    assert_eq!(status.await.classify(), expected);
}

#[test]
fn the_server_says_not_to_come_back() {
    for value in ["-1", "soon", "", "315360000001", "99999999999999999999999999"] {
        let mut status = Status::unavailable("");
        let value: MetadataValue<_> = value.parse().expect("a value");
        status.metadata_mut().insert("grpc-retry-pushback-ms", value);
        assert_eq!(status.classify(), Class::Permanent.code("unavailable"));
    }
}

#[test]
fn each_code_has_the_documented_class() {
    use Class::{Permanent, Refusal, Transient};
    for (code, class, name) in [
        (Code::Ok, Permanent, "ok"),
        (Code::Cancelled, Transient, "cancelled"),
        (Code::Unknown, Transient, "unknown"),
        (Code::InvalidArgument, Refusal, "invalid_argument"),
        (Code::DeadlineExceeded, Transient, "deadline_exceeded"),
        (Code::NotFound, Refusal, "not_found"),
        (Code::AlreadyExists, Refusal, "already_exists"),
        (Code::PermissionDenied, Refusal, "permission_denied"),
        (Code::ResourceExhausted, Transient, "resource_exhausted"),
        (Code::FailedPrecondition, Refusal, "failed_precondition"),
        (Code::Aborted, Transient, "aborted"),
        (Code::OutOfRange, Refusal, "out_of_range"),
        (Code::Unimplemented, Permanent, "unimplemented"),
        (Code::Internal, Transient, "internal"),
        (Code::Unavailable, Transient, "unavailable"),
        (Code::DataLoss, Permanent, "data_loss"),
        (Code::Unauthenticated, Permanent, "unauthenticated"),
    ] {
        assert_eq!(Status::new(code, "").classify(), class.code(name));
    }
}
