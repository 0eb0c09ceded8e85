//! A call that found nothing at hand: it loads, or waits for one who does. What it loads, and of what types, is known further out.

use std::any::Any;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::call::current::{self, Frame, Note, earlier};
use crate::call::extras::deadlines;
use crate::call::scope::Inside;
use crate::instance::MethodState;
use crate::policy::cached::{AnyEntry, Cached, Joined, Landing, Lead, OwnedKey, Store, Wait};
use crate::{Class, Classification, PolicyError, PolicyErrorKind};

/// A call that found nothing at hand.
pub(super) struct Miss<'s> {
    store: &'s Store,
    /// As it was when the call began.
    policy: Cached,
    /// Lent to the table of loads while this caller leads.
    key: Option<OwnedKey>,
    /// The end of the whole call.
    deadline: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// For a load that began after some of the time was spent with waiting.
    frame: Option<Frame>,
    phase: Phase<'s>,
}

enum Phase<'s> {
    Join,
    Lead(Lead<'s>),
    Wait(Wait),
    /// It loads for itself only.
    Alone,
}

/// What comes next.
pub(super) enum Step {
    /// The load is polled.
    Load,
    /// It is over.
    Answer(Answer),
}

/// What somebody else's load came to, or what is kept.
pub(super) enum Answer {
    /// As it was loaded.
    Loaded(Arc<AnyEntry>),
    /// As old as it is by then.
    Kept(Arc<AnyEntry>, Instant),
    /// The leader's error, to be copied.
    Error(Arc<dyn Any + Send + Sync>),
    Policy(Box<PolicyError>),
}

impl<'s> Miss<'s> {
    #[cold]
    pub(super) fn begin(method: &MethodState, store: &'s Store, policy: &Cached, key: OwnedKey) -> Box<Self> {
        Box::new(Self {
            store,
            policy: *policy,
            key: Some(key),
            deadline: earlier(deadlines(method).0, current::deadline()),
            timer: None,
            frame: None,
            phase: Phase::Join,
        })
    }

    pub(super) fn ttl(&self) -> Duration {
        self.policy.ttl
    }

