//! What passes between a breaker and the call engine.

use std::num::NonZeroU64;
use std::time::Duration;

use super::word::Word;
use crate::Code;

/// That a circuit let an attempt through, and as what.
///
/// It is a receipt, not a guard: whoever holds it ends it exactly once, by `success`, `failure` or `cancel`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(super) word: Word,
    pub(super) probe: Option<ProbeId>,
}

/// Which probe of a circuit; never given twice.
pub(super) type ProbeId = NonZeroU64;

impl Admission {
    /// Stands in its place until there is one.
    pub(crate) const NONE: Self = Self {
        word: Word::FIRST,
        probe: None,
    };

    /// The circuit would have refused it, but only observes. Its outcome is no evidence.
    pub(crate) const fn is_shadow(&self) -> bool {
        self.probe.is_none() && !self.word.lets_through()
    }
}

/// That a circuit refused an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The rest of the open time, where the circuit is open and time ends that.
    pub(crate) retry_after: Option<Duration>,
    /// The code of the error that opened it.
    pub(crate) code: Option<Code>,
}

/// A failed attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    pub(crate) slow: bool,
    pub(crate) timed_out: bool,
    pub(crate) code: Option<Code>,
    /// How long the dependency asked to be left alone.
    pub(crate) retry_after: Option<Duration>,
}
