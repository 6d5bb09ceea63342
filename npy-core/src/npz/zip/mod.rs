//! The zip container: local headers, the central directory and its end records.

pub(crate) mod central_directory;
pub(crate) mod cp437;
pub(crate) mod emit;
pub(crate) mod local_header;
pub(crate) mod problem;
pub(crate) mod records;
