//! What the tests share: sockets that misbehave. And the examples of the guide to ready-made classes, which run here.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/classes.md")]
mod guide {}

fn local() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// A port that refuses connections for as long as this lives: it is taken, and nobody listens.
pub struct Closed(TcpSocket);

impl Closed {
    pub fn port() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(local()).expect("a free port");
        Self(socket)
    }

    pub fn addr(&self) -> SocketAddr {
        self.0.local_addr().expect("a bound socket")
    }
}

/// What becomes of each connection.
#[derive(Clone, Debug)]
pub enum Treat {
    /// It is accepted, and nothing ever comes back.
    Silent,
    /// It is reset while the request is unread.
    Reset,
    /// The request is read, and the connection closed.
    Close,
    /// The request is read, and this is sent before the connection is closed.
    Answer(Vec<u8>),
}

/// A server that treats all connections alike, until this is dropped.
pub struct Server {
    addr: SocketAddr,
    accepts: JoinHandle<()>,
}

impl Server {
    pub async fn that(treat: Treat) -> Self {
        let listener = TcpListener::bind(local()).await.expect("a free port");
        let addr = listener.local_addr().expect("a bound socket");
        let accepts = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, treat.clone()));
            }
        });
        Self { addr, accepts }
    }

    /// An HTTP server with one answer: the status line without the version, and what follows it.
    pub async fn answers(status: &str, headers: &[&str], body: &str) -> Self {
        let mut answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
        for header in headers {
            answer += header;
            answer += "\r\n";
        }
        if !headers
            .iter()
            .any(|header| header.starts_with("content-length") || header.starts_with("transfer-encoding"))
        {
            answer += &format!("content-length: {}\r\n", body.len());
        }
        Self::that(Treat::Answer((answer + "\r\n" + body).into())).await
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn url(&self) -> String {
        format!("http://{}/", self.addr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepts.abort();
    }
}

async fn serve(mut stream: TcpStream, treat: Treat) {
    let mut request = vec![0; 4096];
    match treat {
        Treat::Silent => std::future::pending().await,
        // What is unread when a socket closes makes it a reset.
        Treat::Reset => drop(stream.peek(&mut request).await),
        Treat::Close => drop(stream.read(&mut request).await),
        Treat::Answer(answer) => {
            if stream.read(&mut request).await.is_ok() {
                drop(stream.write_all(&answer).await);
            }
        }
    }
}