    /// Joins those who load, and waits where somebody else does.
    pub(super) fn poll(&mut self, method: &MethodState, cx: &mut Context<'_>) -> Poll<Step> {
        loop {
            match &self.phase {
                Phase::Lead(_) | Phase::Alone => return Poll::Ready(Step::Load),
                Phase::Join => {
                    let now = Instant::now();
                    self.phase = match self.store.join(&mut self.key, now) {
                        Joined::Hit(entry) => return Poll::Ready(Step::Answer(Answer::Kept(entry, now))),
                        Joined::Lead(lead) => {
                            self.timer = None;
                            Phase::Lead(lead)
                        }
                        Joined::Wait(wait) => Phase::Wait(wait),
                        Joined::Inside => Phase::Alone,
                    };
                }
                Phase::Wait(wait) => {
                    let answer = match wait.poll(cx.waker()) {
                        Poll::Ready(landing) => self.landed(landing),
                        Poll::Pending => {
                            ready!(self.poll_deadline(cx));
                            self.phase = Phase::Join;
                            Some(self.late(method))
                        }
                    };
                    if let Some(answer) = answer {
                        return Poll::Ready(Step::Answer(answer));
                    }
                }
            }
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        timer.as_mut().poll(cx)
    }

    /// The answer to one who has waited; `None` where it goes on.
    fn landed(&mut self, landing: Landing) -> Option<Answer> {
        self.phase = Phase::Join;
        match landing {
            Landing::Value(entry) => {
                current::leave(false);
                Some(Answer::Loaded(entry))
            }
            Landing::Stale(entry) => Some(Answer::Kept(entry, Instant::now())),
            Landing::Error { error, spent } => {
                current::leave(spent);
                Some(Answer::Error(error))
            }
            Landing::Failed { error, spent } => {
                current::leave(spent);
                Some(Answer::Policy(error))
            }
            Landing::Refused => {
                self.spend();
                self.timer = None;
                self.phase = Phase::Alone;
                None
            }
            Landing::Lost => {
                self.spend();
                None
            }
        }
    }

    /// Some time was spent with waiting, so a load of its own has what is left.
    fn spend(&mut self) {
        self.frame = self.deadline.map(|deadline| Frame {
            deadline: Some(deadline),
            ..Frame::default()
        });
    }

    /// Its time is over while it waits.
    fn late(&self, method: &MethodState) -> Answer {
        let now = Instant::now();
        let stale = self
            .key
            .as_ref()
            .and_then(|key| self.store.stale(key, self.policy.stale_if_error, now));
        if let Some(entry) = stale {
            return Answer::Kept(entry, now);
        }
        current::leave(method.effective().policies.retry.is_some());
        let error = method.spec().error(PolicyErrorKind::DeadlineExceeded);
        Answer::Policy(Box::new(error.with_not_sent(true)))
    }

    /// Polls the load under what is left of the time, where some of it is spent. With its answer comes the lead, unless this caller
    /// loads for itself only.
    pub(super) fn poll_load<Fut: Future>(
        &mut self,
        load: Pin<&mut Fut>,
        cx: &mut Context<'_>,
    ) -> Poll<(Option<Lead<'s>>, Fut::Output)> {
        // Taken out, so that a load that panics is lost at once.
        let leading = self.take_lead();
        let polled = {
            let _nested = leading.as_ref().map(Lead::polled);
            let _inside = self.frame.as_mut().map(Inside::enter);
            load.poll(cx)
        };
        let Poll::Ready(answer) = polled else {
            self.lead_again(leading);
            return Poll::Pending;
        };
        Poll::Ready((leading, answer))
    }

    fn take_lead(&mut self) -> Option<Lead<'s>> {
        match mem::replace(&mut self.phase, Phase::Alone) {
            Phase::Lead(lead) => Some(lead),
            Phase::Alone | Phase::Join | Phase::Wait(_) => None,
        }
    }

    fn lead_again(&mut self, lead: Option<Lead<'s>>) {
        if let Some(lead) = lead {
            self.phase = Phase::Lead(lead);
        }
    }

    /// Its load has failed: tells those who wait. What is kept instead, and the time.
    pub(super) fn failed(
        &self,
        method: &MethodState,
        lead: &Lead<'_>,
        class: &Classification,
        copy: Option<&dyn Fn() -> Arc<dyn Any + Send + Sync>>,
    ) -> Option<(Arc<AnyEntry>, Instant)> {
        let now = Instant::now();
        let spent = current::note().has(Note::SPENT);
        let refused = class.class() == Class::Refusal;
        let stale = lead.fail(refused, self.policy.stale_if_error, now);
        if lead.has_waiters() {
            // By the clock, since the error may be of a call further in that had the same deadline.
            let out_of_time = self.deadline.is_some_and(|deadline| deadline <= now);
            lead.land(match (&stale, copy) {
                _ if out_of_time => Landing::Lost,
                (Some(entry), _) => Landing::Stale(Arc::clone(entry)),
                (None, Some(copy)) => Landing::Error { error: copy(), spent },
                (None, None) if refused => Landing::Refused,
                (None, None) => Landing::Failed {
                    error: Box::new(load_failed(method, class)),
                    spent,
                },
            });
        }
        stale.map(|entry| (entry, now))
    }
}

#[cold]
fn load_failed(method: &MethodState, class: &Classification) -> PolicyError {
    let mut error = method
        .spec()
        .error(PolicyErrorKind::LoadFailed)
        .with_class(class.class())
        .with_not_sent(class.is_not_sent());
    if let Some(code) = class.get_code() {
        error = error.with_code(code.clone());
    }
    if let Some(wait) = class.get_retry_after() {
        error = error.with_retry_after(wait);
    }
    error
}
