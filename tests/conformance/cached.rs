//! Reads that are kept: keys, time, errors, one load for all (`CA-…`, rows 254, 255, 267, 268).

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use resil::{
    CircuitState, Class, Classification, ErrorMap, PolicyError, PolicyErrorKind, Protected, adapter,
    with_deadline,
};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::support::Error;

type Answer<T> = Result<T, Error>;

pub(crate) trait Hours: Send + Sync {
    fn find(&self, shop: &str, day: u32) -> impl Future<Output = Answer<Option<u32>>> + Send;
    fn other(&self, shop: &str, day: u32) -> impl Future<Output = Answer<Option<u32>>> + Send;
    fn maybe(&self, name: Option<&str>) -> impl Future<Output = Answer<u32>> + Send;
}

/// What one load does.
enum Load {
    Now(Answer<Option<u32>>),
    After(u64, Answer<Option<u32>>),
    Panic(u64),
}

#[derive(Default)]
struct Script {
    loads: AtomicU32,
    dropped: AtomicU32,
    steps: Mutex<VecDeque<Load>>,
}

#[derive(Clone, Default)]
struct Remote(Arc<Script>);

struct Running<'s>(Option<&'s AtomicU32>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(dropped) = self.0 {
            dropped.fetch_add(1, SeqCst);
        }
    }
}

impl Remote {
    fn new(steps: impl IntoIterator<Item = Load>) -> Self {
        let remote = Self::default();
        remote.0.steps.lock().unwrap().extend(steps);
        remote
    }

    async fn load(&self, otherwise: u32) -> Answer<Option<u32>> {
        self.0.loads.fetch_add(1, SeqCst);
        let step = self.0.steps.lock().unwrap().pop_front();
        let mut running = Running(Some(&self.0.dropped));
        let answer = match step {
            None => Ok(Some(otherwise)),
            Some(Load::Now(answer)) => answer,
            Some(Load::After(ms, answer)) => {
                sleep(Duration::from_millis(ms)).await;
                answer
            }
            Some(Load::Panic(ms)) => {
                sleep(Duration::from_millis(ms)).await;
                panic!("while loading")
            }
        };
        running.0 = None;
        answer
    }

    fn loads(&self) -> u32 {
        self.0.loads.load(SeqCst)
    }
}

#[adapter(
    kind = "gateway",
    idempotent,
    no_timeout = "the script decides",
    cached(ttl_ms = 1000, stale_if_error_ms = 4000),
    circuit_breaker(failure_threshold = 100)
)]
impl Hours for Remote {
    async fn find(&self, shop: &str, day: u32) -> Answer<Option<u32>> {
        let _ = shop;
        self.load(day).await
    }

    #[deadline(ms = 300)]
    #[cached(ttl_ms = 1000)]
    async fn other(&self, shop: &str, day: u32) -> Answer<Option<u32>> {
        let _ = shop;
        self.load(day + 1000).await
    }

    async fn maybe(&self, name: Option<&str>) -> Answer<u32> {
        self.load(0).await?;
        Ok(name.map_or(0, |name| u32::try_from(name.len()).unwrap_or(u32::MAX)))
    }
}

fn wrapped(steps: impl IntoIterator<Item = Load>) -> (ResilientRemote, Remote) {
    let remote = Remote::new(steps);
    (ResilientRemote::new(remote.clone()), remote)
}

#[allow(clippy::unnecessary_wraps, reason = "it is compared with answers")]
fn ok(value: u32) -> Answer<Option<u32>> {
    Ok(Some(value))
}

