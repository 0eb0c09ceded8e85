//! What only some calls have: a deadline, an attempt that somebody asked for, a race between hedges.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::Instant;

use super::Call;
use super::current::{self, Frame, Note, earlier};
use super::hedged::Race;
use super::ticket::{Flags, Holdings};
use crate::attempt::Attempt;
use crate::instance::MethodState;
use crate::policy::Mode;
use crate::policy::rate_limit::Turn;

/// Behind a box, so that calls without them are as small and as fast as before.
#[derive(Debug, Default)]
pub(super) struct Extras<'s> {
    /// Its own time runs.
    begun: bool,
    /// Its own, or one further out where that is earlier.
    deadline: Option<Instant>,
    /// Its own, where it is only observed; until it has passed.
    observed: Option<Instant>,
    /// The last attempt that somebody asked for.
    attempt: Option<Attempt>,
    /// Taken from the rate limit by an attempt that does not run yet.
    turn: Option<Turn>,
    /// Another attempt follows, and needs this.
    followed: bool,
    /// With other attempts of the same call.
    race: Option<&'s Race>,
}

/// Which limit a running attempt meets first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Timeout,
    Deadline,
    /// A deadline in observe mode.
    Observed,
}

/// When a call of this method that begins now has to be over: the enforced end, and the observed one.
pub(super) fn deadlines(method: &MethodState) -> (Option<Instant>, Option<Instant>) {
    let Some(deadline) = method.effective().policies.deadline else {
        return (None, None);
    };
    // A deadline beyond the end of the clock is none.
    let end = Instant::now().checked_add(deadline.limit);
    match deadline.mode {
        Mode::Enforce => (end, None),
        Mode::Observe => (None, end),
    }
}

