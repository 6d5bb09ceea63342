//! Archives of arrays.

pub(crate) mod archive;
#[cfg(feature = "dynamic")]
mod dynamic;
mod reader;
pub mod sparse;
mod writer;
#[cfg(feature = "zip")]
pub(crate) mod zip_crate;

pub use reader::NpzReader;
pub use writer::NpzWriter;
