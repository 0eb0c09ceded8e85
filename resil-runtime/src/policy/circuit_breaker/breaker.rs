//! The running breaker: one atomic word that every call reads, and behind a lock what is rarely needed.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::admission::{Admission, Failure, ProbeId, Refused};
use super::config::{Quiet, Rules, Window};
use super::machine::{Machine, Verdict};
use super::publish::{Names, Outbox};
use super::state::{Cause, Transition};
use super::window::{Recent, Register, Ring, Run, TimeWindow};
use super::word::Word;
use crate::Code;
use crate::sync::{AtomicU64, Mutex, MutexGuard, lock};
use crate::time::Moment;

/// The circuit of one method state. It holds no numbers: whoever asks brings the rules, so that they can change.
// In this order in memory: what every call reads stands together, and away from what stands behind it.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Breaker {
    word: AtomicU64,
    pub(super) run: Run,
    pub(super) failed: Register,
    pub(super) slow: Register,
    pub(super) rare: OnceLock<Box<Rare>>,
    names: &'static Names,
}

/// What a circuit that was never in trouble does without.
#[derive(Debug)]
pub(super) struct Rare {
    pub(super) inner: Mutex<Inner>,
    /// Made under the lock, read without.
    pub(super) times: OnceLock<Box<TimeWindow>>,
}

/// The word is written only under this lock, together with the machine.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) machine: Machine,
    pub(super) ring: Ring,
    pub(super) recent: Recent,
    /// Of the last failure of this epoch that had one: a success can be the outcome that makes a share judged.
    pub(super) last_code: Option<Code>,
    /// Failures in a row when it was last closed.
    pub(super) failures: u32,
    pub(super) refused: u64,
    pub(super) outbox: Outbox,
}

impl Breaker {
    pub(crate) fn new(names: &'static Names) -> Self {
        Self {
            word: AtomicU64::new(Word::FIRST.as_u64()),
            run: Run::new(),
            failed: Register::new(),
            slow: Register::new(),
            rare: OnceLock::new(),
            names,
        }
    }

    /// Lets an attempt through a closed circuit: all that most attempts need. `None`: [`admit`](Self::admit) decides.
    #[inline]
    pub(crate) fn pass(&self) -> Option<Admission> {
        let word = self.word();
        word.lets_through().then_some(Admission { word, probe: None })
    }

    /// Whether an attempt may go through.
    ///
    /// `rules` are `None` for a method without this policy: then it never refuses by itself, but an operator can make it.
    pub(crate) fn admit(&self, rules: Option<&Rules>, now: Moment) -> Result<Admission, Refused> {
        match self.pass() {
            Some(admission) => Ok(admission),
            None => self.admit_guarded(rules, now),
        }
    }

    #[cold]
    fn admit_guarded(&self, rules: Option<&Rules>, now: Moment) -> Result<Admission, Refused> {
        let mut inner = self.lock();
        // What an open circuit does most of the time, without a detour.
        if rules.is_some_and(|rules| !rules.observe)
            && let Some(refused) = inner.machine.refuses(now)
        {
            inner.refused = inner.refused.saturating_add(1);
            return Err(refused);
        }
        let (verdict, transition) = inner.machine.admit(rules, now);
        self.note(&mut inner, transition);
        let word = self.word();
        let answer = match verdict {
            Verdict::Pass => Ok(Admission { word, probe: None }),
            Verdict::Probe(probe) => Ok(Admission {
                word,
                probe: Some(probe),
            }),
            Verdict::Refuse(refused) => {
                inner.refused = inner.refused.saturating_add(1);
                let observes = rules.is_some_and(|rules| rules.observe);
                if observes && !word.phase().is_forced() {
                    Ok(Admission { word, probe: None })
                } else {
                    Err(refused)
                }
            }
        };
        self.publish(inner);
        answer
    }

    /// Whether nothing has happened since that would have refused this attempt: it was let through by a closed circuit,
    /// and that is still the same one, or it is a probe and still has its place. If not, cancel it and ask again.
    pub(crate) fn holds(&self, admission: &Admission) -> bool {
        match admission.probe {
            None => {
                let word = self.word();
                word == admission.word || (admission.is_shadow() && !word.phase().is_forced())
            }
            Some(probe) => self.lock().machine.probes.holds(probe),
        }
    }

    /// Whether there is nothing to record where this attempt succeeded: loads only.
    #[inline]
    pub(crate) fn ignores_success(&self, quiet: Quiet, admission: &Admission) -> bool {
        let word = admission.word;
        match quiet {
            Quiet::Always => admission.probe.is_none(),
            Quiet::Never => false,
            Quiet::WhileNoneFailed => admission.probe.is_none() && self.run.is_empty(word),
            Quiet::WhileClean(clean) => {
                admission.probe.is_none() && self.run.is_empty(word) && self.failed.is(word, clean)
            }
        }
    }

    /// The dependency answered, be it with a refusal of the business.
    #[inline]
    pub(crate) fn success(
        &self,
        rules: Option<&Rules>,
        admission: Admission,
        slow: bool,
        now: impl FnOnce() -> Moment,
    ) {
        let word = admission.word;
        if let Some(probe) = admission.probe {
            self.probe_succeeded(rules, probe, slow, now());
        } else if let Some(rules) = rules
            && word.judges()
            && !self.is_clean(rules, word, slow)
        {
            self.count_success(rules, word, slow, now);
        }
    }

