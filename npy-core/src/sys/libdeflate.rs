//! The inflater of libdeflate, a library in C: whole data into a whole buffer. Called as such
//! because the safe crates around it do not tell how many bytes a stream took.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use libdeflate_sys as c;

/// The tables of the inflater.
pub(crate) struct Decompressor(NonNull<c::libdeflate_decompressor>);

impl Decompressor {
    /// Creates an inflater; `None` without memory.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: it may be called at any time.
        NonNull::new(unsafe { c::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Fills `output`; returns whether `data` are one deflate stream of just as many bytes, so that
    /// all of `output` is initialised.
    pub(crate) fn inflate(&mut self, data: &[u8], output: &mut [MaybeUninit<u8>]) -> bool {
        let (mut used, mut given) = (0, 0);
        // SAFETY: the decompressor is alive and borrowed. At most the lengths of the two slices
        // are read and written, and the counts are stored in two variables.
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
