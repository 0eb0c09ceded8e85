//! Several threads at once. Real time is only a limit, so that a call that hangs fails the test instead of stopping it.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use tokio::task::yield_now;

use super::{A_MOMENT, Error, Hours, minute};

const LIMIT: Duration = Duration::from_secs(5);

/// Runs on four threads. Each step of the work has to come within the limit.
fn on_threads<F: Future<Output = ()> + Send + 'static>(work: impl FnOnce(mpsc::Sender<()>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .expect("a runtime");
    let (steps, watched) = mpsc::channel();
    let work = runtime.spawn(work(steps));
    loop {
        match watched.recv_timeout(LIMIT) {
            Ok(()) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("somebody waits for ever"),
        }
    }
    runtime.block_on(work).expect("no task panics");
}

#[test]
fn eight_tasks_on_one_hot_key_never_hang() {
    on_threads(|steps| async move {
        let hours = Arc::new(Hours::new(minute()));
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let (hours, steps) = (Arc::clone(&hours), steps.clone());
                tokio::spawn(async move {
                    for round in 0..10_000_u32 {
                        assert_eq!(hours.find("hot").await, Ok(7));
                        if round % 8 == task {
                            hours.invalidate_find("hot");
                        }
                        if round % 100 == 0 {
                            steps.send(()).expect("the test watches");
                            yield_now().await;
                        }
                    }
                })
            })
            .collect();
        drop(steps);
        for task in tasks {
            task.await.expect("no task panics");
        }
        assert_eq!(hours.find_cache.loading(), 0);
        let forgotten = 8 * 10_000 / 8;
        assert!((1..=forgotten + 8).contains(&hours.loads()), "{}", hours.loads());
    });
}

/// Pending once, so that a load is often met by others and dropped half-way.
async fn pause<T>(value: T) -> T {
    yield_now().await;
    value
}

#[test]
fn whoever_stays_gets_a_value_while_leaders_come_and_go() {
    on_threads(|steps| async move {
        let hours = Arc::new(Hours::new(minute()).answers((0..2000).map(|n| {
            if n % 3 == 0 {
                (A_MOMENT, Err(Error::Down))
            } else {
                (A_MOMENT, Ok(1))
            }
        })));
        for round in 0..500 {
            let tasks: Vec<_> = (0..6)
                .map(|_| {
                    let hours = Arc::clone(&hours);
                    tokio::spawn(async move { pause(hours.find("hot").await).await })
                })
                .collect();
            for (index, task) in tasks.into_iter().enumerate() {
                if index < 3 && round % 2 == 0 {
                    yield_now().await;
                    task.abort();
                    continue;
                }
                let answer = task.await.expect("it was not aborted");
                assert!(matches!(answer, Ok(1 | 7) | Err(Error::Down)), "{answer:?}");
            }
            hours.invalidate_find("hot");
            steps.send(()).expect("the test watches");
        }
        drop(steps);
        while Arc::strong_count(&hours) > 1 {
            yield_now().await;
        }
        assert_eq!(hours.find_cache.loading(), 0);
    });
}
