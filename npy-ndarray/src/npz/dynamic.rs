//! Members of archives whose dtype is known at run time.

use std::io::{Read, Seek};

use npy_core::{ReadOptions, Result};

use super::super::dynamic::{DynArray, from_reader};
use super::NpzReader;

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the array of a name, of any dtype.
    pub fn dynamic(&mut self, name: &str) -> Result<DynArray> {
        self.dynamic_with(name, self.arrays)
    }

    /// [`dynamic`](Self::dynamic) with options: order, objects. The limits are those that the archive was
    /// opened with.
    pub fn dynamic_with(&mut self, name: &str, options: impl Into<ReadOptions>) -> Result<DynArray> {
        let index = self.archive.find(name)?;
        self.dynamic_by_index_with(index, options)
    }

    /// Reads the array at an index, of any dtype. The first index is 0.
    pub fn dynamic_by_index(&mut self, index: usize) -> Result<DynArray> {
        self.dynamic_by_index_with(index, self.arrays)
    }

    /// [`dynamic_by_index`](Self::dynamic_by_index) with options: order, objects. The limits are those that
    /// the archive was opened with.
    pub fn dynamic_by_index_with(&mut self, index: usize, options: impl Into<ReadOptions>) -> Result<DynArray> {
        let read = self.archive.array(index).and_then(|reader| from_reader(reader, options.into()));
        read.map_err(|error| self.archive.locate(error, index))
    }
}
