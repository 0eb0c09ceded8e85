//! A cached read stays useful while the service that it asks is down.
//!
//! A real HTTP server plays the service that knows the opening hours of shops. It is healthy, then fails, then is healthy again.
//! The adapter in front of it caches what it read for 400 ms, and serves it for one more second where reading it again fails; a
//! circuit breaker keeps the failing service from being asked on each call. For each call it prints what the caller got, how old that
//! was, and how many requests had reached the service by then. Ends by itself in under 3 s, and fails where any of it is not so:
//!
//! ```text
//! cargo run --example opening_hours
//! ```

#![allow(unreachable_pub, reason = "the modules stand for crates of a service")]

use std::error::Error;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use application::{Hours, HoursError, OpeningHours, Seen, notice};
use infrastructure::{HttpOpeningHours, ResilientHttpOpeningHours};
use service::ShopService;

/// What the service does, and the port it needs. Neither knows of a cache, or of policies.
mod application {
    use std::time::Duration;

    #[derive(Clone, Debug, PartialEq)]
    pub struct Hours {
        pub opens: u64,
        pub closes: u64,
        pub seen: Seen,
    }

    /// That hours may be old is part of what they mean, so the port says it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Seen {
        JustNow,
        /// Recent enough to be taken for current.
        Lately(Duration),
        /// Nobody could say whether they still hold.
        Before(Duration),
    }

    #[derive(Clone, Debug, PartialEq, thiserror::Error)]
    pub enum HoursError {
        #[error("there is no such shop")]
        NoSuchShop,
        #[error("unavailable: {0}")]
        Unavailable(String),
    }

    pub trait OpeningHours: Send + Sync {
        fn find(&self, shop: &str) -> impl Future<Output = Result<Hours, HoursError>> + Send;
    }

    /// A use case: what the page of a shop says.
    pub fn notice(hours: &Result<Hours, HoursError>) -> String {
        match hours {
            Ok(Hours { opens, closes, seen }) => match seen {
                Seen::JustNow => format!("{opens} to {closes}  fresh"),
                Seen::Lately(age) => format!(
                    "{opens} to {closes}  fresh, from the cache, {} ms old",
                    age.as_millis()
                ),
                Seen::Before(age) => format!("{opens} to {closes}  stale, {} ms old", age.as_millis()),
            },
            Err(error) => error.to_string(),
        }
    }
}

/// How the service is asked, and what happens when it does not answer.
mod infrastructure {
    use std::time::Duration;

    use super::application::{Hours, HoursError, OpeningHours, Seen};
    use resil::{Class, Classification, ErrorMap, PolicyError, adapter};

    pub struct HttpOpeningHours {
        client: reqwest::Client,
        url: String,
    }

    impl HttpOpeningHours {
        pub fn new(url: &str) -> Self {
            Self {
                client: reqwest::Client::new(),
                url: format!("{url}/shops"),
            }
        }

        /// Gets each value that the cache serves. One that is older than `ttl_ms` is served only because the service failed.
        fn stamp(mut hours: Hours, age: Duration) -> Hours {
            hours.seen = if age < Duration::from_millis(400) {
                Seen::Lately(age)
            } else {
                Seen::Before(age)
            };
            hours
        }
    }

    #[adapter(
        kind = "gateway",
        errors = HoursErrors,
        timeout(ms = 300),
        retry(attempts = 2, base_ms = 10),
        circuit_breaker(failure_threshold = 2, reset_after_ms = 700),
    )]
    impl OpeningHours for HttpOpeningHours {
        #[cached(ttl_ms = 400, stale_if_error_ms = 1000, aged = Self::stamp)]
        async fn find(&self, shop: &str) -> Result<Hours, HoursError> {
            let unavailable = |error: reqwest::Error| HoursError::Unavailable(error.to_string());
            let request = self.client.get(format!("{}/{shop}", self.url));
            let answer = request.send().await.map_err(unavailable)?;
            match answer.status().as_u16() {
                200 => {}
                404 => return Err(HoursError::NoSuchShop),
                status => return Err(HoursError::Unavailable(format!("status {status}"))),
            }
            let hours: serde_json::Value = answer.json().await.map_err(unavailable)?;
            match (hours["opens"].as_u64(), hours["closes"].as_u64()) {
                (Some(opens), Some(closes)) => Ok(Hours {
                    opens,
                    closes,
                    seen: Seen::JustNow,
                }),
                _ => Err(HoursError::Unavailable("not what was agreed".to_owned())),
            }
        }
    }

    /// What each error says of the service.
    struct HoursErrors;

    impl ErrorMap<HoursError> for HoursErrors {
        fn classify(error: &HoursError) -> Classification {
            match error {
                // An answer, so it comes in place of a value that is stale.
                HoursError::NoSuchShop => Class::Refusal.into(),
                HoursError::Unavailable(_) => Class::Transient.code("unavailable"),
            }
        }

        fn policy(error: PolicyError) -> HoursError {
            HoursError::Unavailable(error.to_string())
        }
    }
}

