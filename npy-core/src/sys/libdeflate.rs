//! Decompression by libdeflate, a C library: a whole stream into a whole buffer.
//!
//! Called directly, because its safe wrappers do not return the number of used bytes.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use libdeflate_sys as c;

/// A decompressor of libdeflate.
pub(crate) struct Decompressor(NonNull<c::libdeflate_decompressor>);

impl Decompressor {
    /// Creates a decompressor; `None` without memory.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: it may be called at any time.
        NonNull::new(unsafe { c::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Fills `output`. Returns whether `data` is exactly one deflate stream of that size; then all of
    /// `output` is initialised.
    pub(crate) fn inflate(&mut self, data: &[u8], output: &mut [MaybeUninit<u8>]) -> bool {
        let (mut used, mut given) = (0, 0);
        // SAFETY: the decompressor is alive and borrowed mutably. libdeflate reads at most
        // `data.len()` bytes and writes at most `output.len()`, without reading what it has not
        // written; pointers of empty slices are not null. The counts are stored in two variables.
        let result = unsafe {
            c::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                data.as_ptr().cast(),
                data.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &raw mut used,
                &raw mut given,
            )
        };
        result == c::libdeflate_result_LIBDEFLATE_SUCCESS && (used, given) == (data.len(), output.len())
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: it was allocated by `new`, and is freed only here.
        unsafe { c::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
