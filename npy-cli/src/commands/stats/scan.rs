//! Reads an array once, by several threads, in bounded memory.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use npy_core::{DynValues, FileFormat, Header};

use super::accumulator::Accumulator;
use super::summary::Summary;
use super::{Budget, Total, objects};
use crate::failure::{Failure, Result};
use crate::input::{Array, Extent, Input, object_options};
use crate::progress::Progress;
use crate::values::fields::{self, Leaf};
use crate::values::quantity;

/// What a thread reads at a time: it stays in the second cache.
const PIECE_BYTES: usize = 1 << 18;

/// What all threads read at a time at most, unless an element has more.
const MOST_BUFFERS: usize = 32 << 20;

/// What a thread takes at a time. Their number is bounded, because each has its own moments.
const PART_BYTES: u64 = 4 << 20;
const MOST_PARTS: u64 = 512;

/// What the user chose.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) threads: usize,
    pub(super) fields: Vec<String>,
    pub(super) bins: usize,
}

/// Reads the array of a member once.
pub(super) fn scan(input: &mut Input, index: usize, settings: &Settings) -> Result<(Header, Vec<(Leaf, Summary)>)> {
    let extent = input.extent(index)?;
    let available = available(input, index)?;
    let name = input.name().to_owned();
    input.with_member(index, |mut array| {
        let header = array.header().clone();
        if header.dtype().has_object() {
            let leaves = objects::scan(&header, &array.into_objects(object_options())?, settings)?;
            return Ok((header, leaves));
        }
        let plan = Plan::new(&header, settings)?;
        let progress = Mutex::new(Progress::new(&name, header.data_bytes()));
        let accumulators = match extent {
            Some(extent) => {
                let begin = array.data_offset();
                check_length(begin, header.data_bytes(), available)?;
                plan.read_by_threads(&extent, begin, settings.threads, &progress)?
            }
            None => plan.read_stream(&mut *array, &progress)?,
        };
        let leaves = accumulators.into_iter().map(|accumulator| accumulator.finish(settings.bins));
        Ok((header, leaves.collect::<Result<_>>()?))
    })
}

/// The bytes of the file or the stored member.
fn available(input: &Input, index: usize) -> Result<Option<u64>> {
    match input.format() {
        FileFormat::Npz => Ok(input.archive()?.size(index)),
        _ => Ok(input.bounds().map(|bounds| bounds.end - bounds.start)),
    }
}

/// What a thread reads with.
struct Worker {
    file: File,
    buffer: Vec<u8>,
    accumulators: Vec<Accumulator>,
}

fn cannot_read(error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::UnexpectedEof => Failure::Nameless("the file was truncated while it was read".to_owned()),
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    }
}

/// Otherwise a thread would read into the next member.
fn check_length(begin: u64, bytes: u64, available: Option<u64>) -> Result<()> {
    match available.map(|available| available.saturating_sub(begin)) {
        Some(found) if found < bytes => {
            let expected = quantity::counted(bytes, "byte");
            Err(Failure::Nameless(format!("truncated file: the array needs {expected}, found {}", quantity::count(found))))
        }
        _ => Ok(()),
    }
}

/// How an array is read.
pub(super) struct Plan {
    itemsize: usize,
    elements: u64,
    /// Elements that are read at a time.
    piece: u64,
    /// Elements of a part, the unit of work: whole pieces.
    part: u64,
    budget: Budget,
    accumulators: Vec<Accumulator>,
}

impl Plan {
    pub(super) fn new(header: &Header, settings: &Settings) -> Result<Self> {
        let dtype = header.dtype();
        let (itemsize, elements) = (dtype.itemsize(), header.element_count() as u64);
        let leaves = fields::select(dtype, &settings.fields)?;
        let budget = Budget::of(leaves.len());
        let piece = (PIECE_BYTES / itemsize.max(1)).max(1) as u64;
        let part_bytes = PART_BYTES.max(header.data_bytes().div_ceil(MOST_PARTS));
        let part = (part_bytes / itemsize.max(1) as u64).next_multiple_of(piece).max(piece);
        let new = |leaf: Leaf| {
            let total = Total(elements.saturating_mul(leaf.per_element() as u64));
            Accumulator::new(leaf, itemsize, total, budget)
        };
        let accumulators = leaves.into_iter().map(new).collect::<Result<_>>()?;
        // Elements without bytes are not read.
        let elements = if itemsize == 0 { 0 } else { elements };
        Ok(Self { itemsize, elements, piece, part, budget, accumulators })
    }

