//! Parallel reading of one file.
#![cfg(any(unix, windows))]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Bulk, BulkLayout, ReadBuf, memory_of, reserve_exact, spare_bytes, truncated_or_io};
use crate::error::Result;
use crate::sys::threads::useful_threads;

/// Below this size, threads take longer to start than they save: 20 µs on an idle machine, a hundred
/// times as long on a busy one. Miri is a thousand times slower, and has to run several threads too.
pub(crate) const LEAST_BYTES: usize = if cfg!(miri) { 2 * CHUNK_BYTES } else { 8 << 20 };

/// The size of a chunk, which a thread reads at a time: small, so that the last thread ends soon. Chunks
/// end at multiples of it in the file, as nearly as whole elements allow, so that no page is read twice.
pub(crate) const CHUNK_BYTES: usize = if cfg!(miri) { 512 } else { 4 << 20 };

/// A part of a file, and how many threads may read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilePart<'a> {
    pub(crate) file: &'a File,
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) threads: usize,
}

impl FilePart<'_> {
    /// Returns a source of the bytes from `begin` on, counted from the beginning of the part.
    pub(crate) fn reader_at(&self, begin: u64) -> impl FnMut(&mut ReadBuf<'_>) -> io::Result<()> {
        let mut offset = self.offset.saturating_add(begin);
        move |buf| {
            let before = buf.filled;
            buf.read_from_file_at(self.file, offset)?;
            offset = offset.saturating_add((buf.filled - before) as u64);
            Ok(())
        }
    }

    /// Reads `length` bytes into a buffer, from `begin` on, counted from the beginning of the part.
    pub(crate) fn read<'s>(&self, begin: u64, length: usize, stage: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        if stage.len() < length {
            reserve_exact(stage, length - stage.len())?;
            stage.resize(length, 0);
        }
        let (bytes, _) = stage.split_at_mut(length);
        // SAFETY: every byte is a valid `u8`.
        let memory = unsafe { memory_of(bytes) };
        let result = Bulk::<u8>::new().layout.fill_memory(memory, false, true, &mut self.reader_at(begin));
        let expected = self.end.saturating_sub(self.offset);
        result.map_err(|(error, filled)| truncated_or_io(error, self.offset, expected, begin.saturating_add(filled as u64)))?;
        Ok(bytes)
    }
}

impl<T> Bulk<T> {
    /// Reads `count` elements, which the file is known to hold, and replaces those of a vector.
    pub(crate) fn refill_by_threads(self, items: &mut Vec<T>, count: usize, swap: bool, part: FilePart<'_>) -> Result<()> {
        items.clear();
        reserve_exact(items, count)?;
        self.layout.fill_by_threads(spare_bytes(items, count), swap, false, part)?;
        // SAFETY: it succeeded, so that the bytes of `count` elements are initialised, and valid:
        // `self` proves that any pattern is one, but for bools, of which only 0 and 1 were stored.
        unsafe { items.set_len(count) };
        Ok(())
    }

    /// Overwrites elements with those of the file.
    pub(crate) fn fill_slice_by_threads(self, items: &mut [T], swap: bool, part: FilePart<'_>) -> Result<()> {
        // SAFETY: by `self`, whatever bytes are stored in it are valid `T`s, but for bools, of
        // which `fill_memory` stores only 0 and 1.
        let memory = unsafe { memory_of(items) };
        self.layout.fill_by_threads(memory, swap, !self.has_padding(), part)
    }
}

impl BulkLayout {
    /// Fills the memory of whole elements.
    fn fill_by_threads(self, memory: &mut [MaybeUninit<u8>], swap: bool, is_initialised: bool, part: FilePart<'_>) -> Result<()> {
        let (expected, size) = (memory.len(), self.size.max(1));
        by_threads(Bytes { memory, size }, expected / size, size, part, |chunk, begin, _, (): &mut ()| {
            let begin = begin * size;
            let result = self.fill_memory(&mut *chunk.memory, swap, is_initialised, &mut part.reader_at(begin as u64));
            result.map_err(|(error, filled)| truncated_or_io(error, part.offset, expected as u64, (begin + filled) as u64))
        })?;
        Ok(())
    }
}

/// The results for the elements of a file, which are divided among threads.
pub(crate) trait Divide: Sized + Send {
    /// Splits off the results for the first `count` elements.
    fn divide(self, count: usize) -> (Self, Self);
}

/// The memory of elements of `size` bytes.
struct Bytes<'a> {
    memory: &'a mut [MaybeUninit<u8>],
    size: usize,
}

