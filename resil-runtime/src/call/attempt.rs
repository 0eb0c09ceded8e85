//! One pass through circuit breaker, bulkhead, timeout and adapter.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::current::{self, Note};
use super::held::{Begin, Held};
use super::ticket::Ticket;
use super::waits::Cut;
use super::{Call, Outcome};
use crate::ErrorMap;
use pin_project_lite::pin_project;

pin_project! {
    /// One attempt of a [`Call`]: made by [`Call::attempt`], `None` once awaited where another one should follow.
    ///
    /// The example of [`Call`] awaits some. Nothing happens before it is first polled. Dropping it drops the adapter's
    /// future and gives back what the attempt held.
    #[must_use = "an attempt does nothing unless it is awaited"]
    // In this order in memory, so that what every call writes is not moved together with the room for the timer.
    #[repr(C)]
    pub struct AttemptFuture<'c, 's, M, F, Fut> {
        // Before the ticket: what the adapter's future holds is freed before its place is given away.
        #[pin]
        stage: Stage<F, Fut>,
        #[pin]
        held: Held<'c, 's>,
        map: PhantomData<fn() -> M>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<F, Fut> {
        Make { make: Option<F> },
        Run { #[pin] future: Fut },
        Over,
    }
}

impl<'c, 's, M, F, Fut> AttemptFuture<'c, 's, M, F, Fut>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    /// The next one of this call.
    #[inline]
    pub(crate) fn new(call: &'c mut Call<'s>, make: F) -> Self {
        Self {
            stage: Stage::Make { make: Some(make) },
            held: Held::new(call),
            map: PhantomData,
        }
    }
}

// Here stands no more than what needs the types of the adapter's future, since it is compiled for each method anew: what needs those of
// its error only is below, and what needs none in `Waits`.
impl<M, F, Fut> Future for AttemptFuture<'_, '_, M, F, Fut>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future<Output: Outcome>,
    M: ErrorMap<<Fut::Output as Outcome>::Error>,
{
    type Output = Option<Fut::Output>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (mut stage, mut held) = (this.stage, this.held);
        let failed = 'failed: {
            let why = match held.as_mut().begin::<M, _>(cx) {
                Begin::Run { outer, could_answer } => {
                    let ticket = held.as_mut().running();
                    let last = ticket.call.is_last();
                    let watch = Watch { ticket, outer };
                    if let StageProjection::Make { make } = stage.as_mut().project()
                        && let Some(make) = make.take()
                    {
                        stage.as_mut().turn(Stage::Run { future: make(last) });
                    }
                    let StageProjection::Run { future } = stage.as_mut().project() else {
                        polled_after_panic()
                    };
                    match future.poll(cx) {
                        Poll::Ready(output) => {
                            stage.turn(Stage::Over);
                            watch.end();
                            match output.into_result() {
                                Ok(value) => {
                                    held.succeeded();
                                    return Poll::Ready(Some(Outcome::from_result(Ok(value))));
                                }
                                Err(error) => break 'failed failed::<M, _>(held, error, cx),
                            }
                        }
                        Poll::Pending => {
                            watch.end();
                            ready!(held.as_mut().waits().poll_timeout(could_answer, cx))
                        }
                    }
                }
                Begin::Pending => return Poll::Pending,
                Begin::Next => return Poll::Ready(None),
                Begin::Refused(error) => break 'failed Poll::Ready(Some(error)),
                Begin::Late => Cut::Late,
            };
            stage.abandon(held.as_mut());
            cut::<M, _>(held, why, cx)
        };
        // The rare answers come here as errors of their own, and not each straight to where the frequent one goes: that one would
        // pass through memory for their sake, and be read in other widths than it was written, a third of the time of a call.
        match failed {
            Poll::Pending => Poll::Pending,
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Ready(Some(error)) => Poll::Ready(Some(Outcome::from_result(Err(error)))),
        }
    }
}

impl<F, Fut> Stage<F, Fut>
where
    F: FnOnce(bool) -> Fut,
    Fut: Future,
{
    /// Drops what there is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn turn(mut self: Pin<&mut Self>, stage: Self) {
        self.set(stage);
    }

    /// Drops the adapter's future, or what would have made it.
    #[cold]
    fn abandon(self: Pin<&mut Self>, held: Pin<&mut Held<'_, '_>>) {
        let watch = Watch::begin(held.over());
        self.turn(Self::Over);
        watch.end();
    }
}

#[cold]
fn polled_after_panic() -> ! {
    panic!("an attempt was polled after a panic in the adapter")
}

/// Its time is over, and the adapter's future dropped.
#[cold]
fn cut<M: ErrorMap<E>, E>(held: Pin<&mut Held<'_, '_>>, cut: Cut, cx: &mut Context<'_>) -> Poll<Option<E>> {
    let cut = held.waits().cut(cut, cx);
    cut.map(|error| error.map(M::policy))
}

/// The adapter answered with an error.
#[cold]
fn failed<M: ErrorMap<E>, E>(
    mut held: Pin<&mut Held<'_, '_>>,
    error: E,
    cx: &mut Context<'_>,
) -> Poll<Option<E>> {
    let watch = Watch::begin(held.as_mut().over());
    let class = M::classify(&error);
    watch.end();
    match held.waits().failed(&class, cx) {
        None => Poll::Ready(Some(error)),
        Some(waited) => waited.map(|()| None),
    }
}

/// Stands by while code of the adapter's author runs. Its drop is reached only when that code panics.
pub(super) struct Watch<'t, 'c, 's> {
    ticket: &'t mut Ticket<'c, 's>,
    outer: Note,
}

impl<'t, 'c, 's> Watch<'t, 'c, 's> {
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn begin(ticket: &'t mut Ticket<'c, 's>) -> Self {
        let (outer, framed) = current::put(ticket.call.note);
        if framed {
            ticket.call.enter(outer);
        }
        Self { ticket, outer }
    }

    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn end(self) {
        self.ticket.call.leave(self.outer);
        std::mem::forget(self);
    }
}

impl Drop for Watch<'_, '_, '_> {
    #[cold]
    fn drop(&mut self) {
        self.ticket.call.leave(self.outer);
        self.ticket.panicked();
    }
}

impl<M, F, Fut> fmt::Debug for AttemptFuture<'_, '_, M, F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttemptFuture")
            .field("phase", &self.held.phase)
            .field("ticket", &self.held.ticket)
            .finish_non_exhaustive()
    }
}
