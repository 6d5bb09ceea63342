//! The zip container: local headers, the central directory and its end records.

pub(crate) mod central_directory;
pub(crate) mod cp437;
pub(crate) mod emit;
pub(crate) mod local_header;
pub(crate) mod problem;
pub(crate) mod records;

use std::io::{Read, Seek};

/// A reader of an archive, of any type: a directory is read once, and need not be compiled for each
/// of them.
pub(crate) trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}
