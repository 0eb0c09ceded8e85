//! Virtual time: how long something took, when calls came, and a thread that does not let go.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, advance};

/// Awaits it, and says how much virtual time that took.
pub(crate) async fn timed<F: Future>(future: F) -> (F::Output, Duration) {
    let start = Instant::now();
    let output = future.await;
    (output, start.elapsed())
}

/// Lets time pass while no task runs, as code does that blocks its thread.
pub(crate) fn block_for(time: Duration) {
    // Its first poll moves the clock; what it would wait for after that is the other tasks.
    let _ = advance(time).now_or_never();
}

/// When something happened, again and again.
#[derive(Clone, Default)]
pub(crate) struct Times(Arc<Mutex<Vec<Instant>>>);

impl Times {
    pub(crate) fn note(&self) {
        self.0
            .lock()
            .expect("nobody panics under it")
            .push(Instant::now());
    }

    /// From one time to the next.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        let times = self.0.lock().expect("nobody panics under it");
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}
