//! Reads the rows of an array once, in bounded memory, and gathers those that pass in their order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use npy_core::{DynValues, Order};

use super::Filter;
use super::eval::{BLOCK_ROWS, Block};
use crate::failure::{Failure, Result};
use crate::input::parts::{PART_BYTES, PartReader, Parts};
use crate::input::{Stored, pieces};
use crate::signals;
use crate::threads;

/// Rows that passed.
#[derive(Default)]
pub(super) struct Passed {
    pub(super) count: u64,
    /// Nothing if they are only counted.
    pub(super) bytes: Vec<u8>,
}

/// Reads all elements in C order, once.
pub(crate) type Read<'a> = &'a mut dyn FnMut(pieces::Sink<'_>) -> Result<()>;

/// Takes the rows of each part, in order.
type Sink<'a> = &'a mut (dyn FnMut(Passed) -> Result<()> + Send);

impl Filter {
    /// Calls `sink` with the rows that pass; `most` of them, or their number alone.
    pub(super) fn scan(&self, read: Read<'_>, stored: Option<&Stored>, most: Option<u64>, sink: Sink<'_>) -> Result<()> {
        let is_in_order = self.header.order() == Order::C || Order::are_same(self.header.shape());
        match stored.filter(|_| is_in_order) {
            Some(stored) => self.scan_file(stored, most, sink),
            None => self.scan_stream(read, most, sink),
        }
    }

    /// Each thread reads, evaluates and gathers a part, and waits for its turn to hand it on.
    fn scan_file(&self, stored: &Stored, most: Option<u64>, sink: Sink<'_>) -> Result<()> {
        let parts = Parts::new(self.row_bytes, self.rows, PART_BYTES);
        let turns = Turns { state: Mutex::new(Turn { next: 0, left: most, sink, result: None }), changed: Condvar::new() };
        let next = AtomicU64::new(0);
        threads::on_each(parts.threads(self.threads), || {
            let _guard = Guard(&turns);
            let mut reader = match PartReader::open(&parts, stored) {
                Ok(reader) => reader,
                Err(failure) => return turns.end(Err(failure)),
            };
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts.count() || turns.lock().result.is_some() {
                    return;
                }
                let mut passed = Passed::default();
                let read = reader.read(part, &mut |row, rows| {
                    signals::check()?;
                    self.add(row, rows, most, &mut passed)
                });
                turns.take(part, read.map(|()| passed));
            }
        });
        turns.state.into_inner().unwrap_or_else(PoisonError::into_inner).result.unwrap_or(Ok(()))
    }

    /// This thread reads, and perhaps decompresses, while another evaluates.
    fn scan_stream(&self, read: Read<'_>, most: Option<u64>, sink: Sink<'_>) -> Result<()> {
        let (send, receive) = sync_channel::<DynValues>(1);
        let compute = move || {
            let (mut left, mut row, mut rest) = (most, 0, Vec::new());
            for values in receive {
                rest.extend_from_slice(values.bytes());
                let whole = rest.len() - rest.len() % self.row_bytes;
                let mut passed = Passed::default();
                self.add(row, rest.get(..whole).unwrap_or_default(), left, &mut passed)?;
                row += (whole / self.row_bytes) as u64;
                rest.drain(..whole);
                if let Some(left) = &mut left {
                    *left = left.saturating_sub(passed.count);
                }
                sink(passed)?;
                if left == Some(0) {
                    break;
                }
            }
            Ok(())
        };
        let mut is_over = false;
        let own = || {
            let send = send;
            let result = read(&mut |values| {
                is_over = send.send(values).is_err();
                // The other thread knows why.
                if is_over { Err(Failure::Reported) } else { Ok(()) }
            });
            if is_over { Ok(()) } else { result }
        };
        let (result, computed) = threads::beside(compute, own)?;
        computed.and(result)
    }

    /// For each of these rows, of which the first has this number, whether it passes.
    pub(crate) fn mask(&self, first: u64, rows: &[u8]) -> Result<Vec<bool>> {
        let block = Block::new(rows, self.row_bytes, first, &self.columns);
        block.test(&self.test, None).map_err(|problem| self.failure(problem))
    }

    /// Adds the rows of these that pass, at most as many as are wanted in all.
    fn add(&self, first: u64, rows: &[u8], most: Option<u64>, passed: &mut Passed) -> Result<()> {
        for (index, bytes) in rows.chunks(BLOCK_ROWS.saturating_mul(self.row_bytes)).enumerate() {
            let mask = self.mask(first.saturating_add((index * BLOCK_ROWS) as u64), bytes)?;
            let found = mask.iter().filter(|passes| **passes).count() as u64;
            let Some(most) = most else {
                passed.count += found;
                continue;
            };
            let wanted = found.min(most - passed.count);
            gather(bytes, self.row_bytes, &mask, wanted, &mut passed.bytes)?;
            passed.count += wanted;
            if passed.count == most {
                break;
            }
        }
        Ok(())
    }
}