#[tokio::test(start_paused = true)]
async fn a_value_is_served_for_its_time_and_then_asked_for_again() {
    let (hours, remote) = wrapped([]);
    assert_eq!(hours.find("a", 1).await, ok(1));
    advance(Duration::from_millis(999)).await;
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(remote.loads(), 1);
    advance(Duration::from_millis(1)).await;
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(remote.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn ca_1_a_leader_that_is_dropped_or_panics_leaves_nothing_behind() {
    let (hours, remote) = wrapped([Load::After(1000, ok(1)), Load::Panic(1000)]);
    assert!(
        timeout(Duration::from_millis(500), hours.find("a", 1))
            .await
            .is_err()
    );
    let panics = AssertUnwindSafe(hours.find("a", 1)).catch_unwind();
    let follows = async {
        sleep(Duration::from_millis(500)).await;
        hours.find("a", 1).await
    };
    let (panicked, followed) = tokio::join!(panics, follows);
    assert!(panicked.is_err());
    assert_eq!(followed, ok(1));
    assert_eq!((remote.loads(), remote.0.dropped.load(SeqCst)), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn ca_2_a_dropped_leader_hands_over_and_nobody_sees_it() {
    let (hours, remote) = wrapped([Load::After(1000, ok(1)), Load::After(1000, ok(2))]);
    let leader = timeout(Duration::from_millis(500), hours.find("a", 1));
    let followers = join_all((0..3).map(|_| hours.find("a", 1)));
    let (dropped, answers) = tokio::join!(leader, followers);
    assert!(dropped.is_err());
    assert_eq!(answers, vec![ok(2); 3]);
    assert_eq!(remote.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_who_miss_at_once_make_one_call() {
    let (hours, remote) = wrapped([Load::After(100, ok(5))]);
    let answers = join_all((0..1000).map(|_| hours.find("a", 1))).await;
    assert!(answers.iter().all(|answer| *answer == ok(5)));
    assert_eq!(remote.loads(), 1);
}

#[test]
fn ca_3_a_hot_key_on_many_threads_never_hangs() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(8)
        .enable_time()
        .build()
        .expect("a runtime");
    let (hours, remote) = wrapped([]);
    let tasks = (0..8).map(|_| {
        let hours = hours.clone();
        runtime.spawn(async move {
            for round in 0..10_000 {
                let answer = timeout(Duration::from_secs(5), hours.find("hot", round)).await;
                assert_eq!(answer.expect("no hang"), ok(round));
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    for task in tasks {
        runtime.block_on(task).expect("no panic");
    }
    assert!((10_000..=80_000).contains(&remote.loads()));
}

#[tokio::test(start_paused = true)]
async fn leaders_dropped_five_hundred_times_in_a_row_leave_every_waiter_its_value() {
    let (hours, remote) = wrapped((0..500).map(|_| Load::After(1000, ok(1))));
    let waiters = join_all((0..4).map(|_| async {
        // They board behind the first leader.
        sleep(Duration::from_millis(1)).await;
        hours.find("a", 9).await
    }));
    let leaders = async {
        for _ in 0..500 {
            assert!(
                timeout(Duration::from_millis(2), hours.find("a", 9))
                    .await
                    .is_err()
            );
        }
    };
    let (answers, ()) = tokio::join!(waiters, leaders);
    // Each new caller came before the waiters could take over, until there was none.
    assert_eq!(answers, vec![ok(9); 4]);
    assert_eq!(remote.loads(), 501);
}

#[tokio::test(start_paused = true)]
async fn ca_4_keys_are_the_arguments_by_value_and_the_method() {
    let (hours, remote) = wrapped([]);
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(hours.find("a", 2).await, ok(2));
    assert_eq!(hours.find("b", 1).await, ok(1));
    assert_eq!(hours.other("a", 1).await, ok(1001));
    assert_eq!(remote.loads(), 4);
    assert_eq!(hours.maybe(None).await, Ok(0));
    assert_eq!(hours.maybe(Some("None")).await, Ok(4));
    assert_eq!(hours.maybe(Some("")).await, Ok(0));
    assert_eq!(hours.maybe(Some("None")).await, Ok(4));
    assert_eq!(remote.loads(), 7);
}

#[tokio::test(start_paused = true)]
async fn instances_do_not_share_entries_and_clones_do() {
    let (hours, remote) = wrapped([]);
    let other = ResilientRemote::new(remote.clone());
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(other.find("a", 1).await, ok(1));
    assert_eq!(hours.clone().find("a", 1).await, ok(1));
    assert_eq!(remote.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn ca_5_only_values_are_stored() {
    let (hours, remote) = wrapped([Load::Now(Err(Error::Fault)), Load::Now(ok(5))]);
    assert_eq!(hours.find("a", 1).await, Err(Error::Fault));
    assert_eq!(hours.find("a", 1).await, ok(5));
    assert_eq!(hours.find("a", 1).await, ok(5));
    assert_eq!(remote.loads(), 2);
    let (hours, remote) = wrapped([Load::Now(Ok(None))]);
    assert_eq!(hours.find("a", 1).await, Ok(None));
    assert_eq!(hours.find("a", 1).await, Ok(None));
    assert_eq!(remote.loads(), 1);
}

trait Numbers {
    #[allow(async_fn_in_trait, reason = "nobody spawns it")]
    async fn number(&self, n: u32) -> Answer<u32>;
}

/// Asks for smaller numbers through its own wrapper.
#[derive(Default)]
struct Fibonacci {
    loads: AtomicU32,
    wrapper: Mutex<Option<Arc<ResilientFibonacci>>>,
}

#[adapter(kind = "gateway", no_timeout = "it ends", cached(ttl_ms = 1000))]
impl Numbers for Fibonacci {
    async fn number(&self, n: u32) -> Answer<u32> {
        self.loads.fetch_add(1, SeqCst);
        let wrapper = self.wrapper.lock().unwrap().clone();
        match (wrapper, n) {
            (Some(_), 0 | 1) | (None, _) => Ok(n),
            // 99 asks for itself.
            (Some(wrapper), 99) => {
                if self.loads.load(SeqCst) > 1 {
                    Ok(7)
                } else {
                    Box::pin(wrapper.number(99)).await
                }
            }
            (Some(wrapper), n) => {
                Ok(Box::pin(wrapper.number(n - 1)).await? + Box::pin(wrapper.number(n - 2)).await?)
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ca_6_an_adapter_may_read_through_its_own_wrapper() {
    let numbers = Arc::new(ResilientFibonacci::new(Fibonacci::default()));
    let adapter: &Fibonacci = numbers.inner();
    *adapter.wrapper.lock().unwrap() = Some(Arc::clone(&numbers));
    assert_eq!(numbers.number(10).await, Ok(55));
    assert_eq!(adapter.loads.load(SeqCst), 11);
    // Even for the key that it is loading: then it runs uncached.
    adapter.loads.store(0, SeqCst);
    let answer = timeout(Duration::from_secs(1), numbers.number(99)).await;
    assert_eq!(answer.expect("no wait for itself"), Ok(7));
    assert_eq!(adapter.loads.load(SeqCst), 2);
    *adapter.wrapper.lock().unwrap() = None;
}

#[tokio::test(start_paused = true)]
async fn who_waits_gets_a_clone_of_the_error_and_the_next_caller_asks_anew() {
    for error in [Error::Fault, Error::Refusal] {
        let (hours, remote) = wrapped([Load::After(100, Err(error.clone()))]);
        let answers = join_all((0..3).map(|_| hours.find("a", 1))).await;
        assert_eq!(answers, vec![Err(error.clone()); 3]);
        assert_eq!(remote.loads(), 1);
        assert_eq!(hours.find("a", 1).await, ok(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_past_its_time_is_served_where_there_is_no_other() {
    let (hours, remote) = wrapped([
        Load::Now(ok(5)),
        Load::Now(Err(Error::Fault)),
        Load::Now(Err(Error::Refusal)),
        Load::Now(Err(Error::Fault)),
    ]);
    assert_eq!(hours.find("a", 1).await, ok(5));
    advance(Duration::from_millis(1500)).await;
    assert_eq!(hours.find("a", 1).await, ok(5));
    // A refusal is an answer.
    assert_eq!(hours.find("a", 1).await, Err(Error::Refusal));
    advance(Duration::from_millis(3500)).await;
    assert_eq!(hours.find("a", 1).await, Err(Error::Fault));
    assert_eq!(remote.loads(), 4);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_refresh_that_fails_gets_the_old_value_too() {
    let (hours, remote) = wrapped([Load::Now(ok(5)), Load::After(100, Err(Error::Fault))]);
    assert_eq!(hours.find("a", 1).await, ok(5));
    advance(Duration::from_millis(1500)).await;
    let answers = join_all((0..3).map(|_| hours.find("a", 1))).await;
    assert_eq!(answers, vec![ok(5); 3]);
    assert_eq!(remote.loads(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_forgotten_while_it_was_loaded_is_not_stored() {
    let (hours, remote) = wrapped([Load::After(100, ok(1)), Load::After(100, ok(2))]);
    let first = hours.find("a", 1);
    let second = async {
        sleep(Duration::from_millis(50)).await;
        hours.invalidate_find("a", 1);
        // It comes after the change, so it must not get what was read before.
        hours.find("a", 1).await
    };
    assert_eq!(tokio::join!(first, second), (ok(1), ok(2)));
    assert_eq!(hours.find("a", 1).await, ok(2));
    assert_eq!(remote.loads(), 2);
    hours.invalidate_find("a", 1);
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(remote.loads(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_operator_clears_all_of_a_method() {
    let (hours, remote) = wrapped([]);
    for day in 0..3 {
        assert_eq!(hours.find("a", day).await, ok(day));
    }
    assert_eq!(hours.other("a", 1).await, ok(1001));
    let cache = hours.cache("find").expect("a cached method");
    assert_eq!((cache.method(), cache.len()), ("find", 3));
    cache.clear();
    assert!(cache.is_empty());
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(hours.other("a", 1).await, ok(1001));
    assert_eq!(remote.loads(), 5);
    assert!(hours.cache("nothing").is_none());
}

#[tokio::test(start_paused = true)]
async fn each_waits_within_its_own_time() {
    let (hours, remote) = wrapped([Load::After(1000, ok(1)), Load::After(1000, ok(2))]);
    let start = Instant::now();
    let short = async {
        sleep(Duration::from_millis(10)).await;
        let answer = with_deadline(Duration::from_millis(100), hours.find("a", 1)).await;
        (answer, start.elapsed())
    };
    let (leader, (short, took)) = tokio::join!(hours.find("a", 1), short);
    assert_eq!(leader, ok(1));
    assert_eq!(
        short.as_ref().err().and_then(Error::kind),
        Some(PolicyErrorKind::DeadlineExceeded)
    );
    assert_eq!(took, Duration::from_millis(110));
    assert_eq!(remote.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_leader_out_of_time_hands_over_and_keeps_that_to_itself() {
    let (hours, remote) = wrapped([Load::After(1000, ok(1)), Load::After(100, ok(2))]);
    let leader = with_deadline(Duration::from_millis(50), hours.find("a", 1));
    let (leader, follower) = tokio::join!(leader, hours.find("a", 1));
    assert_eq!(
        leader.as_ref().err().and_then(Error::kind),
        Some(PolicyErrorKind::DeadlineExceeded)
    );
    assert_eq!(follower, ok(2));
    assert_eq!(remote.loads(), 2);

    // The method's own deadline begins with the wait.
    let (hours, _) = wrapped([
        Load::After(1000, ok(1)),
        Load::After(250, ok(2)),
        Load::After(1000, ok(3)),
    ]);
    let late = async {
        sleep(Duration::from_millis(200)).await;
        hours.other("a", 1).await
    };
    let (first, late) = tokio::join!(hours.other("a", 1), late);
    assert_eq!(
        first.as_ref().err().and_then(Error::kind),
        Some(PolicyErrorKind::DeadlineExceeded)
    );
    // It waited for 100 of its 300, so the load that it led had 200.
    assert_eq!(
        late.as_ref().err().and_then(Error::kind),
        Some(PolicyErrorKind::DeadlineExceeded)
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_needs_no_circuit() {
    let (hours, remote) = wrapped([]);
    assert_eq!(hours.find("a", 1).await, ok(1));
    let circuit = hours.circuit("find").expect("a wrapped method");
    circuit.force_open();
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!(circuit.refused(), 0);
    let refused = hours.find("a", 2).await;
    assert_eq!(
        refused.err().and_then(|error| error.kind()),
        Some(PolicyErrorKind::CircuitOpen)
    );
    advance(Duration::from_millis(1500)).await;
    assert_eq!(hours.find("a", 1).await, ok(1));
    assert_eq!((remote.loads(), circuit.state()), (1, CircuitState::Open));
}

/// An error that cannot be cloned.
#[derive(Debug, PartialEq)]
enum Unique {
    Down,
    Refused,
    Policy(PolicyError),
}

enum UniqueErrors {}

impl ErrorMap<Unique> for UniqueErrors {
    fn classify(error: &Unique) -> Classification {
        match error {
            Unique::Down => Class::Transient.code("down"),
            Unique::Refused => Class::Refusal.into(),
            Unique::Policy(error) => error.classify(),
        }
    }

    fn policy(error: PolicyError) -> Unique {
        Unique::Policy(error)
    }
}

use resil::Classify as _;

trait Aged: Send + Sync {
    fn get(&self, id: u32) -> impl Future<Output = Result<(u32, Duration), Unique>> + Send;
}

struct Own(Remote);

impl Own {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "a key borrows the arguments")]
    fn even(id: &u32) -> u32 {
        id / 2
    }
}

fn stamped((value, _): (u32, Duration), age: Duration) -> (u32, Duration) {
    (value, age)
}

#[adapter(kind = "gateway", errors = UniqueErrors, no_timeout = "the script decides")]
impl Aged for Own {
    #[cached(ttl_ms = 1000, capacity = 100, key = Self::even, aged = stamped, stale_if_error_ms = 1000)]
    async fn get(&self, id: u32) -> Result<(u32, Duration), Unique> {
        match self.0.load(id).await {
            Ok(value) => Ok((value.unwrap_or(0), Duration::ZERO)),
            Err(Error::Refusal) => Err(Unique::Refused),
            Err(_) => Err(Unique::Down),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_that_cannot_be_cloned_arrives_as_load_failed() {
    let remote = Remote::new([Load::After(100, Err(Error::Fault))]);
    let port = ResilientOwn::new(Own(remote.clone()));
    let (first, second) = tokio::join!(port.get(1), port.get(1));
    assert_eq!(first, Err(Unique::Down));
    let Err(Unique::Policy(error)) = second else {
        panic!("a policy's error")
    };
    assert_eq!(error.kind(), PolicyErrorKind::LoadFailed);
    assert_eq!(error.class(), Some(Class::Transient));
    assert_eq!(
        error.code().map(|code| code.as_str().to_owned()).as_deref(),
        Some("down")
    );
    assert_eq!(remote.loads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_cannot_be_cloned_is_asked_for_by_each() {
    let remote = Remote::new((0..3).map(|_| Load::After(100, Err(Error::Refusal))));
    let port = ResilientOwn::new(Own(remote.clone()));
    let start = Instant::now();
    let answers = join_all((0..3).map(|_| port.get(1))).await;
    assert!(answers.iter().all(|answer| *answer == Err(Unique::Refused)));
    // At the same time, not one after the other.
    assert_eq!((remote.loads(), start.elapsed()), (3, Duration::from_millis(200)));
}

#[tokio::test(start_paused = true)]
async fn what_is_served_from_the_cache_says_how_old_it_is() {
    let remote = Remote::new([Load::Now(ok(5)), Load::Now(Err(Error::Fault))]);
    let port = ResilientOwn::new(Own(remote));
    assert_eq!(port.get(1).await, Ok((5, Duration::ZERO)));
    advance(Duration::from_millis(400)).await;
    // Another argument with the same key.
    assert_eq!(port.get(0).await, Ok((5, Duration::from_millis(400))));
    advance(Duration::from_millis(800)).await;
    assert_eq!(port.get(1).await, Ok((5, Duration::from_millis(1200))));
    port.invalidate_get(1);
    assert_eq!(port.get(1).await, Ok((1, Duration::ZERO)));
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_capacity_is_kept() {
    let port = ResilientOwn::new(Own(Remote::default()));
    for id in 0..4000 {
        assert!(port.get(id).await.is_ok());
    }
    let cache = port.cache("get").expect("a cached method");
    assert!((1..=100).contains(&cache.len()), "{}", cache.len());
}
