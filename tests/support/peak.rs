//! An allocator that counts, for tests that bound the memory of reading, and that fails or poisons when asked to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, Ordering};

/// Counts what each thread has allocated, and the most it had at a time.
struct Counting;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
    /// How often the thread has asked for memory, or for more.
    pub static CALLS: Cell<usize> = const { Cell::new(0) };
    /// How many more large allocations of the thread succeed; `None` for all.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What is large: the data of an array of some megabytes, and no state of a decoder.
const LARGE: usize = 1 << 20;

/// Whether this allocation is the one to fail.
fn fails(bytes: usize) -> bool {
    let count = |left: &Cell<Option<usize>>| {
        let now = left.get().filter(|_| bytes >= LARGE)?;
        left.set(now.checked_sub(1));
        (now == 0).then_some(())
    };
    LEFT.try_with(count).ok().flatten().is_some()
}

/// What `work` returns if its large allocation number `k` fails, and whether there was one.
#[allow(dead_code, reason = "only one test program asks for it")]
pub fn with_failure<T>(k: usize, work: impl FnOnce() -> T) -> (T, bool) {
    LEFT.set(Some(k));
    let result = work();
    let has_failed = LEFT.replace(None).is_none();
    (result, has_failed)
}

/// What memory is filled with before anyone has written to it; of all threads, because some write for others. No byte for none.
static POISON: AtomicU16 = AtomicU16::new(NO_POISON);

const NO_POISON: u16 = 256;

/// What `work` returns where fresh memory is full of `byte`.
#[allow(dead_code, reason = "only one test program asks for it")]
pub fn with_poison<T>(byte: u8, work: impl FnOnce() -> T) -> T {
    static TURN: Mutex<()> = Mutex::new(());
    // One at a time, even after another one has failed.
    let _turn = TURN.lock();
    POISON.store(byte.into(), Ordering::SeqCst);
    let result = work();
    POISON.store(NO_POISON, Ordering::SeqCst);
    result
}

/// # Safety
///
/// `pointer` is null or points to `bytes` bytes that nobody else knows of.
unsafe fn poison(pointer: *mut u8, bytes: usize) {
    if let Ok(byte) = u8::try_from(POISON.load(Ordering::Relaxed))
        && !pointer.is_null()
    {
        // SAFETY: the caller's promise.
        unsafe { pointer.write_bytes(byte, bytes) };
    }
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
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
        grow(layout.size());
        // SAFETY: the caller's promise.
        let pointer = unsafe { System.alloc(layout) };
        // SAFETY: it has just been allocated.
        unsafe { poison(pointer, layout.size()) };
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
        grow(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails(size) {
            return std::ptr::null_mut();
        }
        grow(size.saturating_sub(layout.size()));
        shrink(layout.size().saturating_sub(size));
        // SAFETY: the caller's promise.
        let larger = unsafe { System.realloc(pointer, layout, size) };
        if let Some(added) = size.checked_sub(layout.size()).filter(|_| !larger.is_null()) {
            // SAFETY: `realloc` returned `size` bytes, of which `layout.size()` are the old ones.
            let new = unsafe { larger.add(layout.size()) };
            // SAFETY: `added` bytes follow `new`.
            unsafe { poison(new, added) };
        }
        larger
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
