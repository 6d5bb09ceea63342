//! Huge pages for large buffers, where the system provides them on request.

use std::mem::MaybeUninit;

/// Advises huge pages: fresh memory then takes one page fault in 2 MiB instead of 512.
///
/// NumPy does so from 4 MiB on.
#[cfg(target_os = "linux")]
pub(crate) fn advise_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const LEAST: usize = 4 << 20;
    const PAGE: usize = 4096;
    let length = size_of_val(memory);
    if length < LEAST {
        return;
    }
    // Rounded outward to whole pages, which a large block shares only with the allocator's header.
    let before = memory.as_ptr().addr() % PAGE;
    let begin = memory.as_mut_ptr().wrapping_byte_sub(before);
    // SAFETY: this advice does not change what memory holds, and is refused for addresses that are
    // not mapped. That it failed has no effect but time, so its result does not matter.
    unsafe { libc::madvise(begin.cast(), (length + before).next_multiple_of(PAGE), libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}
