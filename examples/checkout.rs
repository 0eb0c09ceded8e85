//! A checkout asks three dependencies within one deadline, and never pays twice.
//!
//! Real HTTP servers play a stock, a shipping and a payment service. The handler at the edge gives each checkout 800 ms in all. What is
//! left of them goes along with each request, so that a server does not begin what nobody would wait for. A shipping estimate that is
//! late is replaced by the standard one. A payment is repeated only while it cannot have reached the service, and carries a key by
//! which the service would know it again. For each checkout it prints what the customer got, and what the payment service saw and
//! booked. Ends by itself in under 3 s, and fails where any of it is not so:
//!
//! ```text
//! cargo run --example checkout
//! ```

#![allow(unreachable_pub, reason = "the modules stand for crates of a service")]

use std::error::Error;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use application::{CheckoutError, PaymentError, Payments, Receipt, Shipping, Stock, checkout};
use infrastructure::{
    HttpPayments, HttpShipping, HttpStock, ResilientHttpPayments, ResilientHttpShipping, ResilientHttpStock,
};
use services::{Ledger, Mood, PaymentService, Warehouse};

/// What the service does, and the ports it needs. None of it knows of policies.
mod application {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Estimate {
        pub days: u64,
        /// Nobody estimated it; it is what holds for every order.
        pub standard: bool,
    }

    #[derive(Debug)]
    pub struct Receipt {
        pub payment: String,
        pub estimate: Estimate,
    }

    #[derive(Debug, thiserror::Error)]
    #[error("unavailable: {0}")]
    pub struct Unavailable(pub String);

    /// The difference that matters to a customer: whether money may have moved.
    #[derive(Debug, thiserror::Error)]
    pub enum PaymentError {
        #[error("payment unreachable, nothing was charged")]
        Unreachable,
        #[error("payment had too little time, nothing was charged")]
        TooLate,
        #[error("payment unclear ({0}), support will check")]
        Unclear(String),
    }

    #[derive(Debug, thiserror::Error)]
    pub enum CheckoutError {
        #[error("sold out")]
        SoldOut,
        #[error(transparent)]
        Unavailable(#[from] Unavailable),
        #[error(transparent)]
        Payment(#[from] PaymentError),
    }

    pub trait Stock: Sync {
        fn available(&self, item: &str) -> impl Future<Output = Result<bool, Unavailable>> + Send;
    }

    pub trait Shipping: Sync {
        fn estimate(&self, item: &str) -> impl Future<Output = Result<Estimate, Unavailable>> + Send;
    }

    pub trait Payments: Sync {
        fn charge(&self, cents: u64) -> impl Future<Output = Result<String, PaymentError>> + Send;
    }

    /// The use case.
    pub async fn checkout(
        stock: &impl Stock,
        shipping: &impl Shipping,
        payments: &impl Payments,
        item: &str,
    ) -> Result<Receipt, CheckoutError> {
        if !stock.available(item).await? {
            return Err(CheckoutError::SoldOut);
        }
        let estimate = shipping.estimate(item).await?;
        let payment = payments.charge(4_900).await?;
        Ok(Receipt { payment, estimate })
    }
}

/// How the three services are asked, and what happens when that goes wrong.
mod infrastructure {
    use reqwest::{Client, RequestBuilder};
    use resil::{Attempt, Class, Classification, ErrorMap, PolicyError, adapter, header};

    use super::application::{Estimate, PaymentError, Payments, Shipping, Stock, Unavailable};

    /// Tells the server how long anybody waits for its answer.
    fn with_time_left(request: RequestBuilder) -> RequestBuilder {
        match header::deadline() {
            Some(left) => request.header(header::DEADLINE, left),
            None => request,
        }
    }

    async fn read(request: RequestBuilder) -> Result<serde_json::Value, Unavailable> {
        let unavailable = |error: reqwest::Error| Unavailable(error.to_string());
        let answer = with_time_left(request).send().await.map_err(unavailable)?;
        let answer = answer.error_for_status().map_err(unavailable)?;
        answer.json().await.map_err(unavailable)
    }

    pub struct HttpStock {
        client: Client,
        url: String,
    }

    impl HttpStock {
        pub fn new(client: Client, url: String) -> Self {
            Self { client, url }
        }
    }

