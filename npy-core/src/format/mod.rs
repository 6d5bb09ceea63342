//! The format itself, without I/O: the Python literal, dtypes, headers, and the arithmetic of
//! shapes, regions and rows.

pub(crate) mod calendar;
pub(crate) mod decoder;
pub(crate) mod detect;
pub(crate) mod dtype;
pub(crate) mod float;
pub(crate) mod header;
pub(crate) mod inline;
pub(crate) mod leaves;
pub(crate) mod literal;
#[cfg(feature = "rawarray")]
pub(crate) mod rawarray;
pub(crate) mod region;
pub(crate) mod rows;
pub(crate) mod scalar;
pub(crate) mod shape;
pub(crate) mod trust;
