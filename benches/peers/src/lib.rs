//! What one protected call costs: `resil` beside hand-written code and other libraries.
//!
//! A [`Row`] is one way to protect the same [`Adapter`]. Three binaries measure every row: `alloc` counts allocations and
//! bytes, `instr` makes the calls that callgrind counts, `time` takes the time and prints the tables.

pub mod counts;
pub mod rows;

use std::future::poll_fn;
use std::hint::black_box;
use std::mem::{replace, size_of, size_of_val};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

/// What a use case calls. Every row implements it.
pub trait Port: Send + Sync + 'static {
    type Error: Send;

    fn call(&self, input: u64) -> impl Future<Output = Result<u64, Self::Error>> + Send;
}

/// The input for which the adapter answers with a value.
pub const WORKS: u64 = 1;
/// The input for which it fails.
pub const FAILS: u64 = 0;

/// What can go wrong; small, so that no row pays for a large error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Down(&'static str),
    TimedOut,
    CircuitOpen,
    BulkheadFull,
}

impl Fault {
    /// Whether a retry makes sense.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Down(_) | Self::TimedOut)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Fault {}

/// What is protected. Whether it is pending once is known at run time only, as with real adapters: a compiler that sees
/// that a future is always ready removes code that a service would have.
#[derive(Clone, Copy, Debug)]
pub struct Adapter {
    pends: bool,
}

impl Port for Adapter {
    type Error = Fault;

    async fn call(&self, input: u64) -> Result<u64, Fault> {
        let mut ready = !self.pends;
        poll_fn(|cx| {
            if replace(&mut ready, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        if input == FAILS {
            Err(Fault::Down("no route"))
        } else {
            Ok(input + 1)
        }
    }
}

/// How the adapter answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// At its first poll.
    Ready,
    /// At its second poll.
    Pending,
}

/// What a row is made of.
pub struct Parts {
    pub adapter: Adapter,
    /// Seatbelt's clock, which all its services share; so it is not part of a row's state.
    pub clock: tick::Clock,
}

type Make = Box<dyn Fn(&Parts) -> Arc<dyn Subject> + Send + Sync>;

/// One way to protect the adapter.
pub struct Row {
    pub group: &'static str,
    pub name: &'static str,
    /// The circuit is open: every call is refused.
    pub open: bool,
    make: Make,
}

impl Row {
    pub fn new<P, F>(group: &'static str, name: &'static str, make: F) -> Self
    where
        P: Port,
        F: Fn(&Parts) -> P + Send + Sync + 'static,
    {
        let make = move |parts: &Parts| Arc::new(make(parts)) as Arc<dyn Subject>;
        Self {
            group,
            name,
            open: false,
            make: Box::new(make),
        }
    }

    /// How the adapter may answer; one that is never reached answers only one way.
    pub fn answers(&self) -> &'static [Answer] {
        if self.open {
            &[Answer::Ready]
        } else {
            &[Answer::Ready, Answer::Pending]
        }
    }

    /// Names the row and the answer in the files of counts.
    pub fn key(&self, answer: Answer) -> String {
        format!("{}/{}/{answer:?}", self.group, self.name)
    }
}

/// A [`Port`] behind a pointer.
pub trait Subject: Send + Sync {
    /// Makes `n` calls one after the other. The time, and how many had a value.
    fn calls(self: Arc<Self>, n: u64, input: u64) -> Pin<Box<dyn Future<Output = (Duration, u64)> + Send>>;

    /// Bytes of the value, without its heap, and of the future of one call.
    fn sizes(&self) -> (usize, usize);
}

impl<P: Port> Subject for P {
    fn calls(self: Arc<Self>, n: u64, input: u64) -> Pin<Box<dyn Future<Output = (Duration, u64)> + Send>> {
        Box::pin(async move {
            let mut values = 0;
            let start = Instant::now();
            for _ in 0..n {
                let result = self.call(black_box(input)).await;
                values += u64::from(black_box(&result).is_ok());
            }
            (start.elapsed(), values)
        })
    }

    fn sizes(&self) -> (usize, usize) {
        (size_of::<P>(), size_of_val(&self.call(WORKS)))
    }
}

/// Failing calls after which every circuit here is open.
const TRIP: u64 = 40;
/// Calls before anything is measured, so that what is made lazily exists.
const WARM_UP: u64 = 200;

/// A runtime on this thread, and what is measured on it.
pub struct Bench {
    runtime: Runtime,
}

impl Default for Bench {
    fn default() -> Self {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime without I/O asks nothing of the system");
        Self { runtime }
    }
}

impl Bench {
    /// What all rows share.
    pub fn parts(&self, answer: Answer) -> Parts {
        let _entered = self.runtime.enter();
        let pends = answer == Answer::Pending;
        let clock = tick::Clock::new_tokio().with_fast_instant(true);
        Parts {
            adapter: Adapter { pends },
            clock,
        }
    }

    /// A fresh instance, its circuit open where it is to be, and after its first calls.
    pub fn prepare(&self, row: &Row, parts: &Parts) -> Arc<dyn Subject> {
        let subject = {
            let _entered = self.runtime.enter();
            (row.make)(parts)
        };
        if row.open {
            self.calls(&subject, TRIP, FAILS);
        }
        self.run(row, &subject, WARM_UP);
        subject
    }

    /// The time of `n` calls, which must end as the row claims.
    pub fn run(&self, row: &Row, subject: &Arc<dyn Subject>, n: u64) -> Duration {
        let (took, values) = self.calls(subject, n, WORKS);
        let expected = if row.open { 0 } else { n };
        assert_eq!(values, expected, "{}, {}: values", row.group, row.name);
        took
    }

    /// In a task of its own, so that a wake goes through the scheduler.
    fn calls(&self, subject: &Arc<dyn Subject>, n: u64, input: u64) -> (Duration, u64) {
        let task = self.runtime.spawn(Arc::clone(subject).calls(n, input));
        self.runtime.block_on(task).expect("no row panics")
    }
}

/// Two threads that make `n` calls each of one instance at once. The time of the slower one.
pub fn run_on_two_threads(row: &Row, subject: &Arc<dyn Subject>, n: u64) -> Duration {
    let turn = AtomicU32::new(0);
    let one = |me: u32| {
        let bench = Bench::default();
        meet(&turn, me);
        bench.run(row, subject, n)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| one(1));
        one(0).max(other.join().expect("no row panics"))
    })
}

/// Takes turns with the other thread. A new thread may begin on the core of the one that made it, where the two would
/// never run at once; taking turns is slow there, so that the system moves one of them away.
fn meet(turn: &AtomicU32, me: u32) {
    for _ in 0..20 {
        while turn.load(SeqCst) % 2 != me {
            std::hint::spin_loop();
        }
        turn.fetch_add(1, SeqCst);
    }
}