    #[adapter(kind = "external", errors = ReadErrors, retry(attempts = 3, base_ms = 20), timeout(ms = 300))]
    impl Stock for HttpStock {
        async fn available(&self, item: &str) -> Result<bool, Unavailable> {
            let answer = read(self.client.get(format!("{}/stock/{item}", self.url))).await?;
            Ok(answer["pieces"].as_u64().is_some_and(|pieces| pieces > 0))
        }
    }

    pub struct HttpShipping {
        client: Client,
        url: String,
    }

    impl HttpShipping {
        pub fn new(client: Client, url: String) -> Self {
            Self { client, url }
        }
    }

    #[adapter(kind = "external", errors = ReadErrors, timeout(ms = 200))]
    impl Shipping for HttpShipping {
        #[fallback(value = Estimate { days: 5, standard: true })]
        async fn estimate(&self, item: &str) -> Result<Estimate, Unavailable> {
            let answer = read(self.client.get(format!("{}/shipping/{item}", self.url))).await?;
            let days = answer["days"]
                .as_u64()
                .ok_or_else(|| Unavailable("not what was agreed".to_owned()))?;
            Ok(Estimate {
                days,
                standard: false,
            })
        }
    }

    struct ReadErrors;

    impl ErrorMap<Unavailable> for ReadErrors {
        fn classify(_: &Unavailable) -> Classification {
            Class::Transient.code("unavailable")
        }

        fn policy(error: PolicyError) -> Unavailable {
            Unavailable(error.to_string())
        }
    }

    pub struct HttpPayments {
        client: Client,
        url: String,
    }

    impl HttpPayments {
        pub fn new(client: Client, url: String) -> Self {
            Self { client, url }
        }
    }

    #[adapter(
        kind = "external",
        errors = PaymentErrors,
        retry(attempts = 4, base_ms = 40, jitter = "none"),
        timeout(ms = 400),
    )]
    impl Payments for HttpPayments {
        // Repeated only after what `PaymentErrors` calls not sent: never after a timeout, or a failure halfway.
        #[non_idempotent]
        async fn charge(&self, cents: u64) -> Result<String, PaymentError> {
            let charge = serde_json::json!({ "cents": cents });
            let mut request = with_time_left(self.client.post(&self.url)).json(&charge);
            if let Some(attempt) = Attempt::current() {
                // The same in all attempts of this call, so that the service books it once whatever happens.
                request = request.header("idempotency-key", attempt.call_id().to_string());
                request = request.header("attempt", attempt.number());
            }
            let answer = request.send().await.map_err(|error| {
                if error.is_connect() {
                    PaymentError::Unreachable
                } else {
                    PaymentError::Unclear(error.to_string())
                }
            })?;
            match answer.status().as_u16() {
                200 => answer
                    .text()
                    .await
                    .map_err(|error| PaymentError::Unclear(error.to_string())),
                504 => Err(PaymentError::TooLate),
                status => Err(PaymentError::Unclear(format!("status {status}"))),
            }
        }
    }

    struct PaymentErrors;

    impl ErrorMap<PaymentError> for PaymentErrors {
        fn classify(error: &PaymentError) -> Classification {
            match error {
                // There was no connection to send it over.
                PaymentError::Unreachable => Class::Transient.code("unreachable").not_sent(),
                // Another attempt would have even less time.
                PaymentError::TooLate => Class::Permanent.code("too_late"),
                PaymentError::Unclear(_) => Class::Transient.code("unclear"),
            }
        }

        fn policy(error: PolicyError) -> PaymentError {
            // True only if no attempt of the whole call may have reached the service.
            if error.not_sent() {
                PaymentError::Unreachable
            } else {
                PaymentError::Unclear(error.to_string())
            }
        }
    }
}

/// The other services: real HTTP servers on this machine.
mod services {
    use std::collections::BTreeMap;
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    use axum::extract::Path;
    use axum::http::{HeaderMap, StatusCode};
    use axum::{Json, Router, routing::get, routing::post};
    use resil::header;
    use tokio::net::TcpListener;
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;
    use tokio::time::sleep;

    /// Knows what is in stock, and how long it takes to the customer.
    pub struct Warehouse {
        address: SocketAddr,
        shipping_takes_ms: Arc<AtomicU64>,
    }