impl<'s> Call<'s> {
    fn extras(&mut self) -> &mut Extras<'s> {
        self.flags.add(Flags::EXTRAS);
        self.extras.get_or_insert_default()
    }

    /// One attempt of a race: it does not count as a call, and has what is left of the call's time.
    pub(super) fn racing(method: &'s MethodState, race: &'s Race, number: u32) -> Self {
        let mut call = Self::uncounted(method);
        let (deadline, observed) = race.deadlines();
        *call.extras() = Extras {
            begun: true,
            deadline,
            observed,
            race: Some(race),
            ..Extras::default()
        };
        call.number = number.saturating_sub(1);
        call.note = call.note.with(Note::FRAMED);
        call
    }

    /// For an attempt that does not run yet.
    pub(super) fn keep_turn(&mut self, turn: Turn) {
        self.extras().turn = Some(turn);
    }

    /// The attempt runs.
    pub(super) fn use_turn(&mut self) {
        if let Some(extras) = self.extras.as_mut() {
            extras.turn = None;
        }
    }

    /// The attempt will not run.
    pub(super) fn give_turn_back(&mut self) {
        let turn = self.extras.as_mut().and_then(|extras| extras.turn.take());
        if let (Some(turn), Some((limiter, _))) = (turn, self.method.limiter()) {
            limiter.give_back(turn);
        }
    }

    /// Another attempt follows the one that ends now.
    pub(super) fn go_on(&mut self) {
        self.holdings = Holdings::NOTHING;
        self.flags.settle();
        if let Some(extras) = self.extras.as_mut() {
            extras.followed = true;
        }
    }

    /// An attempt is over, and this with it unless another one follows.
    #[cold]
    pub(super) fn end_extras(&mut self) {
        let followed = |extras: &mut Box<Extras<'_>>| std::mem::take(&mut extras.followed);
        if !self.extras.as_mut().is_some_and(followed) {
            self.extras.take();
        }
    }

    /// Another attempt of its race has answered.
    pub(super) fn has_lost(&self) -> bool {
        let race = self.extras.as_ref().and_then(|extras| extras.race);
        race.is_some_and(Race::is_won)
    }

    /// The time of a call begins, where it has a deadline or one around it does: before whatever is bounded by it.
    #[cold]
    pub(super) fn begin_time(&mut self, outer: Option<Instant>) {
        let has_own = self.method.effective().policies.deadline.is_some();
        if has_own && !self.extras.as_ref().is_some_and(|extras| extras.begun) {
            let (deadline, observed) = deadlines(self.method);
            let extras = self.extras();
            extras.begun = true;
            (extras.deadline, extras.observed) = (deadline, observed);
        }
        if outer.is_some() {
            let extras = self.extras();
            extras.deadline = earlier(extras.deadline, outer);
            self.note = self.note.with(Note::FRAMED);
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.extras.as_ref().and_then(|extras| extras.deadline)
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Which of the deadlines comes first, where there is any.
    pub(super) fn next_deadline(&self) -> Option<(Instant, Limit)> {
        let extras = self.extras.as_ref()?;
        let enforced = extras.deadline.map(|end| (end, Limit::Deadline));
        let observed = extras.observed.map(|end| (end, Limit::Observed));
        enforced.into_iter().chain(observed).min_by_key(|(end, _)| *end)
    }

    /// A deadline in observe mode would have ended the call. Its attempts are no evidence from now on.
    pub(super) fn outlived_its_deadline(&mut self) {
        let observed = self.extras.as_mut().and_then(|extras| extras.observed.take());
        if observed.is_some() {
            self.method.observed.deadlines.fetch_add(1, Relaxed);
        }
    }

    /// Whether a wait before another attempt would end after the deadline.
    pub(super) fn outlasts(&mut self, wait: Duration) -> bool {
        let Some((first, _)) = self.next_deadline() else {
            return false;
        };
        let over = |end: Instant| Instant::now().checked_add(wait).is_none_or(|then| then >= end);
        if !over(first) {
            return false;
        }
        if self.deadline().is_some_and(over) {
            return true;
        }
        self.outlived_its_deadline();
        false
    }

    /// An attempt that has more to tell than that it is one: `outer` is the note of what is around it.
    #[cold]
    pub(super) fn enter(&mut self, outer: Note) {
        let outer = outer.has(Note::FRAMED).then(current::innermost_deadline);
        self.begin_time(outer.flatten());
        if self.note.has(Note::FRAMED) {
            current::push(self.frame());
            current::exchange(self.note);
        }
    }

    /// As `enter`, but where the deadline has passed before a `new` attempt could call the adapter: then nothing is in place.
    pub(super) fn enter_unless_late(&mut self, outer: Note, new: bool) -> bool {
        self.enter(outer);
        let late = new && self.is_late();
        if late {
            self.leave(outer);
        }
        late
    }

    /// The attempt is not polled any more: `outer` is what is around it.
    #[inline]
    pub(super) fn leave(&mut self, outer: Note) {
        self.note = current::exchange(outer);
        if self.note.has(Note::FRAMED) {
            self.exit();
        }
    }

    /// Takes its frame back, with what became known to somebody.
    #[cold]
    fn exit(&mut self) {
        if let Some(attempt) = current::pop().attempt {
            self.extras().attempt = Some(attempt);
        }
    }

    fn frame(&self) -> Frame {
        let extras = self.extras.as_ref();
        let attempt = extras.and_then(|extras| extras.attempt.as_ref());
        let race = extras.and_then(|extras| extras.race);
        Frame {
            number: self.number,
            deadline: self.deadline(),
            call_id: attempt.map(Attempt::call_id).or(race.map(Race::call_id)),
            attempt: attempt.filter(|attempt| attempt.number() == self.number).cloned(),
        }
    }

    /// Nobody waits for the running attempt any more.
    pub(super) fn abandon(&self) {
        let attempt = self.extras.as_ref().and_then(|extras| extras.attempt.as_ref());
        if let Some(attempt) = attempt.filter(|attempt| attempt.number() == self.number) {
            attempt.abandon();
        }
    }
}
