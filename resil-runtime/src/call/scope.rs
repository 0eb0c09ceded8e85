//! A future that is polled under a frame: a deadline, or an attempt that was passed on to a task.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::current::{self, Frame, Note};

pin_project! {
    /// Polls a future under a frame. What nested calls tell the attempt around it reaches that attempt.
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is awaited"]
    pub(crate) struct Scope<F> {
        frame: Option<Frame>,
        #[pin]
        future: F,
    }
}

impl<F> Scope<F> {
    /// Under `frame`; under what is there already where it is `None`.
    pub(crate) const fn new(frame: Option<Frame>, future: F) -> Self {
        Self { frame, future }
    }
}

impl<F: Future> Future for Scope<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _inside = this.frame.as_mut().map(Inside::enter);
        this.future.poll(cx)
    }
}

/// Takes the frame back, also where the future panics.
pub(crate) struct Inside<'f> {
    frame: &'f mut Frame,
    outer: Note,
}

impl<'f> Inside<'f> {
    pub(crate) fn enter(frame: &'f mut Frame) -> Self {
        let outer = current::note();
        let mut note = outer.with(Note::FRAMED);
        if frame.number > 0 {
            note = note.with(Note::ATTEMPT);
        }
        current::push(frame.clone());
        current::exchange(note);
        Self { frame, outer }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        *self.frame = current::pop();
        let spent = current::note().has(Note::SPENT);
        current::exchange(self.outer);
        current::leave(spent);
    }
}
