//! Reads an array once, by several threads, in bounded memory.

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
use crate::input::parts::{PART_BYTES, PartReader, Parts};
use crate::input::{Array, Stored};
use crate::progress::Progress;
use crate::threads;
use crate::values::fields::{self, Leaf};

/// The most parts, because each has its own moments.
const MOST_PARTS: u64 = 512;

/// The options of the user.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) threads: usize,
    pub(super) fields: Vec<String>,
    pub(super) bins: usize,
    pub(super) is_brief: bool,
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
    parts: Parts,
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
        let part_bytes = PART_BYTES.max(header.data_bytes().div_ceil(MOST_PARTS));
        let parts = Parts::new(itemsize, header.element_count() as u64, part_bytes);
        Ok(Self { bins: settings.bins, parts, budget, leaves })
    }

    fn accumulators(&self) -> Result<Vec<Box<dyn Accumulator>>> {
        self.leaves.iter().map(|leaf| accumulator(leaf, self.parts.elements, self.budget)).collect()
    }

    fn finish(self, accumulators: Vec<Box<dyn Accumulator>>) -> Result<Vec<(Leaf, Summary)>> {
        let finish = |(leaf, mut accumulator): (Leaf, Box<dyn Accumulator>)| {
            if leaf.scalar.itemsize() == 0 {
                accumulator.add_empty(self.parts.elements.saturating_mul(leaf.per_element() as u64));
            }
            Ok((leaf, accumulator.finish(self.bins)?))
        };
        self.leaves.into_iter().zip(accumulators).map(finish).collect()
    }

    /// Reads the data side by side: each thread has a reader of its own, and takes the next part that none has.
    pub(super) fn read_stored(self, stored: &Stored, threads: usize, progress: &Mutex<Progress>) -> Result<Vec<(Leaf, Summary)>> {
        let (parts, threads) = (self.parts.count(), self.parts.threads(threads));
        let next = AtomicU64::new(0);
        let results: Vec<Result<Vec<_>>> = threads::on_each(threads, || {
            let mut reader = PartReader::open(&self.parts, stored)?;
            let mut accumulators = self.accumulators()?;
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return Ok(accumulators);
                }
                reader.read(part, &mut |position, elements| {
                    for accumulator in &mut accumulators {
                        accumulator.add(position, elements);
                    }
                    advance(progress, elements.len());
                    Ok(())
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

    /// This thread reads, and perhaps decompresses, while another computes.
    pub(super) fn read_stream(self, array: &mut dyn Array, progress: &Mutex<Progress>) -> Result<Vec<(Leaf, Summary)>> {
        // Elements larger than a piece are not queued.
        let most_waiting = usize::from(self.parts.is_small());
        let (send, receive) = sync_channel::<(u64, DynValues)>(most_waiting);
        let (elements, part, mut accumulators) = (self.parts.stored(), self.parts.part, self.accumulators()?);
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
                && let Some(values) = array.next_elements(self.parts.piece as usize)?
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
