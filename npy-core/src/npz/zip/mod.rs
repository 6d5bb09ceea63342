//! The zip container: local headers, the central directory and its end records.

pub(crate) mod central_directory;
pub(crate) mod cp437;
pub(crate) mod emit;
pub(crate) mod entry;
pub(crate) mod local_header;
pub(crate) mod problem;
pub(crate) mod records;
pub(crate) mod window;

use std::io::{Read, Seek};

/// A reader of an archive. As a trait object, so that a directory's parser is compiled once.
pub(crate) trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}
