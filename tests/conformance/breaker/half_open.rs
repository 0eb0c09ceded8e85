//! The half-open circuit: who is let through, what closes and what reopens it. Rows of sections 11 to 14, BRK-1 to BRK-6, BRK-8.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use resil::{CircuitBreaker, CircuitState, Policies};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::{JoinSet, yield_now};

use super::rig::{Pending, Rig, cb, in_a_row, rows};
use crate::support::{Error, Port, Step, fault, is_open, ms, wrap};

/// Opens at the first failure; then so many probes at once, and as many successes to close.
fn probes(at_once: u32) -> CircuitBreaker {
    in_a_row(1).half_open_calls(at_once)
}

#[tokio::test(start_paused = true)]
async fn rows_of_single_calls() {
    rows([
        (
            "BRK-1, the refusal is a success",
            cb(4, 0.5, 1_000, 2),
            "E*4 +1000 ok half_open U closed ok",
            7,
        ),
        (
            "BRK-6, 187 (Δ6)",
            cb(4, 0.5, 1_000, 1),
            "E*4 +1000 U closed ok",
            6,
        ),
        ("187 (Δ6)", probes(4), "E +1000 U*3 half_open U closed ok", 6),
        // One failure reopens at once, whatever the others say (Δ5).
        ("183 (Δ5)", probes(4), "E +1000 E open CBO*3", 2),
        ("184 (Δ5)", probes(4), "E +1000 E open CBO*3", 2),
        (
            "184, as we close",
            cb(5, 0.5, 1_000, 4),
            "E*5 +1000 ok*4 closed E*4 closed E open",
            14,
        ),
        (
            "233, 239 (Δ5)",
            in_a_row(3).success_threshold(3),
            "E*3 +1000 E open CBO",
            4,
        ),
        ("234, 236 (Δ5)", probes(3), "E +1000 E open CBO CBO", 2),
        (
            "235, 237 (Δ5)",
            probes(3),
            "E +1000 ok half_open E open CBO CBO",
            3,
        ),
        (
            "238: testHalfOpenSuccessWithSuccessThreshold",
            probes(3),
            "E +1000 ok ok half_open ok closed",
            4,
        ),
        (
            "238: testHalfOpenFailureWithSuccessThreshold",
            probes(3),
            "E +1000 ok E open",
            3,
        ),
        ("263, 264 (Δ5)", probes(10), "E +1000 E open CBO*9", 2),
        (
            "successes in a row start anew",
            probes(3),
            "E +1000 ok ok E +1000 ok ok half_open ok closed",
            7,
        ),
        (
            "more successes than probes at once",
            probes(1).success_threshold(3),
            "E +1000 ok ok half_open ok closed",
            4,
        ),
        (
            "fewer successes than probes at once",
            probes(3).success_threshold(1),
            "E +1000 ok closed",
            2,
        ),
        // 191, 192 (Δ5): nothing ends an idle half-open state.
        (
            "191, 192 (Δ5)",
            probes(4).half_open_max(ms(1_000)),
            "E +1000 ok half_open +2000 half_open +9999999 ok half_open",
            3,
        ),
        // 220: probes are not counted in the windows. With them the third failure would be three of four.
        (
            "220",
            cb(4, 0.75, 1_000, 2),
            "E*4 +1000 ok ok closed E E E closed E open",
            10,
        ),
        (
            "36, 220",
            cb(2, 1.0, 1_000, 1),
            "E E +1000 ok closed E closed E open",
            5,
        ),
    ])
    .await;
}

/// BRK-8: `min_calls` is a rule of the closed state.
#[tokio::test(start_paused = true)]
async fn one_failed_probe_reopens_whatever_the_minimum() {
    let breaker = CircuitBreaker::new()
        .failure_rate(0.5)
        .window_time(ms(10_000))
        .min_calls(10)
        .reset_after(ms(1_000));
    rows([(
        "BRK-8",
        breaker,
        "E*9 closed E open +60000 E open CBO +1000 ok closed",
        12,
    )])
    .await;
}

/// So many more calls that wait in the adapter.
async fn pending(rig: &Rig, calls: u32) -> Vec<Pending> {
    let running = rig.adapter.running();
    let mut pending = Vec::new();
    for _ in 0..calls {
        pending.push(rig.pending(Ok(1)).await);
    }
    assert_eq!(rig.adapter.running(), running + calls);
    pending
}

