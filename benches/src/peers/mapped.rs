//! Memory-mapped files.

use std::path::Path;

use npy_core::NpyMap;

/// Maps a file of a case.
#[allow(unsafe_code, reason = "mapping a file is a promise that only the caller can keep")]
pub(crate) fn map(path: &Path) -> NpyMap {
    // SAFETY: the directory belongs to this process, and no contender writes while another runs.
    unsafe { NpyMap::open(path) }.unwrap()
}
