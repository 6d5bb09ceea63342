//! Archives of arrays.

pub(crate) mod archive;
mod reader;
// Behind `reader`, because rustdoc shows methods in this order.
#[cfg(feature = "dynamic")]
mod dynamic;
pub mod sparse;
mod writer;
#[cfg(feature = "zip")]
pub(crate) mod zip_crate;

pub use reader::NpzReader;
pub use writer::NpzWriter;
