//! Counts, checksums and compresses the content of members, by several threads if asked.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::blocks::{BLOCK_BYTES, blocks_field};
use super::deflate::Compressor;
use crate::sys::threads::useful_threads;

/// The most bytes of one write, which ends at a multiple of this in the file: few enough that their
/// checksum is computed from the cache, and enough for the file system.
const WRITE_BYTES: u64 = 4 << 20;

/// Blocks of fewer bytes are compressed before a thread would wake up.
const WORTH_A_THREAD: usize = 8 * 1024;

/// The compression of a content.
pub(crate) enum Method<'a> {
    Stored,
    /// In blocks, which all have the same size after a header that is encoded apart (`has_head`).
    Deflated {
        level: u32,
        workers: &'a mut Workers,
        has_head: bool,
    },
}

/// A writer of the content of a member.
pub(crate) struct Sink<'a, W: Write> {
    output: Output<'a, W>,
    crc: crc32fast::Hasher,
    size: u64,
    /// The offset of the next bytes in the archive, if they are stored.
    position: u64,
}

/// A complete content: its checksum, its sizes and its blocks.
pub(crate) struct Whole {
    pub(crate) crc: crc32fast::Hasher,
    pub(crate) size: u64,
    /// The number of compressed bytes written so far.
    pub(crate) compressed: u64,
    pub(crate) blocks: Written,
    /// The blocks that are not written yet.
    pub(crate) pending: VecDeque<Pending>,
}

/// The compressed blocks of a content.
#[derive(Default)]
pub(crate) struct Written {
    /// The size of each block in the archive, which for a waiting member is known when it is written.
    pub(crate) bytes: Vec<u64>,
    /// The size of the content of the first block, if it is a shorter one.
    front: Option<u64>,
    /// Whether the last block is empty and only ends the stream.
    has_mark: bool,
}

impl Written {
    /// Creates the extra field that locates the blocks. `head` is the size of a header before them, in
    /// the content and in the archive.
    pub(crate) fn field(mut self, head: Option<(u64, u64)>) -> Vec<u8> {
        if self.has_mark
            && let Some(mark) = self.bytes.pop()
            && let Some(last) = self.bytes.last_mut()
        {
            *last += mark;
        }
        match (head, self.front, &self.bytes[..]) {
            (None, Some(content), [first, blocks @ ..]) => blocks_field(Some((content, *first)), blocks),
            (head, _, blocks) => blocks_field(head, blocks),
        }
    }
}

/// A block that a thread compresses or has compressed.
pub(crate) struct Pending(Arc<Queue<io::Result<Vec<u8>>>>);

impl Pending {
    /// Waits for the compressed block.
    pub(crate) fn wait(self) -> io::Result<Vec<u8>> {
        self.0.pop().unwrap_or_else(|| Err(io::Error::other("a compression thread panicked")))
    }
}

/// A queue between threads. `std::sync::mpsc` instead is as fast, and adds 6 % to the LLVM IR of this
/// crate.
struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    /// Whether no more items follow.
    is_closed: bool,
}

