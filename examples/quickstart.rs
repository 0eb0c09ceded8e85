//! An adapter survives an outage of the provider that it calls.
//!
//! Starts a real HTTP server that plays an SMS provider, and lets it go through healthy, slow, failing, gone and healthy again.
//! Two callers send the same traffic: one through the bare adapter, one through its wrapper. Ends by itself in under 20 s:
//!
//! ```text
//! cargo run --example quickstart
//! ```

#![allow(unreachable_pub, reason = "the modules stand for crates of a service")]

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use resil::{CircuitState, Protected};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use application::{SmsError, SmsSender, remind};
use infrastructure::{HttpSmsSender, ResilientHttpSmsSender};
use provider::{Mood, Provider};

/// What the service does, and the port it needs. Neither knows how messages leave the process.
mod application {
    #[derive(Debug)]
    pub enum SmsError {
        NumberRefused,
        Unreachable,
        Unavailable(String),
    }

    pub trait SmsSender: Send + Sync {
        fn send(&self, phone: &str, text: &str) -> impl Future<Output = Result<(), SmsError>> + Send;
    }

    /// A use case: it has no policy, and sees none.
    pub async fn remind(sms: &impl SmsSender, phone: &str) -> Result<(), SmsError> {
        sms.send(phone, "Your appointment is tomorrow at nine.").await
    }
}

/// How messages leave the process, and what happens when that goes wrong.
mod infrastructure {
    use super::application::{SmsError, SmsSender};
    use resil::{Class, Classification, ErrorMap, PolicyError, adapter};

    #[derive(Clone)]
    pub struct HttpSmsSender {
        client: reqwest::Client,
        url: String,
        caller: &'static str,
    }

    impl HttpSmsSender {
        pub fn new(url: &str, caller: &'static str) -> Self {
            Self {
                client: reqwest::Client::new(),
                url: format!("{url}/messages"),
                caller,
            }
        }
    }

    #[adapter(
        kind = "external",
        errors = SmsErrors,
        retry(attempts = 3, base_ms = 20),
        circuit_breaker(failure_threshold = 5, reset_after_ms = 700),
        bulkhead(max_concurrent = 16),
        timeout(ms = 250),
    )]
    impl SmsSender for HttpSmsSender {
        async fn send(&self, phone: &str, text: &str) -> Result<(), SmsError> {
            let message = serde_json::json!({ "phone": phone, "text": text });
            let request = self
                .client
                .post(&self.url)
                .header("caller", self.caller)
                .json(&message);
            let answer = request.send().await.map_err(|_| SmsError::Unreachable)?;
            match answer.status().as_u16() {
                200..=299 => Ok(()),
                422 => Err(SmsError::NumberRefused),
                status => Err(SmsError::Unavailable(format!("status {status}"))),
            }
        }
    }

    /// What each error says of the provider.
    struct SmsErrors;

    impl ErrorMap<SmsError> for SmsErrors {
        fn classify(error: &SmsError) -> Classification {
            match error {
                SmsError::NumberRefused => Class::Refusal.into(),
                SmsError::Unreachable => Class::Transient.code("unreachable"),
                SmsError::Unavailable(_) => Class::Transient.code("unavailable"),
            }
        }

        fn policy(error: PolicyError) -> SmsError {
            SmsError::Unavailable(error.to_string())
        }
    }
}

/// The provider: a real HTTP server on this machine.
mod provider {
    use std::collections::BTreeMap;
    use std::net::SocketAddr;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Duration;

    use axum::http::{HeaderMap, StatusCode};
    use axum::{Json, Router, routing::post};
    use tokio::net::TcpListener;
    use tokio::sync::oneshot;
    use tokio::time::sleep;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Mood {
        Healthy,
        Slow,
        Failing,
        Gone,
    }

    pub struct Provider {
        address: SocketAddr,
        mood: Arc<Mutex<Mood>>,
        /// Requests received, by caller.
        seen: Arc<Mutex<BTreeMap<String, u32>>>,
        stop: Option<oneshot::Sender<()>>,
    }

    impl Provider {
        pub async fn start() -> std::io::Result<Self> {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let mut provider = Self {
                address: listener.local_addr()?,
                mood: Arc::new(Mutex::new(Mood::Healthy)),
                seen: Arc::default(),
                stop: None,
            };
            provider.serve(listener);
            Ok(provider)
        }

        pub fn url(&self) -> String {
            format!("http://{}", self.address)
        }

        pub fn requests_of(&self, caller: &str) -> u32 {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.get(caller).copied().unwrap_or(0)
        }

        pub async fn set(&mut self, mood: Mood) -> std::io::Result<()> {
            *self.mood.lock().unwrap_or_else(PoisonError::into_inner) = mood;
            match (mood, self.stop.take()) {
                // Dropping the sender ends the server; the port refuses connections from then on.
                (Mood::Gone, stop) => drop(stop),
                (_, Some(stop)) => self.stop = Some(stop),
                (_, None) => self.serve(TcpListener::bind(self.address).await?),
            }
            Ok(())
        }

