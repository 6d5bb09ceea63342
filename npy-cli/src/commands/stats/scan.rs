//! Reads an array once, by several threads, in bounded memory.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

use npy_core::scalar::Class;
use npy_core::{DynValues, Header};

use super::accumulator::{Accumulator, Budget, Total};
use super::column::Column;
use super::summary::Summary;
use super::table::Table;
use super::texts::Texts;
use crate::failure::{Failure, Result};
use crate::input::Array;
use crate::progress::Progress;
use crate::threads;
use crate::values::fields::{self, Leaf};
use crate::values::quantity;

/// Bytes that a thread reads at a time: they stay in the second cache.
const PIECE_BYTES: usize = 1 << 18;

/// The most bytes that all threads read at a time, unless an element has more.
const MOST_BUFFERS: usize = 32 << 20;

/// Bytes of a part, the unit of work of a thread. Their number is bounded, because each has its own moments.
const PART_BYTES: u64 = 4 << 20;
const MOST_PARTS: u64 = 512;

/// The options of the user.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) threads: usize,
    pub(super) fields: Vec<String>,
    pub(super) bins: usize,
    pub(super) is_brief: bool,
}

fn cannot_read(error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::UnexpectedEof => Failure::Nameless("the file was truncated while it was read".to_owned()),
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    }
}

/// Fails if the array ends behind the bytes that can belong to it: a thread would read into the next member.
pub(super) fn check_length(begin: u64, bytes: u64, available: Option<u64>) -> Result<()> {
    match available.map(|available| available.saturating_sub(begin)) {
        Some(found) if found < bytes => {
            let expected = quantity::counted(bytes, "byte");
            Err(Failure::Nameless(format!("truncated file: the array needs {expected}, found {}", quantity::count(found))))
        }
        _ => Ok(()),
    }
}

/// The accumulator of a leaf in this number of elements.
fn accumulator(leaf: &Leaf, elements: u64, budget: Budget) -> Result<Box<dyn Accumulator>> {
    fn boxed<T: Accumulator>(accumulator: T) -> Box<dyn Accumulator> {
        Box::new(accumulator)
    }
    let scalar = leaf.scalar;
    let total = Total(elements.saturating_mul(leaf.per_element() as u64));
    let has_table = scalar.itemsize() == 1 || scalar.itemsize() == 2 && budget.has_tables;
    let accumulator = match scalar.class() {
        Class::Bytes | Class::Unicode | Class::Void => Some(boxed(Texts::new(leaf, budget))),
        Class::Complex => Column::<(f64, f64)>::new(leaf, total, budget).map(boxed),
        Class::Object => None,
        _ if has_table => Some(boxed(Table::new(leaf))),
        Class::Float => Column::<f64>::new(leaf, total, budget).map(boxed),
        Class::Unsigned => Column::<u64>::new(leaf, total, budget).map(boxed),
        _ => Column::<i64>::new(leaf, total, budget).map(boxed),
    };
    accumulator.ok_or_else(|| Failure::Nameless(format!("unsupported dtype {scalar}: npy stats needs values of a fixed size")))
}

/// The plan for reading an array.
pub(super) struct Plan {
    bins: usize,
    itemsize: usize,
    elements: u64,
    /// Elements that are read at a time.
    piece: u64,
    /// Elements of a part, the unit of work: whole pieces.
    part: u64,
    budget: Budget,
    leaves: Vec<Leaf>,
}

impl Plan {
    pub(super) fn new(header: &Header, settings: &Settings) -> Result<Self> {
        let dtype = header.dtype();
        let itemsize = dtype.itemsize();
        let leaves = fields::select(dtype, &settings.fields)?;
        let budget = Budget::of(leaves.len());
        let budget = if settings.is_brief { budget.brief() } else { budget };
        let piece = (PIECE_BYTES / itemsize.max(1)).max(1) as u64;
        let part_bytes = PART_BYTES.max(header.data_bytes().div_ceil(MOST_PARTS));
        let part = (part_bytes / itemsize.max(1) as u64).next_multiple_of(piece).max(piece);
        Ok(Self { bins: settings.bins, itemsize, elements: header.element_count() as u64, piece, part, budget, leaves })
    }

    /// Elements that are read: those without bytes are not.
    fn stored(&self) -> u64 {
        if self.itemsize == 0 { 0 } else { self.elements }
    }

    /// The bytes that are read at a time.
    fn piece_bytes(&self) -> usize {
        usize::try_from(self.piece).unwrap_or(usize::MAX).saturating_mul(self.itemsize).max(1)
    }

