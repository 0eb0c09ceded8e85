//! Cached calls as generated code makes them.

mod failures;
mod kept;
mod recursion;
mod shared;
mod threads;
mod time;

use std::collections::VecDeque;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::{Answer, Error, ms};
use crate::call::Call;
use crate::instance::{Instance, MethodState};
use crate::policy::cached::Cached;
use crate::private::{CacheSlot, Key, attempt, cached, invalidate};
use crate::{AdapterSpec, Kind, MethodSpec, Policies};

static ADAPTER: AdapterSpec = AdapterSpec::new("shops", "Hours", "HttpHours", Kind::External).own();
static FIND: MethodSpec = MethodSpec::new(&ADAPTER, "find").idempotent();

/// Pending once, without a clock.
const A_MOMENT: u64 = u64::MAX;

/// An adapter behind its wrapper: `find(&self, shop: &str) -> Answer`.
pub(super) struct Hours {
    find: MethodState,
    find_cache: CacheSlot,
    aged: Option<fn(u32, Duration) -> u32>,
    share: Option<fn(&Error) -> Error>,
    /// After so long, this; when all are used up, 7 at once.
    script: Mutex<VecDeque<(u64, Answer)>>,
    loads: AtomicU32,
    /// Loads that were dropped before their end.
    dropped: AtomicU32,
}

/// A load that runs.
struct Running<'h>(Option<&'h Hours>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(hours) = self.0 {
            hours.dropped.fetch_add(1, SeqCst);
        }
    }
}

impl Hours {
    pub(super) fn new(cached: Cached) -> Self {
        Self::with(&Policies::new().cached(cached))
    }

    pub(super) fn with(policies: &Policies) -> Self {
        let instance = Instance::bound(&ADAPTER, *policies).expect("the policies of a test");
        Self {
            find: instance.method(&FIND),
            find_cache: CacheSlot::new(),
            aged: None,
            share: Some(Error::clone),
            script: Mutex::default(),
            loads: AtomicU32::new(0),
            dropped: AtomicU32::new(0),
        }
    }

    pub(super) fn answers(self, steps: impl IntoIterator<Item = (u64, Answer)>) -> Self {
        *self.script.lock().expect("no test panics under it") = steps.into_iter().collect();
        self
    }

    /// Its error cannot be copied.
    pub(super) fn unshared(mut self) -> Self {
        self.share = None;
        self
    }

    pub(super) fn aged(mut self, aged: fn(u32, Duration) -> u32) -> Self {
        self.aged = Some(aged);
        self
    }

    fn next(&self) -> (u64, Answer) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        script.pop_front().unwrap_or((0, Ok(7)))
    }

    async fn load(&self) -> Answer {
        self.loads.fetch_add(1, SeqCst);
        let (after, answer) = self.next();
        let mut running = Running(Some(self));
        match after {
            0 => {}
            A_MOMENT => tokio::task::yield_now().await,
            _ => sleep(ms(after)).await,
        }
        running.0 = None;
        answer
    }

    pub(super) async fn find(&self, shop: &str) -> Answer {
        let key = Key::of((shop,));
        let load = || async {
            let mut call = Call::new(&self.find);
            loop {
                let attempt = attempt(&mut call, |_last| self.load());
                if let Some(answer) = attempt.await {
                    return answer;
                }
            }
        };
        let value = cached(&self.find, &self.find_cache, key, self.aged, self.share, load);
        value.await
    }

    pub(super) fn invalidate_find(&self, shop: &str) {
        invalidate(&self.find_cache, Key::of((shop,)));
    }

    pub(super) fn loads(&self) -> u32 {
        self.loads.load(SeqCst)
    }

    pub(super) fn dropped(&self) -> u32 {
        self.dropped.load(SeqCst)
    }
}

fn minute() -> Cached {
    Cached::new(Duration::from_secs(60))
}

/// What would wait for ever fails instead: the paused clock comes here when nothing else moves it.
async fn answers<F: Future>(future: F) -> F::Output {
    let limit = Duration::from_secs(24 * 60 * 60);
    timeout(limit, future).await.expect("nobody waits for ever")
}

/// A task of its own, which has run as far as it can.
async fn begin(hours: &Arc<Hours>, shop: &'static str) -> tokio::task::JoinHandle<Answer> {
    let hours = Arc::clone(hours);
    let task = tokio::spawn(async move { answers(hours.find(shop)).await });
    settle().await;
    task
}

async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}