/// The other service: a real HTTP server on this machine.
mod service {
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

    use axum::extract::Path;
    use axum::http::StatusCode;
    use axum::{Json, Router, routing::get};
    use tokio::net::TcpListener;

    pub struct ShopService {
        address: SocketAddr,
        state: Arc<State>,
    }

    #[derive(Default)]
    struct State {
        failing: AtomicBool,
        closes: AtomicU64,
        requests: AtomicU32,
    }

    impl ShopService {
        pub async fn start(closes: u64) -> std::io::Result<Self> {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            let state = Arc::new(State::default());
            state.closes.store(closes, Relaxed);

            let shops = Arc::clone(&state);
            let find = get(move |Path(shop): Path<String>| async move {
                shops.requests.fetch_add(1, Relaxed);
                if shops.failing.load(Relaxed) {
                    return Err(StatusCode::SERVICE_UNAVAILABLE);
                }
                if shop == "atlantis" {
                    return Err(StatusCode::NOT_FOUND);
                }
                let closes = shops.closes.load(Relaxed);
                Ok(Json(serde_json::json!({ "opens": 9, "closes": closes })))
            });
            tokio::spawn(axum::serve(listener, Router::new().route("/shops/{shop}", find)).into_future());
            Ok(Self { address, state })
        }

        pub fn url(&self) -> String {
            format!("http://{}", self.address)
        }

        pub fn set_failing(&self, failing: bool) {
            self.state.failing.store(failing, Relaxed);
        }

        pub fn set_closes(&self, closes: u64) {
            self.state.closes.store(closes, Relaxed);
        }

        pub fn requests(&self) -> u32 {
            self.state.requests.load(Relaxed)
        }
    }
}

/// Somebody who looks at pages of shops, and writes down what they say.
struct Visitor<'a, P> {
    hours: P,
    service: &'a ShopService,
    begin: Instant,
    calls: u32,
}

impl<P: OpeningHours> Visitor<'_, P> {
    async fn look(&mut self, shop: &str) -> Result<Hours, HoursError> {
        self.calls += 1;
        let at = self.begin.elapsed().as_millis();
        let hours = self.hours.find(shop).await;
        let requests = self.service.requests();
        println!(
            "{at:>5} ms  {requests:>2} requests  {shop:<8}  {}",
            notice(&hours)
        );
        hours
    }

    /// Until so long after the begin.
    async fn wait(&self, millis: u64) {
        tokio::time::sleep_until(self.begin + Duration::from_millis(millis)).await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = ShopService::start(18).await?;

    // The composition root: the only place that knows that the port is behind policies.
    let mut visitor = Visitor {
        hours: ResilientHttpOpeningHours::new(HttpOpeningHours::new(&service.url())),
        service: &service,
        begin: Instant::now(),
        calls: 0,
    };

    println!("the service is healthy");
    let first = visitor.look("hanover").await?;
    // From here on all times are those since the value was read.
    visitor.begin = Instant::now();
    let again = visitor.look("hanover").await?;
    let no_shop = visitor.look("atlantis").await;
    let asked_while_healthy = service.requests();

    println!("the service fails");
    service.set_failing(true);
    visitor.wait(100).await;
    let unnoticed = visitor.look("hanover").await?;
    visitor.wait(500).await;
    let stale = [visitor.look("hanover").await?, visitor.look("hanover").await?];
    let never_seen = visitor.look("bremen").await;
    visitor.wait(700).await;
    let still_stale = visitor.look("hanover").await?;
    let asked_while_open = service.requests() - asked_while_healthy;
    visitor.wait(1500).await;
    let too_old = visitor.look("hanover").await;

    println!("the service is healthy again, and the shop closes earlier");
    service.set_failing(false);
    service.set_closes(16);
    // The time after which the circuit lets a call through again.
    sleep(Duration::from_millis(750)).await;
    let recovered = visitor.look("hanover").await?;

    println!();
    println!(
        "{} calls, {} requests reached the service",
        visitor.calls,
        service.requests()
    );

    // That it really happened.
    assert_eq!(first.seen, Seen::JustNow);
    assert!(matches!(again.seen, Seen::Lately(_)), "{again:?}");
    assert_eq!(no_shop, Err(HoursError::NoSuchShop));
    assert!(matches!(unnoticed.seen, Seen::Lately(_)), "{unnoticed:?}");
    for hours in stale.iter().chain([&still_stale]) {
        assert!(matches!(hours.seen, Seen::Before(_)), "{hours:?}");
        assert_eq!(hours.closes, 18);
    }
    assert!(
        never_seen.is_err(),
        "there is nothing to serve for a shop that was never read"
    );
    assert_eq!(asked_while_open, 2, "the two failures that opened the circuit");
    assert!(too_old.is_err(), "nothing is served for ever");
    assert_eq!((recovered.seen, recovered.closes), (Seen::JustNow, 16));
    assert!(service.requests() < visitor.calls);
    Ok(())
}
