//! Files read by several threads at a time.
#![cfg(unix)]

use std::fs::File;
use std::io;
use std::mem::{self, MaybeUninit};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Bulk, memory_of, reserve_exact, spare_bytes, truncated_or_io};
use crate::error::Result;

/// Below this, other threads take longer to start than to help: 20 µs on an idle machine, a hundred times that on a busy one.
pub(crate) const LEAST_BYTES: usize = 8 << 20;

/// What a thread reads at a time. So little that none is waited for long, wherever the system lets it run; ends lie at multiples of it
/// in the file, as nearly as whole elements allow, so that no page is read twice.
const CHUNK_BYTES: usize = 4 << 20;

/// A part of a file, and how many threads may read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilePart<'a> {
    pub(crate) file: &'a File,
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) threads: usize,
}

impl<T> Bulk<T> {
    /// Reads `count` elements, which the file is known to hold, in place of what is in a vector.
    pub(crate) fn refill_by_threads(self, items: &mut Vec<T>, count: usize, swap: bool, part: FilePart<'_>) -> Result<()> {
        items.clear();
        reserve_exact(items, count)?;
        self.fill_by_threads(spare_bytes(items, count), swap, false, part)?;
        // SAFETY: it succeeded, so that the bytes of `count` elements are initialised, and valid: `self` proves that any pattern is one,
        // but for bools, of which only 0 and 1 were stored.
        unsafe { items.set_len(count) };
        Ok(())
    }

    /// Overwrites elements with those of the file.
    pub(crate) fn fill_slice_by_threads(self, items: &mut [T], swap: bool, part: FilePart<'_>) -> Result<()> {
        // SAFETY: by `self`, whatever bytes are stored in it are valid `T`s, but for bools, of which `fill_memory` stores only 0 and 1.
        let memory = unsafe { memory_of(items) };
        self.fill_by_threads(memory, swap, !self.has_padding, part)
    }

    /// Fills the memory of whole elements. The error is the one that a single thread would have met: that of the lowest offset.
    pub(super) fn fill_by_threads(
        self,
        memory: &mut [MaybeUninit<u8>],
        swap: bool,
        is_initialised: bool,
        part: FilePart<'_>,
    ) -> Result<()> {
        let FilePart { file, offset, threads, .. } = part;
        let (expected, size) = (memory.len(), size_of::<T>().max(1));
        let queue = Mutex::new(Queue { rest: memory, done: 0, offset, size });
        let problem: Mutex<Option<(usize, io::Error)>> = Mutex::new(None);
        let work = || {
            loop {
                // By itself: as the condition of the loop, the lock would be held until the part is read.
                let next = lock(&queue).next();
                let Some((begin, chunk)) = next else { return };
                let mut place = offset.saturating_add(begin as u64);
                let result = self.fill_memory(chunk, swap, is_initialised, &mut |spare| {
                    let before = spare.filled;
                    spare.read_from_file_at(file, place)?;
                    place = place.saturating_add((spare.filled - before) as u64);
                    Ok(())
                });
                if let Err((error, filled)) = result {
                    // What lies before it was taken before it, and is read to its end.
                    lock(&queue).rest = &mut [];
                    let mut problem = lock(&problem);
                    if problem.as_ref().is_none_or(|(at, _)| begin + filled < *at) {
                        *problem = Some((begin + filled, error));
                    }
                    return;
                }
            }
        };
        run_by(threads.min(expected.div_ceil(CHUNK_BYTES)), &work);
        match problem.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((found, error)) => Err(truncated_or_io(error, offset, expected, found)),
            None => Ok(()),
        }
    }
}

/// The memory that no thread has begun to fill.
struct Queue<'a> {
    rest: &'a mut [MaybeUninit<u8>],
    /// How many bytes were given away before.
    done: usize,
    /// Where in the file all of it begins.
    offset: u64,
    /// Bytes of an element.
    size: usize,
}

impl<'a> Queue<'a> {
    /// The next part, and how many bytes are before it.
    fn next(&mut self) -> Option<(usize, &'a mut [MaybeUninit<u8>])> {
        if self.rest.is_empty() {
            return None;
        }
        let place = self.offset.saturating_add(self.done as u64);
        // Less than 4 MiB.
        let past = usize::try_from(place % CHUNK_BYTES as u64).unwrap_or_default();
        let length = ((CHUNK_BYTES - past) / self.size).max(1).saturating_mul(self.size).min(self.rest.len());
        let (chunk, rest) = mem::take(&mut self.rest).split_at_mut(length);
        let begin = self.done;
        self.rest = rest;
        self.done += length;
        Some((begin, chunk))
    }
}

/// Has so many threads do the work, of which this one is the first. Where the system gives fewer, these do all of it.
pub(super) fn run_by(threads: usize, work: &(impl Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it is locked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