    /// What is read at a time.
    fn piece_bytes(&self) -> usize {
        usize::try_from(self.piece).unwrap_or(usize::MAX).saturating_mul(self.itemsize).max(1)
    }

    /// Accumulators for another thread.
    fn fork(&self) -> Result<Vec<Accumulator>> {
        self.accumulators.iter().map(|accumulator| accumulator.fork(self.elements, self.budget)).collect()
    }

    /// Each thread opens the file itself, and takes the next part that none has.
    fn read_by_threads(self, extent: &Extent, begin: u64, threads: usize, progress: &Mutex<Progress>) -> Result<Vec<Accumulator>> {
        let parts = self.elements.div_ceil(self.part);
        let threads = threads.min(MOST_BUFFERS / self.piece_bytes()).clamp(1, usize::try_from(parts.max(1)).unwrap_or(usize::MAX));
        let next = AtomicU64::new(0);
        let begin = extent.begin.saturating_add(begin);
        let work = || {
            let file = File::open(&extent.path).map_err(|error| cannot_read(&error))?;
            let mut worker = Worker { file, buffer: Vec::new(), accumulators: self.fork()? };
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return Ok(worker.accumulators);
                }
                self.read_part(&mut worker, begin, part, progress)?;
            }
        };
        let results: Vec<Result<Vec<Accumulator>>> = thread::scope(|scope| {
            // Fewer where the system refuses more.
            let others: Vec<_> = (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let own = work();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|_| Err(Failure::Nameless("a thread failed".to_owned())))
            };
            std::iter::once(own).chain(others.into_iter().map(join)).collect()
        });
        let mut total = self.accumulators;
        for result in results {
            for (accumulator, other) in total.iter_mut().zip(result?) {
                accumulator.merge(other);
            }
        }
        Ok(total)
    }

    /// Reads a part of the data, which begin here, piece by piece.
    fn read_part(&self, worker: &mut Worker, begin: u64, part: u64, progress: &Mutex<Progress>) -> Result<()> {
        let Worker { file, buffer, accumulators } = worker;
        let mut position = part * self.part;
        let end = (position + self.part).min(self.elements);
        file.seek(SeekFrom::Start(begin.saturating_add(position * self.itemsize as u64))).map_err(|error| cannot_read(&error))?;
        while position < end {
            let count = self.piece.min(end - position);
            let length = count as usize * self.itemsize;
            let more = length.saturating_sub(buffer.len());
            buffer.try_reserve_exact(more).map_err(|_| Failure::allocation(length))?;
            buffer.resize(length, 0);
            file.read_exact(buffer).map_err(|error| cannot_read(&error))?;
            for accumulator in &mut *accumulators {
                accumulator.add(position, buffer);
            }
            position += count;
            advance(progress, buffer.len());
        }
        for accumulator in accumulators {
            accumulator.expect_memory()?;
            accumulator.end_part(part);
        }
        Ok(())
    }

    /// This thread reads, and perhaps decompresses, while another computes.
    pub(super) fn read_stream(self, array: &mut dyn Array, progress: &Mutex<Progress>) -> Result<Vec<Accumulator>> {
        // Elements larger than a piece are not queued.
        let most_waiting = usize::from(self.piece_bytes() <= PIECE_BYTES);
        let Self { elements, piece, part, mut accumulators, .. } = self;
        thread::scope(|scope| {
            let (send, receive) = sync_channel::<(u64, DynValues)>(most_waiting);
            let work = thread::Builder::new().spawn_scoped(scope, move || {
                for (position, values) in receive {
                    for accumulator in &mut accumulators {
                        accumulator.add(position, values.bytes());
                    }
                    let end = position + values.header().element_count() as u64;
                    if end == elements || end.is_multiple_of(part) {
                        for accumulator in &mut accumulators {
                            accumulator.end_part(position / part);
                        }
                    }
                }
                accumulators
            });
            let work = work.map_err(|error| Failure::Nameless(format!("cannot start a thread: {error}")))?;
            let mut position = 0;
            while position < elements
                && let Some(values) = array.next_elements(piece as usize)?
            {
                let count = values.header().element_count() as u64;
                advance(progress, values.bytes().len());
                if send.send((position, values)).is_err() {
                    break;
                }
                position += count;
            }
            drop(send);
            work.join().map_err(|_| Failure::Nameless("a thread failed".to_owned()))
        })
    }
}

fn advance(progress: &Mutex<Progress>, bytes: usize) {
    if let Ok(mut progress) = progress.lock() {
        progress.add(bytes as u64);
    }
}