    /// Whether this success would leave everything as it is.
    #[inline]
    fn is_clean(&self, rules: &Rules, word: Word, slow: bool) -> bool {
        self.run.is_empty(word)
            && match rules.window {
                Window::Time(_) => !rules.keep_window(),
                Window::Calls(window) => {
                    (rules.failure_rate.is_none() || self.failed.is_clean(word, window))
                        && (rules.slow.is_none() || (!slow && self.slow.is_clean(word, window)))
                }
            }
    }

    #[cold]
    fn probe_succeeded(&self, rules: Option<&Rules>, probe: ProbeId, slow: bool, now: Moment) {
        self.settle(rules, probe, |machine, rules| {
            machine.probe_succeeded(rules, probe, slow, now)
        });
    }

    /// The dependency failed.
    #[cold]
    pub(crate) fn failure(&self, rules: Option<&Rules>, admission: Admission, failure: Failure, now: Moment) {
        let word = admission.word;
        if let Some(probe) = admission.probe {
            self.settle(rules, probe, |machine, rules| {
                machine.probe_failed(rules, probe, failure, now)
            });
        } else if let Some(rules) = rules
            && word.judges()
        {
            self.count_failure(rules, word, failure, now);
        }
    }

    /// The attempt says nothing of the dependency. A probe gives its place back.
    pub(crate) fn cancel(&self, admission: Admission) {
        if let Some(probe) = admission.probe {
            self.settle(None, probe, |_, _| None);
        }
    }

    /// Whether this attempt was let through to ask the dependency whether it is well.
    pub(crate) fn examines(&self, admission: &Admission) -> bool {
        admission
            .probe
            .is_some_and(|probe| self.lock().machine.probes.examines(probe))
    }

    /// The dependency says that it is well. The place is free for a call.
    pub(crate) fn examined(&self, admission: Admission) {
        if let Some(probe) = admission.probe {
            self.lock().machine.probes.examined(probe);
        }
    }

    /// Ends a probe. Without rules it only gives its place back. Ids are never given twice and each transition takes all
    /// places away, so one of another epoch finds that it has none.
    #[cold]
    fn settle(
        &self,
        rules: Option<&Rules>,
        probe: ProbeId,
        end: impl FnOnce(&mut Machine, &Rules) -> Option<Transition>,
    ) {
        let mut inner = self.lock();
        let transition = if let Some(rules) = rules {
            end(&mut inner.machine, rules)
        } else {
            inner.machine.probes.give_back(probe);
            None
        };
        self.note(&mut inner, transition);
        self.publish(inner);
    }

    /// Opens the circuit, if it is still the one that was judged. `None`: the outcome that opens it is no failure.
    #[cold]
    pub(super) fn trip(
        &self,
        rules: &Rules,
        word: Word,
        cause: Cause,
        failure: Option<Failure>,
        now: Moment,
    ) {
        let mut inner = self.lock();
        if self.word() != word {
            return;
        }
        let failure = failure.unwrap_or_else(|| Failure {
            code: inner.last_code.take(),
            ..Failure::default()
        });
        let transition = inner.machine.open(rules, cause, failure, now);
        self.note(&mut inner, Some(transition));
        self.publish(inner);
    }

    /// `Acquire`: who sees an epoch sees the windows as they were emptied for it.
    #[inline]
    pub(super) fn word(&self) -> Word {
        Word::from_u64(self.word.load(Acquire))
    }

    pub(super) fn rare(&self) -> &Rare {
        self.rare.get_or_init(|| {
            Box::new(Rare {
                inner: Mutex::new(Inner {
                    machine: Machine::new(),
                    ring: Ring::default(),
                    recent: Recent::default(),
                    last_code: None,
                    failures: 0,
                    refused: 0,
                    outbox: Outbox::default(),
                }),
                times: OnceLock::new(),
            })
        })
    }

    #[cfg(test)]
    pub(super) fn has_heap(&self) -> bool {
        self.rare.get().is_some()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.rare().inner)
    }

    /// After the machine has changed: a new epoch, and news for the outbox.
    pub(super) fn note(&self, inner: &mut Inner, transition: Option<Transition>) {
        if let Some(transition) = transition {
            self.renew(inner);
            inner.outbox.add(transition);
        }
    }

    /// A new epoch with empty windows. They are emptied before the word says so: what is counted in between is of the
    /// epoch that ends, and finds tags of the next.
    pub(super) fn renew(&self, inner: &mut Inner) {
        let old = self.word();
        if old.judges() {
            inner.failures = self.run.count();
        }
        let word = old.next(inner.machine.phase());
        self.run.restart(word);
        self.failed.restart(word);
        self.slow.restart(word);
        if let Some(times) = self.rare().times.get() {
            times.restart(word);
        }
        inner.ring.clear();
        inner.recent.clear();
        inner.last_code = None;
        self.word.store(word.as_u64(), Release);
    }

    /// Lets go of the lock, then tells what happened.
    pub(super) fn publish(&self, mut inner: MutexGuard<'_, Inner>) {
        let begin = inner.outbox.begin();
        drop(inner);
        if begin {
            self.tell();
        }
    }

    #[cold]
    fn tell(&self) {
        loop {
            let letter = self.lock().outbox.take();
            match letter {
                Some(letter) => letter.tell(self.names),
                None => return,
            }
        }
    }
}