impl Divide for Bytes<'_> {
    fn divide(self, count: usize) -> (Self, Self) {
        let (memory, rest) = self.memory.split_at_mut(count * self.size);
        (Self { memory, ..self }, Self { memory: rest, ..self })
    }
}

/// Reads `count` elements of `itemsize` bytes by several threads, chunk by chunk.
///
/// `read` takes a part of the results, the index of its first element, its length, and the state of
/// the thread. Returns all parts.
///
/// Of several errors, returns the one with the lowest offset, as a single thread would.
pub(crate) fn by_threads<D: Divide, S: Default>(
    whole: D,
    count: usize,
    itemsize: usize,
    part: FilePart<'_>,
    read: impl Fn(&mut D, usize, usize, &mut S) -> Result<()> + Sync,
) -> Result<Vec<D>> {
    let queue = Mutex::new(Queue { rest: Some(whole), left: count, done: 0, offset: part.offset, itemsize });
    let (finished, problem) = (Mutex::new(Vec::new()), Mutex::new(None));
    // A function, so that the queue is not locked for as long as the chunk is read.
    let next = || lock(&queue).next();
    let work = || {
        let mut state = S::default();
        while let Some((begin, length, mut chunk)) = next() {
            match read(&mut chunk, begin, length, &mut state) {
                Ok(()) => lock(&finished).push(chunk),
                Err(error) => {
                    // Earlier chunks were taken before this one, and are read to their ends.
                    lock(&queue).rest = None;
                    let mut problem = lock(&problem);
                    if problem.as_ref().is_none_or(|(at, _)| begin < *at) {
                        *problem = Some((begin, error));
                    }
                    return;
                }
            }
        }
    };
    run_by(part.threads.min(count.saturating_mul(itemsize).div_ceil(CHUNK_BYTES)), &work);
    match into_inner(problem) {
        Some((_, error)) => Err(error),
        None => Ok(into_inner(finished)),
    }
}

/// The elements that no thread has begun to read.
struct Queue<D> {
    rest: Option<D>,
    /// The number of these elements.
    left: usize,
    /// The number of elements before them.
    done: usize,
    /// The offset of the first of all elements in the file.
    offset: u64,
    /// Bytes of an element in the file.
    itemsize: usize,
}

impl<D: Divide> Queue<D> {
    /// Returns the index of the next part's first element, the number of its elements, and the part.
    fn next(&mut self) -> Option<(usize, usize, D)> {
        let rest = self.rest.take().filter(|_| self.left > 0)?;
        let bytes_done = (self.done as u64).saturating_mul(self.itemsize as u64);
        // Less than 4 MiB.
        let past = usize::try_from(self.offset.saturating_add(bytes_done) % CHUNK_BYTES as u64).unwrap_or_default();
        // Rounded up: what is left before the border would be a chunk of its own, of no element or
        // one.
        let count = (CHUNK_BYTES - past).div_ceil(self.itemsize.max(1)).min(self.left);
        let (chunk, rest) = rest.divide(count);
        let begin = self.done;
        self.rest = Some(rest);
        self.left -= count;
        self.done += count;
        Some((begin, count, chunk))
    }
}

/// Runs the work on `threads` threads, including the current one. Where the system starts fewer,
/// these do all of it.
pub(crate) fn run_by(threads: usize, work: &(dyn Fn() + Sync)) {
    let threads = useful_threads(threads);
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            match thread::Builder::new().spawn_scoped(scope, work) {
                Ok(other) => others.push(other),
                Err(_) => break,
            }
        }
        work();
        for other in others {
            // A conversion of the caller's own may panic: as if it had been called here.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it is locked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// A file that is shorter than was found when it was opened, so that several threads meet its
    /// end.
    #[test]
    fn the_end_of_a_shorter_file_is_found_by_whichever_thread() {
        let file = tempfile::tempfile().unwrap();
        for length in [0, 1, CHUNK_BYTES as u64, 2 * CHUNK_BYTES as u64 + 5] {
            file.set_len(length).unwrap();
            for threads in [1, 2, 5] {
                let part = FilePart { file: &file, offset: 0, end: 5 * CHUNK_BYTES as u64, threads };
                let mut items = vec![1_u8; 5 * CHUNK_BYTES];
                let error = Bulk::<u8>::new().fill_slice_by_threads(&mut items, false, part).unwrap_err();
                assert!(
                    error.kind() == ErrorKind::Truncated && error.to_string().ends_with(&format!(", found {length}")),
                    "{threads}: {error}"
                );
            }
        }
    }
}