    impl Warehouse {
        pub async fn start() -> std::io::Result<Self> {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            let shipping_takes_ms = Arc::new(AtomicU64::new(5));
            let takes_ms = Arc::clone(&shipping_takes_ms);
            let stock = get(|Path(_): Path<String>| async { Json(serde_json::json!({ "pieces": 3 })) });
            let shipping = get(move |Path(_): Path<String>| async move {
                sleep(Duration::from_millis(takes_ms.load(Relaxed))).await;
                Json(serde_json::json!({ "days": 2 }))
            });
            let routes = Router::new()
                .route("/stock/{item}", stock)
                .route("/shipping/{item}", shipping);
            tokio::spawn(axum::serve(listener, routes).into_future());
            Ok(Self {
                address,
                shipping_takes_ms,
            })
        }

        pub fn url(&self) -> String {
            format!("http://{}", self.address)
        }

        pub fn shipping_takes(&self, millis: u64) {
            self.shipping_takes_ms.store(millis, Relaxed);
        }
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub enum Mood {
        #[default]
        Healthy,
        /// A charge takes this long.
        Slow(Duration),
        /// Charges, and fails to say so.
        Forgetful,
    }

    /// What the payment service remembers.
    #[derive(Default)]
    pub struct Ledger {
        pub mood: Mood,
        /// For each request that reached it, the number of the attempt and the time that its caller had left.
        pub requests: Vec<(String, Option<Duration>)>,
        /// What was charged, by idempotency key.
        pub booked: BTreeMap<String, u64>,
    }

    pub struct PaymentService {
        address: SocketAddr,
        ledger: Arc<Mutex<Ledger>>,
        running: Option<(oneshot::Sender<()>, JoinHandle<std::io::Result<()>>)>,
    }

    impl PaymentService {
        pub async fn start() -> std::io::Result<Self> {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let mut service = Self {
                address: listener.local_addr()?,
                ledger: Arc::default(),
                running: None,
            };
            service.serve(listener);
            Ok(service)
        }

        pub fn url(&self) -> String {
            format!("http://{}/charges", self.address)
        }

        pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
            self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// From now on its port refuses connections.
        pub async fn stop(&mut self) {
            if let Some((stop, server)) = self.running.take() {
                drop(stop);
                let _ = server.await;
            }
        }

        pub async fn restart(&mut self) -> std::io::Result<()> {
            let listener = TcpListener::bind(self.address).await?;
            self.serve(listener);
            Ok(())
        }

        fn serve(&mut self, listener: TcpListener) {
            let (stop, stopped) = oneshot::channel::<()>();
            let ledger = Arc::clone(&self.ledger);
            let charges = post(
                move |headers: HeaderMap, Json(charge): Json<serde_json::Value>| async move {
                    book(&ledger, &headers, charge["cents"].as_u64().unwrap_or(0)).await
                },
            );
            let server = axum::serve(listener, Router::new().route("/charges", charges));
            let server = server.with_graceful_shutdown(async {
                let _ = stopped.await;
            });
            self.running = Some((stop, tokio::spawn(server.into_future())));
        }
    }

    async fn book(ledger: &Mutex<Ledger>, headers: &HeaderMap, cents: u64) -> Result<String, StatusCode> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let key = text("idempotency-key").ok_or(StatusCode::BAD_REQUEST)?;
        let left = text(header::DEADLINE).and_then(header::parse_deadline);
        let mood = {
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            let attempt = text("attempt").unwrap_or("?").to_owned();
            ledger.requests.push((attempt, left));
            ledger.mood
        };
        let takes = match mood {
            Mood::Slow(takes) => takes,
            Mood::Healthy | Mood::Forgetful => Duration::from_millis(10),
        };
        // A charge that ends after its caller has gone would be one that nobody knows of, so it does not begin.
        if left.is_some_and(|left| left < takes) {
            return Err(StatusCode::GATEWAY_TIMEOUT);
        }
        sleep(takes).await;
        let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.booked.entry(key.to_owned()).or_insert(cents);
        match mood {
            Mood::Forgetful => Err(StatusCode::INTERNAL_SERVER_ERROR),
            Mood::Healthy | Mood::Slow(_) => Ok(format!("payment {}", ledger.booked.len())),
        }
    }
}

/// What a customer waits for at most.
const PATIENCE: Duration = Duration::from_millis(800);

/// The edge of the service: here the deadline begins, for all that the use case calls.
struct Edge<S, H, P> {
    stock: S,
    shipping: H,
    payments: P,
}

