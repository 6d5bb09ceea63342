//! The result of one step of a decompressor.

use std::io;

use crate::npz::zip::problem::damaged;

/// The counts of used and returned bytes, and whether the stream has ended.
pub(crate) struct Step {
    pub(crate) used: usize,
    pub(crate) given: usize,
    pub(crate) is_end: bool,
}

impl Step {
    /// Fails if a step made no progress with `input`, and is not the last.
    pub(super) fn expect_progress(self, input: &[u8]) -> io::Result<Self> {
        match self {
            Self { used: 0, given: 0, is_end: false } if input.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            Self { used: 0, given: 0, is_end: false } => Err(damaged()),
            step => Ok(step),
        }
    }
}
