//! Decompressors that are dropped at the first error.

use std::io;

use crate::npz::zip::problem::failed_before;

/// Drops its decompressor at the first error. No library specifies a call after a failed one, and
/// bzip2 aborts the process.
pub(crate) struct Fuse<D>(Option<D>);

impl<D> Fuse<D> {
    pub(super) fn new(decompressor: D) -> Self {
        Self(Some(decompressor))
    }

    /// Calls the decompressor.
    pub(super) fn call<T>(&mut self, call: impl FnOnce(&mut D) -> io::Result<T>) -> io::Result<T> {
        let Some(decompressor) = &mut self.0 else { return Err(failed_before()) };
        let result = call(decompressor);
        if result.is_err() {
            self.0 = None;
        }
        result
    }

    /// Drops the decompressor.
    pub(super) fn discard(&mut self) {
        self.0 = None;
    }
}
