//! The one word that every call reads: which epoch it is, and what that epoch does with a call.

use super::state::CircuitState;

/// What an epoch does with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Closed,
    Open,
    HalfOpen,
    ForcedOpen,
    ForcedClosed,
}

impl Phase {
    /// The two that let calls through have these two bits clear, so that one mask tells.
    const REFUSING: u64 = 0b011;
    const WIDTH: u32 = 3;
    const MASK: u64 = (1 << Self::WIDTH) - 1;

    const fn bits(self) -> u64 {
        match self {
            Self::Closed => 0b000,
            Self::Open => 0b001,
            Self::HalfOpen => 0b010,
            Self::ForcedOpen => 0b011,
            Self::ForcedClosed => 0b100,
        }
    }

    const fn from_bits(bits: u64) -> Self {
        match bits {
            0b000 => Self::Closed,
            0b001 => Self::Open,
            0b010 => Self::HalfOpen,
            0b011 => Self::ForcedOpen,
            _ => Self::ForcedClosed,
        }
    }

    pub(super) const fn state(self) -> CircuitState {
        match self {
            Self::Closed | Self::ForcedClosed => CircuitState::Closed,
            Self::Open | Self::ForcedOpen => CircuitState::Open,
            Self::HalfOpen => CircuitState::HalfOpen,
        }
    }

    pub(super) const fn is_forced(self) -> bool {
        matches!(self, Self::ForcedOpen | Self::ForcedClosed)
    }
}

/// An epoch with its phase. Each transition makes a new epoch, so that two equal words mean that nothing has happened
/// between them. 61 bits of epoch do not wrap in the life of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(u64);

impl Word {
    /// Closed, in the first epoch.
    pub(super) const FIRST: Self = Self(0);

    pub(super) const fn from_u64(word: u64) -> Self {
        Self(word)
    }

    pub(super) const fn as_u64(self) -> u64 {
        self.0
    }

    pub(super) const fn next(self, phase: Phase) -> Self {
        Self((self.epoch().wrapping_add(1) << Phase::WIDTH) | phase.bits())
    }

    pub(super) const fn epoch(self) -> u64 {
        self.0 >> Phase::WIDTH
    }

    pub(super) const fn phase(self) -> Phase {
        Phase::from_bits(self.0 & Phase::MASK)
    }

    /// Closed, or forced closed.
    #[inline]
    pub(super) const fn lets_through(self) -> bool {
        self.0 & Phase::REFUSING == 0
    }

    /// Closed by its own rules: what outcomes are judged in.
    #[inline]
    pub(super) const fn judges(self) -> bool {
        self.0 & Phase::MASK == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_agree_with_phases() {
        for phase in [
            Phase::Closed,
            Phase::Open,
            Phase::HalfOpen,
            Phase::ForcedOpen,
            Phase::ForcedClosed,
        ] {
            let word = Word::FIRST.next(phase);
            assert_eq!((word.phase(), word.epoch()), (phase, 1));
            assert_eq!(
                word.lets_through(),
                matches!(phase, Phase::Closed | Phase::ForcedClosed)
            );
            assert_eq!(word.judges(), phase == Phase::Closed);
            assert_eq!(word.next(phase).epoch(), 2);
        }
    }
}
