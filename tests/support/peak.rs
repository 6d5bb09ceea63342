//! A counting allocator, for tests that bound the memory of reading.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what each thread has allocated, and the most it had at a time.
struct Counting;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
    /// How often the thread has asked for memory, or for more.
    pub static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn grow(bytes: usize) {
    // A thread that ends has no counters any more.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

fn shrink(bytes: usize) {
    let _ = NOW.try_with(|now| now.set(now.get().saturating_sub(bytes)));
}

// SAFETY: everything is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size.saturating_sub(layout.size()));
        shrink(layout.size().saturating_sub(size));
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` returns, and how many bytes it had allocated at most.
pub fn with_peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    MOST.set(before);
    let result = work();
    (result, MOST.get() - before)
}
