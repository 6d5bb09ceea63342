//! Mapped files.

use std::path::Path;

use npy_core::NpyMap;

/// Maps one of the files of a benchmark.
#[allow(unsafe_code, reason = "mapping a file is a promise that only the caller can keep")]
pub(crate) fn map(path: &Path) -> NpyMap {
    // SAFETY: the file is in a directory that this process made for itself, and no contender writes while another one runs.
    unsafe { NpyMap::open(path) }.unwrap()
}
