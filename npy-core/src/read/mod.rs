//! Reading: the header, then elements into vectors.

// In the order of the page of `NpyReader`: constructors, the whole array, parts of it.
pub(crate) mod file;
pub(crate) mod reader;
pub(crate) mod chunks;
pub(crate) mod rows;
pub(crate) mod region;
pub(crate) mod columns;

pub(crate) mod decode;
pub(crate) mod elements;
pub(crate) mod order;
pub(crate) mod source;
pub(crate) mod stage;
pub(crate) mod stream;

pub use reader::NpyReader;