impl<S: Stock, H: Shipping, P: Payments> Edge<S, H, P> {
    async fn handle(&self, title: &str) -> Result<Receipt, CheckoutError> {
        let begin = Instant::now();
        let use_case = checkout(&self.stock, &self.shipping, &self.payments, "kettle");
        let result = resil::with_deadline(PATIENCE, use_case).await;
        let took = begin.elapsed().as_millis();
        println!("{title}\n    customer, after {took} ms: {}", told(&result));
        result
    }
}

fn told(result: &Result<Receipt, CheckoutError>) -> String {
    match result {
        Ok(Receipt { payment, estimate }) => {
            let days = estimate.days;
            let how = if estimate.standard {
                "standard"
            } else {
                "estimated"
            };
            format!("{payment} taken, arrives in {days} days ({how})")
        }
        Err(error) => error.to_string(),
    }
}

/// What reached the payment service since the last checkout; and how much it has booked in all.
fn audit(payments: &PaymentService) -> (Vec<(String, Option<Duration>)>, usize) {
    let mut ledger = payments.ledger();
    let Ledger { requests, booked, .. } = &mut *ledger;
    let requests = std::mem::take(requests);
    for (attempt, left) in &requests {
        let left = left.map_or("no deadline".to_owned(), |left| {
            format!("{} ms left", left.as_millis())
        });
        println!("    payment service: got attempt {attempt}, {left}");
    }
    if requests.is_empty() {
        println!("    payment service: got nothing");
    }
    println!("    payment service: {} booked in all", booked.len());
    (requests, booked.len())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let warehouse = Warehouse::start().await?;
    let mut payments = PaymentService::start().await?;

    // The composition root: the only place that knows that the ports are behind policies.
    let client = reqwest::Client::new();
    // A connection kept from an earlier payment could break after the request was sent; a new one says for certain that it was not.
    let payment_client = reqwest::Client::builder().pool_max_idle_per_host(0).build()?;
    let edge = Edge {
        stock: ResilientHttpStock::new(HttpStock::new(client.clone(), warehouse.url())),
        shipping: ResilientHttpShipping::new(HttpShipping::new(client, warehouse.url())),
        payments: ResilientHttpPayments::new(HttpPayments::new(payment_client, payments.url())),
    };

    let receipt = edge.handle("all healthy").await?;
    let (requests, booked) = audit(&payments);
    assert!(!receipt.estimate.standard);
    assert_eq!((requests.len(), booked), (1, 1));
    assert!(requests[0].1.is_some_and(|left| left <= PATIENCE));

    warehouse.shipping_takes(600);
    let receipt = edge
        .handle("shipping is slow: it falls back, and payment has less time")
        .await?;
    let (requests, booked) = audit(&payments);
    assert!(receipt.estimate.standard);
    assert_eq!((requests.len(), booked), (1, 2));
    assert!(
        requests[0]
            .1
            .is_some_and(|left| left + Duration::from_millis(200) <= PATIENCE)
    );
    warehouse.shipping_takes(5);

    payments.stop().await;
    let result = edge
        .handle("payment is down: tried again, as nothing was sent")
        .await;
    let (requests, booked) = audit(&payments);
    assert!(matches!(
        result,
        Err(CheckoutError::Payment(PaymentError::Unreachable))
    ));
    assert_eq!((requests.len(), booked), (0, 2));

    let title = "payment is down, and back after 80 ms: a later attempt gets through";
    let (result, restarted) = tokio::join!(edge.handle(title), async {
        sleep(Duration::from_millis(80)).await;
        payments.restart().await
    });
    restarted?;
    let (requests, booked) = audit(&payments);
    result?;
    assert_eq!((requests.len(), booked), (1, 3));
    assert_ne!(requests[0].0, "1", "the first attempt found the service down");

    payments.ledger().mood = Mood::Slow(Duration::from_millis(900));
    let result = edge
        .handle("payment would take 900 ms: it sees that there is no time for it")
        .await;
    let (requests, booked) = audit(&payments);
    assert!(matches!(
        result,
        Err(CheckoutError::Payment(PaymentError::TooLate))
    ));
    assert_eq!((requests.len(), booked), (1, 3));

    payments.ledger().mood = Mood::Forgetful;
    let result = edge
        .handle("payment charges, and fails to say so: not tried again")
        .await;
    let (requests, booked) = audit(&payments);
    assert!(matches!(
        result,
        Err(CheckoutError::Payment(PaymentError::Unclear(_)))
    ));
    assert_eq!((requests.len(), booked), (1, 4));

    Ok(())
}
