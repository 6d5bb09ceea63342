//! Arrays whose dtype is known at run time.

// In the order of the page of `DynValues`.
pub(crate) mod array;
pub(crate) mod cast;
pub(crate) mod order;
mod read;
mod region;

pub use array::DynValues;