// 175: …WhenNotFurtherTestCallsArePermitted; 241: reject excessive attempts; 262: half-open excess; 265 (Δ5)
#[tokio::test(start_paused = true)]
async fn only_so_many_probes_at_once() {
    for (at_once, excess) in [(4, 1), (3, 5), (2, 3), (1, 1)] {
        let rig = Rig::new(probes(at_once));
        rig.run("E +1000").await;
        let admitted = pending(&rig, at_once).await;
        for _ in 0..excess {
            let error = rig.refused().await;
            assert_eq!(
                error.retry_after(),
                None,
                "nobody knows when a place will be free"
            );
            assert_eq!(error.code().unwrap().as_str(), "fault");
        }
        for probe in admitted {
            assert_eq!(rig.state(), CircuitState::HalfOpen);
            assert_eq!(probe.end().await, "ok");
        }
        assert_eq!(rig.state(), CircuitState::Closed);
        assert_eq!(rig.adapter.calls(), 1 + at_once);
    }
}

// 176: shouldOnlyPermitFourCallsInHalfOpenState; 262: one fails -> open
#[tokio::test(start_paused = true)]
async fn each_half_open_period_has_its_own_places() {
    let rig = Rig::new(probes(4));
    rig.run("E +1000").await;
    let old = pending(&rig, 3).await;
    rig.run("E open CBO +1000").await;
    // Three probes of the earlier period still run, and take no place of this one.
    let new = pending(&rig, 2).await;
    for probe in old {
        assert_eq!(probe.end().await, "ok");
    }
    assert_eq!(
        rig.state(),
        CircuitState::HalfOpen,
        "successes of the earlier period are none of this one"
    );
    let more = pending(&rig, 2).await;
    rig.run("CBO CBO").await;
    for probe in new.into_iter().chain(more) {
        assert_eq!(probe.end().await, "ok");
    }
    assert_eq!(rig.state(), CircuitState::Closed);
}

/// BRK-3, on real threads. Nothing here is measured: the open period is over as soon as any time has passed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_callers_at_the_edge_one_is_the_probe() {
    const CALLERS: u32 = 100;
    let gate = Arc::new(Semaphore::new(0));
    let step = Arc::clone(&gate);
    let breaker = probes(1)
        .reset_after(std::time::Duration::from_nanos(1))
        .half_open_max(ms(3_600_000));
    let (port, adapter) = wrap(Policies::new().circuit_breaker(breaker), move |n| {
        if n % 2 == 1 {
            fault()
        } else {
            Step::Gate(Arc::clone(&step), Ok(n))
        }
    });
    for round in 1..=200 {
        assert_eq!(port.call().await, Err(Error::Fault));
        let barrier = Arc::new(Barrier::new(CALLERS as usize));
        let answered = Arc::new(AtomicU32::new(0));
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (port, barrier, answered) = (port.clone(), Arc::clone(&barrier), Arc::clone(&answered));
            callers.spawn(async move {
                barrier.wait().await;
                let answer = port.call().await;
                answered.fetch_add(1, SeqCst);
                answer
            });
        }
        while answered.load(SeqCst) + adapter.running() < CALLERS {
            yield_now().await;
        }
        assert_eq!(adapter.running(), 1, "round {round}");
        gate.add_permits(1);
        let answers = callers.join_all().await;
        assert_eq!(
            answers.iter().filter(|answer| is_open(answer)).count(),
            CALLERS as usize - 1
        );
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        assert_eq!(adapter.calls(), 2 * round);
    }
}

/// BRK-4: what was let through in another epoch changes nothing, and holds no place.
#[tokio::test(start_paused = true)]
async fn an_answer_from_an_earlier_epoch_changes_nothing() {
    for (stale, word) in [
        (Ok(1), "ok"),
        (Err(Error::Fault), "E"),
        (Err(Error::Refusal), "U"),
    ] {
        let rig = Rig::new(cb(4, 0.5, 1_000, 1));
        let of_closed = rig.pending(stale.clone()).await;
        rig.run("E*4 open +1000").await;
        let probe = rig.pending(Err(Error::Fault)).await;
        assert_eq!(of_closed.end().await, word);
        assert_eq!(rig.state(), CircuitState::HalfOpen);
        rig.run("CBO").await;
        assert_eq!(probe.end().await, "E");
        assert_eq!(rig.state(), CircuitState::Open);
    }
}

// BRK-4, in the other states; 216: late failures while open are silent
#[tokio::test(start_paused = true)]
async fn a_stale_failure_counts_in_no_other_state() {
    let rig = Rig::new(probes(1));
    let [while_open, after_closing, dropped] = [
        rig.pending(Err(Error::Fault)).await,
        rig.pending(Err(Error::Fault)).await,
        rig.pending(Err(Error::Fault)).await,
    ];
    rig.run("E open +900").await;
    assert_eq!(while_open.end().await, "E");
    assert_eq!(
        rig.refused().await.retry_after(),
        Some(ms(100)),
        "the open time does not start anew"
    );
    rig.run("+100 ok closed").await;
    assert_eq!(after_closing.end().await, "E");
    dropped.drop_it().await;
    assert_eq!(
        rig.state(),
        CircuitState::Closed,
        "one failure of this epoch would have opened it"
    );
    assert_eq!((rig.circuit().opened(), rig.circuit().reopened()), (1, 0));
}
