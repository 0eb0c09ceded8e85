//! Classes of `anyhow::Error`.

use std::error::Error;

use super::known::{Holds, known};
use super::{Class, Classification, Classify};

impl Holds for ::anyhow::Error {
    /// Contexts are seen through: they say where the error came by, and do nothing.
    fn get<T: Error + Send + Sync + 'static>(&self) -> Option<&T> {
        self.downcast_ref()
    }
}

impl Classify for ::anyhow::Error {
    /// The outermost error of a known class along the chain decides, as in [`Classification::find`]. Only where it stands
    /// beneath nothing but contexts can it say that nothing was sent.
    ///
    /// Where nothing along the chain has a known class, it is a permanent failure with the code `unclassified`: it counts
    /// for the circuit, since an outage must not go unseen, and nothing is repeated that nobody said may be. Errors of the
    /// service's own are not known, even if they are `Classify`: a port that has some is better off with an error type.
    fn classify(&self) -> Classification {
        known(self)
            .or_else(|| Classification::find(self.as_ref()))
            .unwrap_or_else(|| Class::Permanent.code("unclassified"))
    }
}