        fn serve(&mut self, listener: TcpListener) {
            let (stop, stopped) = oneshot::channel();
            self.stop = Some(stop);
            let (mood, seen) = (Arc::clone(&self.mood), Arc::clone(&self.seen));
            let messages = post(
                move |headers: HeaderMap, Json(_): Json<serde_json::Value>| async move {
                    let caller = headers
                        .get("caller")
                        .and_then(|name| name.to_str().ok())
                        .unwrap_or("unknown");
                    *seen
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .entry(caller.to_owned())
                        .or_default() += 1;
                    let mood = *mood.lock().unwrap_or_else(PoisonError::into_inner);
                    match mood {
                        Mood::Healthy => sleep(Duration::from_millis(10)).await,
                        Mood::Slow => sleep(Duration::from_millis(1500)).await,
                        Mood::Failing | Mood::Gone => return StatusCode::SERVICE_UNAVAILABLE,
                    }
                    StatusCode::ACCEPTED
                },
            );
            let server = axum::serve(listener, Router::new().route("/messages", messages));
            tokio::spawn(
                server
                    .with_graceful_shutdown(async {
                        let _ = stopped.await;
                    })
                    .into_future(),
            );
        }
    }
}

/// What one caller saw since the last line of the timeline.
#[derive(Default)]
struct Seen {
    ok: AtomicU32,
    failed: AtomicU32,
    latency_ms: AtomicU32,
    waiting: AtomicU32,
    last_error: Mutex<Option<SmsError>>,
}

impl Seen {
    async fn watch(&self, sms: &impl SmsSender) {
        self.waiting.fetch_add(1, Relaxed);
        let begin = Instant::now();
        let result = remind(sms, "+49 30 901820").await;
        self.waiting.fetch_sub(1, Relaxed);
        let took = u32::try_from(begin.elapsed().as_millis()).unwrap_or(u32::MAX);
        self.latency_ms.fetch_max(took, Relaxed);
        match result {
            Ok(()) | Err(SmsError::NumberRefused) => self.ok.fetch_add(1, Relaxed),
            Err(error) => {
                *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.failed.fetch_add(1, Relaxed)
            }
        };
    }

    fn last_error(&self) -> String {
        match &*self.last_error.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(SmsError::Unavailable(why)) => why.clone(),
            Some(other) => format!("{other:?}"),
            None => "none".to_owned(),
        }
    }

    fn line(&self) -> String {
        let (ok, failed) = (self.ok.swap(0, Relaxed), self.failed.swap(0, Relaxed));
        let (latency, waiting) = (self.latency_ms.swap(0, Relaxed), self.waiting.load(Relaxed));
        format!("{ok:>3} ok {failed:>3} failed {waiting:>3} waiting, slowest {latency:>4} ms")
    }
}

/// Sends a message every 50 ms, whatever became of the ones before.
async fn traffic<S: SmsSender + 'static>(sms: Arc<S>, seen: Arc<Seen>) {
    let mut clock = interval(Duration::from_millis(50));
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let (sms, seen) = (Arc::clone(&sms), Arc::clone(&seen));
        tokio::spawn(async move { seen.watch(&*sms).await });
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut provider = Provider::start().await?;
    let url = provider.url();

    // The composition root: the only place that knows which of the two it hands out.
    let bare = Arc::new(HttpSmsSender::new(&url, "bare"));
    let wrapped = Arc::new(ResilientHttpSmsSender::new(HttpSmsSender::new(&url, "wrapped")));

    let begin = Instant::now();
    let circuit = wrapped.circuit("send").ok_or("`send` is a wrapped method")?;
    let mut transitions = circuit.subscribe();
    tokio::spawn(async move {
        while let Some(change) = transitions.next().await {
            let code = change.code().map(|code| format!(" ({code})")).unwrap_or_default();
            let at = begin.elapsed().as_secs_f32();
            println!(
                "{at:>5.1} s  circuit: {} -> {}: {}{code}",
                change.from(),
                change.to(),
                change.cause()
            );
        }
    });

    let (bare_seen, wrapped_seen) = (Arc::new(Seen::default()), Arc::new(Seen::default()));
    let callers = [
        tokio::spawn(traffic(bare, Arc::clone(&bare_seen))),
        tokio::spawn(traffic(Arc::clone(&wrapped), Arc::clone(&wrapped_seen))),
    ];

    println!("   time  provider  bare adapter                                   wrapped adapter");
    for (mood, seconds) in [
        (Mood::Healthy, 2),
        (Mood::Slow, 3),
        (Mood::Failing, 3),
        (Mood::Gone, 3),
        (Mood::Healthy, 4),
    ] {
        provider.set(mood).await?;
        for _ in 0..seconds {
            sleep(Duration::from_secs(1)).await;
            let at = begin.elapsed().as_secs_f32();
            let mood = format!("{mood:?}").to_lowercase();
            println!(
                "{at:>5.1} s  {mood:<8}  {}  {}",
                bare_seen.line(),
                wrapped_seen.line()
            );
        }
    }
    callers.iter().for_each(tokio::task::JoinHandle::abort);

    println!();
    println!(
        "requests that the provider had to answer: {} of the bare adapter, {} of the wrapped one",
        provider.requests_of("bare"),
        provider.requests_of("wrapped"),
    );
    println!("the last error of the bare adapter: {}", bare_seen.last_error());
    println!("the last error of the wrapped one: {}", wrapped_seen.last_error());
    println!(
        "the circuit opened {} time(s), and is {} now",
        circuit.opened(),
        circuit.state()
    );
    if circuit.state() != CircuitState::Closed {
        return Err("the circuit should have closed again".into());
    }
    Ok(())
}