impl<T> Queue<T> {
    fn new() -> Arc<Self> {
        let state = Mutex::new(State { items: VecDeque::new(), is_closed: false });
        Arc::new(Self { state, changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // The state is valid after each statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, or drops it if the queue is closed.
    fn push(&self, item: T) {
        let mut state = self.lock();
        if !state.is_closed {
            state.items.push_back(item);
            self.changed.notify_one();
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Closes the queue and drops its items.
    fn abandon(&self) {
        self.close();
        let items = mem::take(&mut self.lock().items);
        // Without the lock, because an item may own another queue.
        drop(items);
    }

    /// Waits for the next item; `None` if none follows.
    fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        while state.items.is_empty() && !state.is_closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.items.pop_front()
    }
}

enum Output<'a, W: Write> {
    Stored(Counting<'a, W>),
    Deflated(Blocks<'a, W>),
}

impl<'a, W: Write> Sink<'a, W> {
    /// Creates a sink that adds the number of written bytes to `total`. The content begins at `position`
    /// of the archive.
    pub(crate) fn new(writer: W, method: Method<'a>, position: u64, total: &'a Cell<u64>) -> Self {
        let writer = Counting { writer, count: 0, total, has_failed: false };
        let output = match method {
            Method::Stored => Output::Stored(writer),
            Method::Deflated { level, workers, has_head } => Output::Deflated(Blocks {
                writer,
                level,
                workers,
                block: Vec::new(),
                may_be_front: !has_head,
                pending: VecDeque::new(),
                written: Written::default(),
            }),
        };
        Self { output, crc: crc32fast::Hasher::new(), size: 0, position }
    }

    /// Whether the underlying stream has failed.
    pub(crate) fn has_failed(&self) -> bool {
        match &self.output {
            Output::Stored(output) => output.has_failed,
            Output::Deflated(output) => output.writer.has_failed,
        }
    }

    /// Ends the content. If no block is written yet, all of them are left to the caller.
    pub(crate) fn finish(self) -> io::Result<Whole> {
        let (compressed, blocks, pending) = match self.output {
            Output::Stored(counting) => (counting.count, Written::default(), VecDeque::new()),
            Output::Deflated(blocks) => blocks.finish()?,
        };
        Ok(Whole { crc: self.crc, size: self.size, compressed, blocks, pending })
    }
}

impl<W: Write> Write for Sink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.output {
            Output::Stored(output) => {
                // At most 4 MiB.
                let most = usize::try_from(WRITE_BYTES - self.position % WRITE_BYTES).unwrap_or(usize::MAX);
                output.write(bytes.get(..most).unwrap_or(bytes))
            }
            Output::Deflated(output) => output.write(bytes),
        }?;
        let taken = bytes.get(..written).unwrap_or(bytes);
        self.crc.update(taken);
        self.size += taken.len() as u64;
        self.position = self.position.wrapping_add(taken.len() as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A flush would end a block of compressed data.
        Ok(())
    }
}

/// Counts the bytes it passes on.
struct Counting<'a, W> {
    writer: W,
    count: u64,
    /// The same count, which outlives a failure.
    total: &'a Cell<u64>,
    has_failed: bool,
}

impl<W: Write> Write for Counting<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        // More than there are is an error of the caller's.
        let count = written.as_ref().map_or(0, |count| (*count).min(bytes.len())) as u64;
        self.count += count;
        self.total.set(self.total.get() + count);
        self.has_failed |= matches!(&written, Err(error) if error.kind() != io::ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Splits content into blocks that are compressed in parallel, and writes them in order.
struct Blocks<'a, W> {
    writer: Counting<'a, W>,
    level: u32,
    workers: &'a mut Workers,
    /// The beginning of the next block.
    block: Vec<u8>,
    /// Whether the next block may be a shorter one.
    may_be_front: bool,
    /// The next blocks.
    pending: VecDeque<Pending>,
    written: Written,
}

impl<W: Write> Blocks<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(whole) = bytes.get(..BLOCK_BYTES) {
            if self.may_be_front && !self.block.is_empty() {
                // Usually a header. Without it, the following blocks need not be copied.
                self.written.front = Some(self.block.len() as u64);
                self.send(false)?;
            }
            if self.workers.most == 0 && self.block.is_empty() {
                self.compress_now(whole, false)?;
                return Ok(whole.len());
            }
        }
        if self.block.capacity() < BLOCK_BYTES {
            // Exact capacity for the rest, because most members are small.
            let needed = self.block.len().saturating_add(bytes.len()).min(BLOCK_BYTES);
            self.block.try_reserve_exact(needed.next_power_of_two() - self.block.len())?;
        }
        let count = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..count]);
        if self.block.len() == BLOCK_BYTES {
            // If it is the last, an empty one follows.
            self.send(false)?;
        }
        Ok(count)
    }

    /// Gives the block to a thread, if there are any.
    fn send(&mut self, is_last: bool) -> io::Result<()> {
        if self.workers.most == 0 {
            let mut block = mem::take(&mut self.block);
            self.compress_now(&block, is_last)?;
            // The next block reuses the memory.
            block.clear();
            self.block = block;
            return Ok(());
        }
        while self.pending.len() >= self.workers.most_pending() {
            self.write_next()?;
        }
        let block = mem::take(&mut self.block);
        self.may_be_front = false;
        self.pending.push_back(self.workers.compress(block, self.level, is_last));
        Ok(())
    }

    /// Compresses and writes a block in this thread. No other block is pending.
    fn compress_now(&mut self, block: &[u8], is_last: bool) -> io::Result<()> {
        self.may_be_front = false;
        let compressed = self.workers.compressor.compress(block, self.level, is_last)?;
        self.write_block(&compressed)
    }

    /// Waits for the first pending block, and writes it.
    fn write_next(&mut self) -> io::Result<()> {
        let Some(block) = self.pending.pop_front() else { return Ok(()) };
        let compressed = block.wait()?;
        self.write_block(&compressed)
    }

    fn write_block(&mut self, compressed: &[u8]) -> io::Result<()> {
        self.written.bytes.push(compressed.len() as u64);
        self.writer.write_all(compressed)
    }

    fn finish(mut self) -> io::Result<(u64, Written, VecDeque<Pending>)> {
        let has_begun = !self.pending.is_empty() || !self.written.bytes.is_empty();
        self.written.has_mark = has_begun && self.block.is_empty();
        self.send(true)?;
        while !self.pending.is_empty() && !self.written.bytes.is_empty() {
            self.write_next()?;
        }
        Ok((self.writer.count, self.written, self.pending))
    }
}