    fn accumulators(&self) -> Result<Vec<Box<dyn Accumulator>>> {
        self.leaves.iter().map(|leaf| accumulator(leaf, self.elements, self.budget)).collect()
    }

    fn finish(self, accumulators: Vec<Box<dyn Accumulator>>) -> Result<Vec<(Leaf, Summary)>> {
        let finish = |(leaf, mut accumulator): (Leaf, Box<dyn Accumulator>)| {
            if leaf.scalar.itemsize() == 0 {
                accumulator.add_empty(self.elements.saturating_mul(leaf.per_element() as u64));
            }
            Ok((leaf, accumulator.finish(self.bins)?))
        };
        self.leaves.into_iter().zip(accumulators).map(finish).collect()
    }

    /// Reads the data from this position of a file. Each thread opens the file itself, and takes the next part that none has.
    pub(super) fn read_file(
        self,
        path: &Path,
        begin: u64,
        threads: usize,
        progress: &Mutex<Progress>,
    ) -> Result<Vec<(Leaf, Summary)>> {
        let parts = self.stored().div_ceil(self.part);
        let threads = threads.min(MOST_BUFFERS / self.piece_bytes()).clamp(1, usize::try_from(parts.max(1)).unwrap_or(usize::MAX));
        let next = AtomicU64::new(0);
        let results: Vec<Result<Vec<_>>> = threads::on_each(threads, || {
            let mut file = File::open(path).map_err(|error| cannot_read(&error))?;
            let (mut buffer, mut accumulators) = (Vec::new(), self.accumulators()?);
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return Ok(accumulators);
                }
                let offset = begin.saturating_add(part * self.part * self.itemsize as u64);
                file.seek(SeekFrom::Start(offset)).map_err(|error| cannot_read(&error))?;
                self.read_part(&mut file, &mut buffer, part, &mut |position, elements| {
                    for accumulator in &mut accumulators {
                        accumulator.add(position, elements);
                    }
                    advance(progress, elements.len());
                })?;
                for accumulator in &mut accumulators {
                    accumulator.expect_memory()?;
                    accumulator.end_part(part);
                }
            }
        });
        let merged = results.into_iter().reduce(|total, other| {
            let (mut total, other) = (total?, other?);
            total.iter_mut().zip(other).for_each(|(accumulator, other)| accumulator.merge(other));
            Ok(total)
        });
        self.finish(merged.unwrap_or_else(|| Ok(Vec::new()))?)
    }

    /// Reads a part, at which the file stands, piece by piece. `add` also gets the position of a piece.
    fn read_part(&self, file: &mut File, buffer: &mut Vec<u8>, part: u64, add: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let mut position = part * self.part;
        let end = (position + self.part).min(self.elements);
        while position < end {
            let count = self.piece.min(end - position);
            let length = count as usize * self.itemsize;
            let more = length.saturating_sub(buffer.len());
            buffer.try_reserve_exact(more).map_err(|_| Failure::allocation(length))?;
            buffer.resize(length, 0);
            file.read_exact(buffer).map_err(|error| cannot_read(&error))?;
            add(position, buffer);
            position += count;
        }
        Ok(())
    }

    /// This thread reads, and perhaps decompresses, while another computes.
    pub(super) fn read_stream(self, array: &mut dyn Array, progress: &Mutex<Progress>) -> Result<Vec<(Leaf, Summary)>> {
        // Elements larger than a piece are not queued.
        let most_waiting = usize::from(self.piece_bytes() <= PIECE_BYTES);
        let (send, receive) = sync_channel::<(u64, DynValues)>(most_waiting);
        let (elements, part, mut accumulators) = (self.stored(), self.part, self.accumulators()?);
        let compute = move || {
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
        };
        let read = || {
            let (send, mut position) = (send, 0);
            while position < elements
                && let Some(values) = array.next_elements(self.piece as usize)?
            {
                let count = values.header().element_count() as u64;
                advance(progress, values.bytes().len());
                if send.send((position, values)).is_err() {
                    break;
                }
                position += count;
            }
            Ok(())
        };
        let (read, accumulators) = threads::beside(compute, read)?;
        read.and_then(|()| self.finish(accumulators))
    }
}

fn advance(progress: &Mutex<Progress>, bytes: usize) {
    if let Ok(mut progress) = progress.lock() {
        progress.add(bytes as u64);
    }
}
