//! Arrays whose dtype is known at run time.

// In the order of the page of `DynValues`.
mod array;
pub(crate) mod cast;
pub(crate) mod order;
mod read;
mod region;

pub use array::DynValues;
#[cfg(feature = "object")]
pub(crate) use array::missing_field;
