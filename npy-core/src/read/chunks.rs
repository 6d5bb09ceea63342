//! Reads an array in parts: one element or one chunk at a time.

use std::fmt;
use std::io::Read;
use std::iter::FusedIterator;
use std::marker::PhantomData;

use super::elements::{Elements, in_file};
use super::reader::NpyReader;
use super::stage::with_totals;
use crate::element;
use crate::element::{Difference, NpyElement, PlanOf};
use crate::error::Result;
use crate::memory::{Bulk, ReadBuf, Request, STAGE_BYTES, reserve_exact};

impl<R: Read> NpyReader<R> {
    /// Returns an iterator over the remaining elements, in bounded memory.
    ///
    /// After an error the iterator ends. It reads ahead, and elements that it has read ahead are lost if
    /// it is dropped early; [`chunks`](Self::chunks) and [`read_into`](Self::read_into) read no more than
    /// they return.
    pub fn records<T: NpyElement>(&mut self) -> Records<'_, R, T> {
        let per_chunk = per_chunk::<T>(self.header().dtype().itemsize());
        Records { chunks: self.chunks(per_chunk), items: Vec::new().into_iter() }
    }

    /// Returns an iterator over the remaining elements, `length` at a time.
    ///
    /// The last chunk may have fewer. After an error the iterator ends. A `length` of 0 counts as 1.
    /// Each chunk is a new vector; [`for_each_chunk`](Self::for_each_chunk) reuses one buffer.
    pub fn chunks<T: NpyElement>(&mut self, length: usize) -> Chunks<'_, R, T> {
        Chunks { reader: self, length: length.max(1), plan: None, failed: false, element: PhantomData }
    }

    /// Calls `each` with the remaining elements, one chunk at a time.
    ///
    /// The chunks are slices of one buffer of about 256 KiB, which stays in the cache of the processor.
    /// Their lengths vary; none is 0. An error of `each` is returned, and no more can be read then.
    ///
    /// ```
    /// use npy_core::NpyReader;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &vec![0.5_f64; 100_000])?;
    ///
    /// let mut sum = 0.0;
    /// NpyReader::from_bytes(&file)?.for_each_chunk(|samples: &[f64]| {
    ///     sum += samples.iter().sum::<f64>();
    ///     Ok(())
    /// })?;
    /// assert_eq!(sum, 50_000.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn for_each_chunk<T: NpyElement>(&mut self, mut each: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        self.elements().for_each_chunk(&mut each)
    }
}

impl Elements<'_> {
    fn for_each_chunk<T: NpyElement>(&mut self, each: &mut dyn FnMut(&[T]) -> Result<()>) -> Result<()> {
        let plan = self.state.plan::<T>()?;
        let itemsize = self.itemsize();
        match element::bulk::<T>(&plan, itemsize) {
            Some((bulk, difference)) => self.for_each_chunk_of_bytes(bulk, difference == Difference::ByteOrder, each),
            None => {
                let per_chunk = per_chunk::<T>(itemsize);
                let path = self.state.path.clone();
                let (mut items, mut index) = (Vec::new(), self.state.position as u64);
                self.for_each_remaining(&mut |bytes, step| {
                    // Bytes in memory are decoded all at once.
                    let mut done = 0;
                    while done < step {
                        let count = per_chunk.min(step - done);
                        items.clear();
                        reserve_exact(&mut items, count)?;
                        element::decode_all(
                            &plan,
                            itemsize,
                            &bytes[done * itemsize..][..count * itemsize],
                            (count, count),
                            &mut items,
                            index,
                        )
                        .map_err(|error| in_file(path.as_deref(), error))?;
                        each(&items)?;
                        done += count;
                        index += count as u64;
                    }
                    Ok(())
                })
            }
        }
    }

    /// [`for_each_chunk`](Self::for_each_chunk) of elements whose memory is the file's bytes.
    fn for_each_chunk_of_bytes<T>(&mut self, bulk: Bulk<T>, swap: bool, each: &mut dyn FnMut(&[T]) -> Result<()>) -> Result<()> {
        let (itemsize, count, begin) = (self.itemsize(), self.state.remaining(), self.state.offset());
        // Elements without bytes take no memory, however many they are.
        let per_chunk = if itemsize == 0 { count } else { per_chunk::<T>(itemsize) };
        let is_there = self.is_there::<T>(count);
        self.state.begin()?;
        let path = self.state.path.as_deref();
        let fill = &mut |buf: &mut ReadBuf<'_>| self.input.fill(buf);
        let (mut items, mut done) = (Vec::new(), 0);
        while done < count {
            let step = per_chunk.min(count - done);
            let read = match items.get_mut(..step) {
                Some(items) => bulk.fill_slice(items, swap, begin, fill),
                None => bulk.refill(&mut items, Request { count: step, swap, is_there, offset: begin }, fill),
            };
            read.map_err(|error| with_totals(error, begin, (count * itemsize) as u64, (done * itemsize) as u64))
                .map_err(|error| in_file(path, error))?;
            each(&items[..step])?;
            done += step;
        }
        self.end(count)
    }
}

/// The number of elements of a chunk where the caller sets none.
fn per_chunk<T>(itemsize: usize) -> usize {
    (STAGE_BYTES / itemsize.max(size_of::<T>()).max(1)).max(1)
}

/// An iterator over the elements of an array: [`NpyReader::records`].
///
/// See [`NpyReader`] for an example.
pub struct Records<'a, R, T: NpyElement> {
    chunks: Chunks<'a, R, T>,
    items: std::vec::IntoIter<T>,
}

impl<R: Read, T: NpyElement> Iterator for Records<'_, R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(Ok(item));
            }
            match self.chunks.next()? {
                Ok(items) => self.items = items.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// At most the remaining elements: an error ends the iterator.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.len().checked_add(self.chunks.reader.remaining().max(1)))
    }
}

impl<R: Read, T: NpyElement> FusedIterator for Records<'_, R, T> {}

/// An iterator over chunks of elements: [`NpyReader::chunks`].
///
/// See [`NpyReader`] for an example.
pub struct Chunks<'a, R, T: NpyElement> {
    reader: &'a mut NpyReader<R>,
    length: usize,
    /// Made with the first chunk, so that its error is an item.
    plan: Option<PlanOf<T>>,
    failed: bool,
    element: PhantomData<fn() -> T>,
}

impl<R: Read, T: NpyElement> Chunks<'_, R, T> {
    fn read(&mut self) -> Result<Vec<T>> {
        let plan = match self.plan {
            Some(plan) => plan,
            None => *self.plan.insert(self.reader.state.plan::<T>()?),
        };
        let length = self.length.min(self.reader.remaining());
        self.reader.elements().read_vec(&plan, length)
    }
}

impl<R: Read, T: NpyElement> Iterator for Chunks<'_, R, T> {
    type Item = Result<Vec<T>>;

    fn next(&mut self) -> Option<Result<Vec<T>>> {
        // An empty array of another dtype is an error too.
        if self.failed || (self.reader.remaining() == 0 && self.plan.is_some()) {
            return None;
        }
        let chunk = self.read();
        if matches!(&chunk, Ok(items) if items.is_empty()) {
            return None;
        }
        self.failed = chunk.is_err();
        Some(chunk)
    }
}

impl<R: Read, T: NpyElement> FusedIterator for Chunks<'_, R, T> {}

impl<R, T: NpyElement> fmt::Debug for Records<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.chunks.reader).finish_non_exhaustive()
    }
}

impl<R, T: NpyElement> fmt::Debug for Chunks<'_, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("reader", &self.reader).field("length", &self.length).finish_non_exhaustive()
    }
}