/// Threads that compress blocks.
///
/// Starting a thread for each block instead takes 1.7 to 2 times as long for 500 to 1000 members of 10
/// to 16 KiB.
pub(crate) struct Workers {
    jobs: Arc<Queue<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// The maximal number of threads; 0 if the writing thread compresses.
    most: usize,
    /// The compressor of the writing thread.
    compressor: Compressor,
}

struct Job {
    block: Vec<u8>,
    level: u32,
    is_last: bool,
    result: Arc<Queue<io::Result<Vec<u8>>>>,
}

impl Job {
    fn run(self, compressor: &mut Compressor) {
        self.result.push(compressor.compress(&self.block, self.level, self.is_last));
    }
}

/// Closes the queue of the result, so that `wait` returns an error after a panic instead of blocking.
impl Drop for Job {
    fn drop(&mut self) {
        self.result.close();
    }
}

impl Workers {
    /// Starts with no thread. At most `most` run once there are blocks for them, including the one
    /// that writes.
    pub(crate) fn new(most: usize) -> Self {
        let most = useful_threads(most);
        let most = if most < 2 { 0 } else { most };
        Self { jobs: Queue::new(), threads: Vec::new(), most, compressor: Compressor::default() }
    }

    /// Starts one more thread, unless there are enough or the system refuses it.
    fn start_one(&mut self) {
        if self.threads.len() < self.most {
            let jobs = Arc::clone(&self.jobs);
            let work = move || {
                let mut compressor = Compressor::default();
                while let Some(job) = jobs.pop() {
                    if catch_unwind(AssertUnwindSafe(|| job.run(&mut compressor))).is_err() {
                        compressor = Compressor::default();
                    }
                }
            };
            self.threads.extend(thread::Builder::new().name("npz".to_owned()).spawn(work));
        }
    }

    /// Accepts no more blocks. The threads compress the blocks they have, and end.
    pub(crate) fn retire(mut self) {
        self.jobs.close();
        self.threads.clear();
        // Dropping `self` must not abandon them.
        self.jobs = Queue::new();
    }

    /// The number of blocks that may wait to be written: one in each thread, and the next one for it.
    pub(crate) fn most_pending(&self) -> usize {
        2 * self.most
    }

    fn compress(&mut self, block: Vec<u8>, level: u32, is_last: bool) -> Pending {
        let pending = Pending(Queue::new());
        let job = Job { block, level, is_last, result: Arc::clone(&pending.0) };
        let is_worth_a_thread = job.block.len() >= WORTH_A_THREAD;
        if is_worth_a_thread {
            self.start_one();
        }
        if is_worth_a_thread && !self.threads.is_empty() {
            self.jobs.push(job);
        } else {
            job.run(&mut self.compressor);
        }
        pending
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // Jobs are left only after a failure, and their results are not needed.
        self.jobs.abandon();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compressor, Pending, WORTH_A_THREAD, Workers};

    fn blocks() -> impl Iterator<Item = Vec<u8>> {
        (0..5).map(|byte| vec![byte; WORTH_A_THREAD])
    }

    /// Miri interleaves the threads in many orders, and finds a deadlock.
    #[test]
    fn threads_compress_each_block_and_end() {
        let alone: Vec<_> = blocks().map(|block| Compressor::default().compress(&block, 1, false).unwrap()).collect();
        let mut workers = Workers::new(2);
        let pending: Vec<_> = blocks().map(|block| workers.compress(block, 1, false)).collect();
        let done: Vec<_> = pending.into_iter().map(|block| block.wait().unwrap()).collect();
        assert!(done == alone);

        // Retired, they finish their blocks.
        let pending: Vec<_> = blocks().map(|block| workers.compress(block, 1, false)).collect();
        workers.retire();
        assert!(pending.into_iter().map(|block| block.wait().unwrap()).collect::<Vec<_>>() == alone);

        // Dropped, they finish the blocks they have begun, and waiting for the others is an error.
        let mut workers = Workers::new(2);
        let pending: Vec<_> = blocks().map(|block| workers.compress(block, 1, false)).collect();
        drop(workers);
        let left = pending.into_iter().map(Pending::wait);
        assert!(left.zip(alone).all(|(block, alone)| block.is_err() || block.unwrap() == alone));
    }
}
