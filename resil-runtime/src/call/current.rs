//! What runs inside an attempt can know of it, and what it tells it.
//!
//! A thread keeps a [`Note`] on the attempt whose adapter it is polling. One that has more to tell (a deadline, a number above one, somebody
//! asked for it) puts a frame on a stack as well. Both are put in place for each poll and taken back after it, so that what
//! runs in a spawned task is not nested.
//!
//! One layer retries: where the last nested call of an attempt had a retry and failed all the same, the attempt is not
//! repeated, whatever error it was turned into, and through layers without a retry. That is what [`Note::SPENT`] tells.

use std::cell::{Cell, RefCell};

use tokio::time::Instant;

use crate::attempt::{Attempt, CallId};

/// A few bits on the innermost attempt of this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note(u8);

impl Note {
    /// Outside every attempt.
    pub(crate) const NOTHING: Self = Self(0);
    /// An adapter's method is called, or its future polled.
    pub(crate) const ATTEMPT: Self = Self(1);
    /// The last nested call failed, and it or what it called last had a retry.
    pub(crate) const SPENT: Self = Self(2);
    /// The frame on top of the stack belongs to it.
    pub(crate) const FRAMED: Self = Self(4);

    #[inline]
    pub(crate) const fn has(self, bits: Self) -> bool {
        self.0 & bits.0 != 0
    }

    #[inline]
    pub(crate) const fn with(self, bits: Self) -> Self {
        Self(self.0 | bits.0)
    }

    #[inline]
    pub(crate) const fn without(self, bits: Self) -> Self {
        Self(self.0 & !bits.0)
    }
}

/// What an attempt, or a deadline, tells those inside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Of the attempt; zero outside one.
    pub(crate) number: u32,
    /// When the time for all that happens inside is over.
    pub(crate) deadline: Option<Instant>,
    /// Where it is known before anybody asks.
    pub(crate) call_id: Option<CallId>,
    /// What was given to somebody who asked for it.
    pub(crate) attempt: Option<Attempt>,
}

thread_local! {
    static NOTE: Cell<Note> = const { Cell::new(Note::NOTHING) };
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Puts a note in place, and gives back the one that was there.
#[inline]
pub(crate) fn exchange(note: Note) -> Note {
    NOTE.replace(note)
}

/// As [`exchange`], for an attempt. Whether there is a frame around it, or it has one to put in place.
#[inline]
pub(crate) fn put(note: Note) -> (Note, bool) {
    let outer = exchange(note);
    (outer, outer.with(note).has(Note::FRAMED))
}

#[inline]
pub(crate) fn note() -> Note {
    NOTE.get()
}

/// A call has ended: `spent` where it failed, and it or what it called last had a retry.
#[inline]
pub(crate) fn leave(spent: bool) {
    let note = NOTE.get().without(Note::SPENT);
    NOTE.set(if spent { note.with(Note::SPENT) } else { note });
}

/// The innermost deadline of what this thread polls.
pub(crate) fn deadline() -> Option<Instant> {
    if note().has(Note::FRAMED) {
        innermost_deadline()
    } else {
        None
    }
}

/// The deadline of the frame on top.
pub(crate) fn innermost_deadline() -> Option<Instant> {
    FRAMES.with_borrow(|frames| frames.last().and_then(|frame| frame.deadline))
}

/// The smaller of two deadlines, where there are any.
pub(crate) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

pub(crate) fn push(frame: Frame) {
    FRAMES.with_borrow_mut(|frames| frames.push(frame));
}

pub(crate) fn pop() -> Frame {
    FRAMES.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// The attempt that this thread polls, which from now on is known to somebody.
pub(crate) fn claim() -> Option<Attempt> {
    let note = note();
    if !note.has(Note::ATTEMPT) {
        return None;
    }
    if !note.has(Note::FRAMED) {
        // Only a first attempt without a deadline has no frame.
        push(Frame {
            number: 1,
            ..Frame::default()
        });
        NOTE.set(note.with(Note::FRAMED));
    }
    FRAMES.with_borrow_mut(|frames| {
        let frame = frames.last_mut()?;
        let (number, call_id, deadline) = (frame.number, frame.call_id, frame.deadline);
        let attempt = frame
            .attempt
            .get_or_insert_with(|| Attempt::new(number, call_id.unwrap_or_else(CallId::next), deadline));
        Some(attempt.clone())
    })
}
