//! The rules once more, as plainly as they can be written: one thread, lists of everything, whole numbers.

use super::*;

/// What a reference needs beside [`Rules`]: the rates as whole percentages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) rules: Rules,
    pub(super) failure_percent: u32,
    pub(super) slow_percent: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    Closed,
    Open,
    HalfOpen,
    ForcedOpen,
    ForcedClosed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ticket {
    Through { epoch: u32 },
    Probe { epoch: u32, id: u32 },
    Shadow,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    Ok {
        slow: bool,
    },
    Failed {
        slow: bool,
        timed_out: bool,
        wish: Option<Duration>,
    },
    None,
}

#[derive(Clone, Copy, Debug)]
struct Done {
    at: Moment,
    failed: bool,
    slow: bool,
}

#[derive(Debug)]
pub(super) struct Reference {
    numbers: Numbers,
    pub(super) state: State,
    epoch: u32,
    done: Vec<Done>,
    until: Option<Moment>,
    reopenings: u32,
    probes: Vec<(u32, Moment)>,
    probes_made: u32,
    successes: u32,
    failures_at_end: u32,
    pub(super) opened: u64,
    pub(super) reopened: u64,
    pub(super) refused: u64,
}

impl Reference {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self {
            numbers,
            state: State::Closed,
            epoch: 0,
            done: Vec::new(),
            until: None,
            reopenings: 0,
            probes: Vec::new(),
            probes_made: 0,
            successes: 0,
            failures_at_end: 0,
            opened: 0,
            reopened: 0,
            refused: 0,
        }
    }

    pub(super) fn admit(&mut self, now: Moment) -> Result<Ticket, Option<Duration>> {
        let rules = self.numbers.rules;
        let epoch = self.epoch;
        match self.state {
            State::Closed | State::ForcedClosed => return Ok(Ticket::Through { epoch }),
            State::ForcedOpen => {
                self.refused += 1;
                return Err(None);
            }
            State::Open => match self.until {
                Some(until) if now >= until => self.become_(State::HalfOpen),
                until => return self.refuse(until.map(|until| until.since(now))),
            },
            State::HalfOpen => {}
        }
        if self.probes.len() >= rules.half_open_calls as usize {
            if now.since(self.probes[0].1) < rules.half_open_max {
                return self.refuse(None);
            }
            self.probes.remove(0);
        }
        let id = self.probes_made;
        self.probes_made += 1;
        self.probes.push((id, now));
        Ok(Ticket::Probe {
            epoch: self.epoch,
            id,
        })
    }

    fn refuse(&mut self, retry_after: Option<Duration>) -> Result<Ticket, Option<Duration>> {
        self.refused += 1;
        if self.numbers.rules.observe {
            Ok(Ticket::Shadow)
        } else {
            Err(retry_after)
        }
    }

    pub(super) fn holds(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Shadow => !matches!(self.state, State::ForcedOpen | State::ForcedClosed),
            Ticket::Through { epoch } => epoch == self.epoch,
            Ticket::Probe { epoch, id } => {
                epoch == self.epoch && self.probes.iter().any(|probe| probe.0 == id)
            }
        }
    }

    pub(super) fn end(&mut self, ticket: Ticket, outcome: Outcome, now: Moment) {
        if !self.holds(ticket) {
            return;
        }
        match ticket {
            Ticket::Probe { id, .. } => self.end_probe(id, outcome, now),
            Ticket::Through { .. } if self.state == State::Closed => self.count(outcome, now),
            Ticket::Through { .. } | Ticket::Shadow => {}
        }
    }

    fn end_probe(&mut self, id: u32, outcome: Outcome, now: Moment) {
        self.probes.retain(|probe| probe.0 != id);
        match outcome {
            Outcome::None => {}
            Outcome::Ok { slow } if slow && self.numbers.rules.slow.is_some() => {
                self.reopenings += 1;
                self.open(false, None, now);
            }
            Outcome::Ok { .. } => {
                self.successes += 1;
                if self.successes >= self.numbers.rules.success_threshold {
                    self.become_(State::Closed);
                }
            }
            Outcome::Failed { timed_out, wish, .. } => {
                self.reopenings += 1;
                self.open(timed_out, wish, now);
            }
        }
    }

    fn count(&mut self, outcome: Outcome, at: Moment) {
        let (failed, slow, timed_out, wish) = match outcome {
            Outcome::None => return,
            Outcome::Ok { slow } => (false, slow, false, None),
            Outcome::Failed {
                slow,
                timed_out,
                wish,
            } => (true, slow, timed_out, wish),
        };
        self.done.push(Done { at, failed, slow });
        if (failed && self.threshold_reached(at)) || self.rate_reached(at) {
            self.reopenings = 0;
            self.open(timed_out, wish, at);
        }
    }

    pub(super) fn in_a_row(&self) -> u32 {
        let run = self.done.iter().rev().take_while(|done| done.failed);
        match self.state {
            State::Closed => u32::try_from(run.count()).expect("a short test"),
            _ => self.failures_at_end,
        }
    }

    fn threshold_reached(&self, now: Moment) -> bool {
        let rules = self.numbers.rules;
        let Some(threshold) = rules.failure_threshold else {
            return false;
        };
        let Some(within) = rules.within else {
            return self.in_a_row() >= threshold;
        };
        let mut failures = self.done.iter().rev().filter(|done| done.failed);
        let first = failures.nth(threshold as usize - 1);
        first.is_some_and(|first| now.since(first.at) <= within)
    }

    fn rate_reached(&self, now: Moment) -> bool {
        let rules = self.numbers.rules;
        let window: Vec<&Done> = match rules.window {
            Window::Calls(calls) => self.done.iter().rev().take(calls as usize).collect(),
            Window::Time(time) => {
                let tenth = u64::try_from(time.as_nanos()).expect("a short time") / 10;
                let part = |at: Moment| at.as_nanos() / tenth;
                let recent = |done: &&Done| part(done.at).abs_diff(part(now)) < 10;
                self.done.iter().filter(recent).collect()
            }
        };
        let total = u32::try_from(window.len()).expect("a short test");
        let share =
            |hits: usize, percent: u32| total >= rules.min_calls && hits * 100 >= (percent * total) as usize;
        let failed = window.iter().filter(|done| done.failed).count();
        let slow = window.iter().filter(|done| done.slow).count();
        (rules.failure_rate.is_some() && share(failed, self.numbers.failure_percent))
            || (rules.slow.is_some() && share(slow, self.numbers.slow_percent))
    }

    fn open(&mut self, timed_out: bool, wish: Option<Duration>, now: Moment) {
        let rules = self.numbers.rules;
        let mut wait = if timed_out {
            rules.reset_after_timeout
        } else {
            rules.reset_after
        };
        if let Some(max) = rules.max_reset_after {
            for _ in 0..self.reopenings {
                wait = (wait * 2).min(max);
            }
        }
        let most = rules.max_reset_after.unwrap_or(rules.reset_after * 10);
        wait = wait.max(wish.unwrap_or_default().min(most));
        self.until = (!rules.manual).then(|| now.after(wait));
        self.become_(State::Open);
    }

    pub(super) fn reset(&mut self) {
        self.become_(State::Closed);
    }

    pub(super) fn force(&mut self, state: State) {
        if self.state != state {
            self.become_(state);
        }
    }

    pub(super) fn release(&mut self) {
        if matches!(self.state, State::ForcedOpen | State::ForcedClosed) {
            self.become_(State::Closed);
        }
    }

    fn become_(&mut self, state: State) {
        let is_open = matches!(state, State::Open | State::ForcedOpen);
        match self.state {
            State::Closed | State::ForcedClosed if is_open => self.opened += 1,
            State::HalfOpen if is_open => self.reopened += 1,
            _ => {}
        }
        if self.state == State::Closed {
            self.failures_at_end = self.in_a_row();
        }
        self.state = state;
        self.epoch += 1;
        self.done.clear();
        self.probes.clear();
        self.successes = 0;
    }
}