/// Appends the first rows of which the mask is true, those beside each other at once.
fn gather(bytes: &[u8], row_bytes: usize, mask: &[bool], mut wanted: u64, gathered: &mut Vec<u8>) -> Result<()> {
    let most = usize::try_from(wanted).unwrap_or(usize::MAX).saturating_mul(row_bytes).min(bytes.len());
    gathered.try_reserve(most).map_err(|_| Failure::allocation(most))?;
    let mut row = 0;
    while wanted > 0
        && let Some(skipped) = mask.get(row..).and_then(|rest| rest.iter().position(|passes| *passes))
    {
        let begin = row + skipped;
        let run = mask.get(begin..).unwrap_or_default().iter().take_while(|passes| **passes).count();
        let run = run.min(usize::try_from(wanted).unwrap_or(usize::MAX));
        gathered.extend_from_slice(bytes.get(begin * row_bytes..(begin + run) * row_bytes).unwrap_or_default());
        wanted -= run as u64;
        row = begin + run;
    }
    Ok(())
}

/// The order of parts: each is handed on when those before it were.
struct Turns<'s> {
    state: Mutex<Turn<'s>>,
    changed: Condvar,
}

struct Turn<'s> {
    next: u64,
    /// The rows that are still wanted, if they are not only counted.
    left: Option<u64>,
    sink: Sink<'s>,
    /// Of the whole scan, once it is over early.
    result: Option<Result<()>>,
}

impl<'s> Turns<'s> {
    fn lock(&self) -> MutexGuard<'_, Turn<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the rows of a part on. The first failure is the result.
    fn take(&self, part: u64, passed: Result<Passed>) {
        let mut turn = self.lock();
        while turn.next != part && turn.result.is_none() {
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        if turn.result.is_some() {
            return;
        }
        turn.next += 1;
        match passed.and_then(|passed| turn.hand_on(passed)) {
            Ok(true) => {}
            Ok(false) => turn.result = Some(Ok(())),
            Err(failure) => turn.result = Some(Err(failure)),
        }
        drop(turn);
        self.changed.notify_all();
    }

    fn end(&self, result: Result<()>) {
        self.lock().result.get_or_insert(result);
        self.changed.notify_all();
    }
}

impl Turn<'_> {
    /// Returns whether more rows are wanted.
    fn hand_on(&mut self, mut passed: Passed) -> Result<bool> {
        if let Some(left) = &mut self.left {
            if passed.count > *left {
                let row_bytes = passed.bytes.len() as u64 / passed.count;
                passed.bytes.truncate(usize::try_from(*left * row_bytes).unwrap_or(usize::MAX));
                passed.count = *left;
            }
            *left -= passed.count;
        }
        (self.sink)(passed)?;
        Ok(self.left != Some(0))
    }
}

/// Ends the turns if its thread panics, so that no other waits for it.
struct Guard<'g, 's>(&'g Turns<'s>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(Err(Failure::Reported));
        }
    }
}
