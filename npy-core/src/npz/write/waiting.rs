//! Members that wait for the threads that compress them.

use super::super::codec::compress::Whole;
use super::super::zip::emit::Local;

/// A compressed member of which nothing was written yet.
pub(super) struct Waiting {
    pub(super) local: Local,
    pub(super) is_aligned: bool,
    pub(super) content: Whole,
    pub(super) head: Head,
}

/// The header of an array, if it is written after the elements.
#[derive(Default)]
pub(super) struct Head {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The bytes that stand for it in the archive.
    pub(super) encoded: Vec<u8>,
}
