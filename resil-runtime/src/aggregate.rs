//! The mark of what is loaded to be changed.

/// An aggregate of the domain model: what is loaded as a whole, decides, and is stored as a whole.
///
/// The mark has no effect but one: `#[adapter]` refuses to put a `cached` before a method whose value holds a marked type. Whoever
/// loads an aggregate is about to change it, and a copy from a cache would overwrite what others stored in the meantime. Cache a
/// read model that is made from it.
///
/// Put `#[resil::aggregate]` or `#[derive(resil::Aggregate)]` on the type, or write the impl by hand.
///
/// ```
/// use resil_runtime::Aggregate;
///
/// struct Order { lines: Vec<u32> }
///
/// impl Aggregate for Order {}
/// ```
pub trait Aggregate {}
