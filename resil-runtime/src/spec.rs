//! What is known of a wrapped method when the program is compiled.

use crate::call::current::Note;
use crate::policy::circuit_breaker::{Names, Quiet, Rules};
use crate::policy::rate_limit::Rate;
use crate::policy::{Overrides, Policies};
use crate::{PolicyError, PolicyErrorKind};
use crate::{Retry, Timeout};
use std::fmt;
use std::time::Duration;

/// What an adapter reaches.
///
/// ```
/// use resil_runtime::Kind;
///
/// assert_eq!(Kind::External.as_str(), "external");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Another process, yours or not: a provider, a broker, an object store.
    External,
    /// Another context of the same system, synchronously.
    Gateway,
    /// Your own store of aggregates.
    Repository,
}

impl Kind {
    /// The word of the attribute: `external`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Gateway => "gateway",
            Self::Repository => "repository",
        }
    }

    /// What a method of this kind gets for which no policy is stated: three attempts and a timeout of 2 s each where it
    /// leaves the system, nothing for a repository.
    #[must_use]
    pub const fn default_policies(self) -> Policies {
        match self {
            Self::External | Self::Gateway => Policies::new()
                .retry(Retry::attempts(3))
                .timeout(Timeout::new(Duration::from_secs(2))),
            Self::Repository => Policies::new(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What is stated on an adapter's impl.
///
/// ```
/// use resil_runtime::{AdapterSpec, Kind, Policies, Retry};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External)
///     .policies(Policies::new().retry(Retry::attempts(5)));
/// assert_eq!(SMS.adapter(), "HttpSmsSender");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AdapterSpec {
    context: &'static str,
    /// Of what all methods have together.
    names: Names,
    kind: Kind,
    policies: Option<Policies>,
}

impl AdapterSpec {
    /// An adapter for which no policy is stated: its methods get what its kind has by default.
    #[must_use]
    pub const fn new(context: &'static str, port: &'static str, adapter: &'static str, kind: Kind) -> Self {
        Self {
            context,
            names: Names {
                port,
                adapter,
                method: "*",
            },
            kind,
            policies: None,
        }
    }

    /// With these policies in place of the kind's default.
    #[must_use]
    pub const fn policies(mut self, policies: Policies) -> Self {
        self.policies = Some(policies);
        self
    }

    /// With no policies: the kind's default does not apply.
    #[must_use]
    pub const fn own(self) -> Self {
        self.policies(Policies::new())
    }

    /// The bounded context.
    #[must_use]
    pub const fn context(&self) -> &'static str {
        self.context
    }

    /// The trait.
    #[must_use]
    pub const fn port(&self) -> &'static str {
        self.names.port
    }

    pub(crate) const fn names(&'static self) -> &'static Names {
        &self.names
    }

    /// The name operators see.
    #[must_use]
    pub const fn adapter(&self) -> &'static str {
        self.names.adapter
    }

    /// What it reaches.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// What holds for all methods, before what they say themselves.
    pub(crate) const fn base(&self) -> Policies {
        match self.policies {
            Some(policies) => policies,
            None => self.kind.default_policies(),
        }
    }
}

/// What is stated on one method, and what follows from it together with its adapter.
///
/// ```
/// use std::time::Duration;
/// use resil_runtime::{AdapterSpec, Kind, MethodSpec, Overrides, Timeout};
///
/// static SMS: AdapterSpec = AdapterSpec::new("billing", "SmsSender", "HttpSmsSender", Kind::External);
/// static SEND: MethodSpec = MethodSpec::new(&SMS, "send")
///     .overrides(Overrides::new().timeout(Timeout::new(Duration::from_millis(500))))
///     .idempotent();
/// assert_eq!(SEND.method(), "send");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MethodSpec {
    adapter: &'static AdapterSpec,
    names: Names,
    overrides: Overrides,
    idempotent: bool,
    effective: Effective,
}

impl MethodSpec {
    /// A method that says nothing itself.
    #[must_use]
    pub const fn new(adapter: &'static AdapterSpec, method: &'static str) -> Self {
        let overrides = Overrides::new();
        let effective = Effective::new(&adapter.base(), false);
        let names = Names {
            method,
            ..adapter.names
        };
        Self {
            adapter,
            names,
            overrides,
            idempotent: false,
            effective,
        }
    }

    /// With what its own attributes change.
    #[must_use]
    pub const fn overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self.resolved()
    }

    /// It may be repeated, whatever became of an earlier attempt. Without this it is repeated only after a failure that is
    /// classified `not_sent`.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self.resolved()
    }

    /// It may be repeated only after a failure that is classified `not_sent`.
    #[must_use]
    pub const fn non_idempotent(mut self) -> Self {
        self.idempotent = false;
        self.resolved()
    }

    /// The adapter.
    #[must_use]
    pub const fn adapter(&self) -> &'static AdapterSpec {
        self.adapter
    }

    /// The method's name.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        self.names.method
    }

    pub(crate) const fn names(&'static self) -> &'static Names {
        &self.names
    }

    const fn resolved(mut self) -> Self {
        // A method that states a policy gets nothing from its kind.
        let base = match self.adapter.policies {
            None if self.overrides.state_any() => Policies::new(),
            _ => self.adapter.base(),
        };
        self.effective = self.over(&base);
        self
    }

    /// What holds for this method where `base` holds for the adapter.
    pub(crate) const fn over(&self, base: &Policies) -> Effective {
        Effective::new(&self.overrides.over(base), self.idempotent)
    }

    pub(crate) const fn effective(&'static self) -> &'static Effective {
        &self.effective
    }

    pub(crate) const fn error(&self, kind: PolicyErrorKind) -> PolicyError {
        PolicyError::new(kind).of(self.names.port, self.names.adapter, self.names.method)
    }
}

/// The policies that hold for one method, with every default filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effective {
    pub(crate) policies: Policies,
    pub(crate) breaker: Option<Rules>,
    pub(crate) quiet: Quiet,
    pub(crate) rate: Option<Rate>,
    /// Whether an attempt may be repeated that may have reached the dependency.
    pub(crate) idempotent: bool,
    /// What a call of it begins with.
    pub(crate) note: Note,
}

impl Effective {
    pub(crate) const fn new(policies: &Policies, idempotent: bool) -> Self {
        let breaker = match &policies.circuit_breaker {
            Some(breaker) => Some(breaker.rules()),
            None => None,
        };
        let mut effective = *policies;
        if effective.hedge.is_some() {
            // A race is in place of a retry, wherever that comes from.
            effective.retry = None;
        }
        Self {
            policies: effective,
            quiet: match &breaker {
                Some(rules) => rules.quiet(),
                None => Quiet::Always,
            },
            breaker,
            rate: match &policies.rate_limit {
                Some(limit) => Some(limit.rate()),
                None => None,
            },
            idempotent,
            note: if policies.deadline.is_some() {
                Note::ATTEMPT.with(Note::FRAMED)
            } else {
                Note::ATTEMPT
            },
        }
    }
}
