//! Arrays whose dtype is known at run time.

mod typed;
// Before the files that use its macro `each!`.
#[macro_use]
mod array;
mod read;
mod write;
mod convert;
#[cfg(feature = "object")]
mod object;
#[cfg(feature = "print")]
mod print;

pub use array::DynArray;
pub use convert::FromDynArray;
#[cfg(feature = "print")]
pub use print::PrintedArray;
#[cfg(feature = "npz")]
pub(crate) use read::from_reader;
pub use typed::TypedArray;
