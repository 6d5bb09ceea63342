//! Reading in parts: elements one after another, or some at a time.

use std::fmt;
use std::io::Read;
use std::iter::FusedIterator;
use std::marker::PhantomData;

use crate::alloc::STAGE_BYTES;
use crate::element::{self, NpyElement};
use crate::error::Result;
use crate::read::NpyReader;

impl<R: Read> NpyReader<R> {
    /// The elements that are left, one after another, in bounded memory.
    ///
    /// After an error the iterator ends. It reads ahead: when it is dropped early, [`remaining`](Self::remaining) tells where the
    /// reader stands.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[1.0_f64, 2.0, 4.0])?;
    /// let mut sum = 0.0;
    /// for value in NpyReader::new(&file[..])?.records::<f64>() {
    ///     sum += value?;
    /// }
    /// assert_eq!(sum, 7.0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn records<T: NpyElement>(&mut self) -> Records<'_, R, T> {
        let per_chunk = (STAGE_BYTES / self.header().dtype().itemsize().max(size_of::<T>()).max(1)).max(1);
        Records { chunks: self.chunks(per_chunk), items: Vec::new().into_iter() }
    }

    /// The elements that are left, `length` at a time; the last chunk may have fewer. After an error the iterator ends.
    ///
    /// A `length` of 0 is taken for 1.
    ///
    /// ```
    /// # use npy_core::NpyReader;
    /// # let mut file = Vec::new();
    /// # npy_core::write(&mut file, &[1_u16, 2, 3, 4, 5])?;
    /// let mut reader = NpyReader::new(&file[..])?;
    /// let chunks: Vec<Vec<u16>> = reader.chunks(2).collect::<Result<_, _>>()?;
    /// assert_eq!(chunks, [vec![1, 2], vec![3, 4], vec![5]]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn chunks<T: NpyElement>(&mut self, length: usize) -> Chunks<'_, R, T> {
        Chunks { reader: self, length: length.max(1), plan: None, failed: false, element: PhantomData }
    }
}

/// The elements of an array one after another; see [`NpyReader::records`].
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

    /// At most as many as are left: an error ends it.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.len().checked_add(self.chunks.reader.remaining().max(1)))
    }
}

impl<R: Read, T: NpyElement> FusedIterator for Records<'_, R, T> {}

/// The elements of an array, some at a time; see [`NpyReader::chunks`].
pub struct Chunks<'a, R, T: NpyElement> {
    reader: &'a mut NpyReader<R>,
    length: usize,
    /// Made with the first chunk, so that its error is an item.
    plan: Option<T::Plan>,
    failed: bool,
    element: PhantomData<fn() -> T>,
}

impl<R: Read, T: NpyElement> Chunks<'_, R, T> {
    fn read(&mut self) -> Result<Vec<T>> {
        let plan = match self.plan {
            Some(plan) => plan,
            None => *self.plan.insert(element::plan::<T>(self.reader.header().dtype())?),
        };
        let length = self.length.min(self.reader.remaining());
        self.reader.read_vec(&plan, length)
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
