//! What an adapter's method answers.

/// A `Result`, under whatever alias: what lets a policy tell success from failure.
///
/// ```
/// use resil_runtime::Outcome;
///
/// type Answer = Result<u32, String>;
/// assert_eq!(<Answer as Outcome>::from_result(Ok(1)).into_result(), Ok(1));
/// ```
#[diagnostic::on_unimplemented(
    message = "a policy cannot tell success from failure here: `{Self}` is not a `Result`",
    label = "this is not a `Result`",
    note = "return a `Result`, or put `#[own(reason = \"…\")]` on the method to leave it without policies"
)]
pub trait Outcome {
    /// What a success holds.
    type Value;
    /// What a failure holds.
    type Error;

    /// As a plain `Result`.
    ///
    /// # Errors
    ///
    /// The failure that it holds.
    fn into_result(self) -> Result<Self::Value, Self::Error>;

    /// From a plain `Result`.
    fn from_result(result: Result<Self::Value, Self::Error>) -> Self;
}

impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Error = E;

    #[inline]
    fn into_result(self) -> Self {
        self
    }

    #[inline]
    fn from_result(result: Self) -> Self {
        result
    }
}
