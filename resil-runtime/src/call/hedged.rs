//! Attempts that race each other instead of following each other.

use std::pin::{Pin, pin};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep};

use super::extras::deadlines;
use super::waits::poll_timer;
use super::{Call, Outcome};
use crate::attempt::CallId;
use crate::instance::MethodState;
use crate::policy::retry::Retry;
use crate::time::Moment;
use crate::{Class, ErrorMap};

/// What the attempts of one race have in common.
#[derive(Debug)]
pub(super) struct Race {
    won: AtomicBool,
    call_id: CallId,
    deadlines: (Option<Instant>, Option<Instant>),
}

impl Race {
    /// Another attempt has answered.
    pub(super) fn is_won(&self) -> bool {
        self.won.load(Relaxed)
    }

    /// The enforced end of the call, and the observed one.
    pub(super) const fn deadlines(&self) -> (Option<Instant>, Option<Instant>) {
        self.deadlines
    }

    pub(super) const fn call_id(&self) -> CallId {
        self.call_id
    }
}

/// A race has no budget of its own: its further attempts draw on that of retries, by a retry's defaults.
const BUDGET: Retry = Retry::attempts(1);

/// A call whose attempts race: a further one starts each time that `after` has passed and none has answered, up to `max` of
/// them. The first value or refusal answers, and the others are dropped; the last failure answers where all that run have
/// failed.
pub(crate) async fn hedged<M, F, Fut>(method: &MethodState, make: F) -> Fut::Output
where
    F: Fn() -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    let race = Race {
        won: AtomicBool::new(false),
        call_id: CallId::next(),
        deadlines: deadlines(method),
    };
    method.budget().count_call();
    let mut running = vec![Box::pin(attempt::<M, F, Fut>(method, &race, 1, &make))];
    let hedge = method.effective().policies.hedge;
    let mut started = 1;
    let mut limit = hedge.map_or(1, |hedge| hedge.max.saturating_add(1));
    let mut last = None;
    let mut timer = pin!(None::<Sleep>);
    let answer = std::future::poll_fn(|cx| {
        loop {
            if let Some(answer) = poll_all::<M, _, _>(&mut running, &mut last, cx) {
                return Poll::Ready(answer);
            }
            if running.is_empty()
                && let Some(last) = last.take()
            {
                return Poll::Ready(last);
            }
            let Some(hedge) = hedge.filter(|_| started < limit) else {
                return Poll::Pending;
            };
            if timer.is_none() {
                timer.set(Some(tokio::time::sleep(hedge.after)));
            }
            if poll_timer(timer.as_mut(), cx).is_pending() {
                return Poll::Pending;
            }
            timer.set(None);
            if method.budget().withdraw(&BUDGET, Moment::now()) {
                started += 1;
                running.push(Box::pin(attempt::<M, F, Fut>(method, &race, started, &make)));
            } else {
                // There are too many already, so more would make it worse for everybody.
                limit = started;
            }
        }
    })
    .await;
    race.won.store(true, Relaxed);
    drop(running);
    answer
}

/// One attempt, with its own breaker, bulkhead and timeout.
async fn attempt<M, F, Fut>(method: &MethodState, race: &Race, number: u32, make: &F) -> Fut::Output
where
    F: Fn() -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    let mut call = Call::racing(method, race, number);
    loop {
        if let Some(answer) = call.attempt::<M, _, _>(|_last| make()).await {
            return answer;
        }
    }
}

/// The first that answers with a value or a refusal. Those that fail leave, and the failure of the last is kept.
fn poll_all<M, R, O>(running: &mut Vec<Pin<Box<R>>>, last: &mut Option<O>, cx: &mut Context<'_>) -> Option<O>
where
    R: Future<Output = O>,
    O: Outcome,
    M: ErrorMap<O::Error>,
{
    let mut index = 0;
    while let Some(attempt) = running.get_mut(index) {
        let Poll::Ready(answer) = attempt.as_mut().poll(cx) else {
            index += 1;
            continue;
        };
        running.remove(index);
        let result = answer.into_result();
        let answers = match &result {
            Ok(_) => true,
            Err(error) => M::classify(error).class() == Class::Refusal,
        };
        let answer = O::from_result(result);
        if answers {
            return Some(answer);
        }
        *last = Some(answer);
    }
    None
}
