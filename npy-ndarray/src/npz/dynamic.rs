//! Members of archives whose dtype is known at run time.

use std::io::{Read, Seek};

use npy_core::{ReadOptions, Result};

use super::super::dynamic::{DynArray, from_reader};
use super::NpzReader;

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the array of a name, of any dtype.
    ///
    /// # Errors
    ///
    /// Fails if there is no such array, if it is damaged, or if reading fails.
    ///
    /// ```
    /// use ndarray::array;
    /// use npy_ndarray::{DynArray, NpzReader, NpzWriter};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let mut writer = NpzWriter::create(&path)?;
    /// writer.add_array("mask", &array![true, false])?;
    /// writer.finish()?;
    ///
    /// let mut archive = NpzReader::open(&path)?;
    /// for name in archive.names()? {
    ///     let array: DynArray = archive.dynamic(&name)?;
    ///     println!("{name}: {} {:?}", array.dtype(), array.shape()); // mask: |b1 [2]
    /// }
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn dynamic(&mut self, name: &str) -> Result<DynArray> {
        self.dynamic_with(name, self.arrays)
    }

    /// [`dynamic`](Self::dynamic) with options.
    ///
    /// The limits are those that the archive was opened with.
    ///
    /// ```
    /// use npy_ndarray::{ReadOptions, NpzReader, NpzWriter, Order};
    ///
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_array("matrix", &ndarray::array![[1, 2], [3, 4]])?;
    /// # let file = archive.finish()?;
    /// let matrix = NpzReader::new(file)?.dynamic_with("matrix", ReadOptions::new().order(Order::Fortran))?;
    /// assert_eq!(matrix.into::<ndarray::Array2<i32>>()?.strides(), [1, 2]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`dynamic`](Self::dynamic).
    pub fn dynamic_with(&mut self, name: &str, options: impl Into<ReadOptions>) -> Result<DynArray> {
        let index = self.archive.find(name)?;
        self.dynamic_by_index_with(index, options)
    }

    /// Reads the array at an index, of any dtype. The first index is 0.
    ///
    /// # Errors
    ///
    /// Fails like [`dynamic`](Self::dynamic).
    ///
    /// ```
    /// use npy_ndarray::{NpzReader, NpzWriter};
    ///
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("ids", &[7_u8])?;
    /// # archive.add_slice("times", &[0.5, 1.5])?;
    /// # let file = archive.finish()?;
    /// let mut archive = NpzReader::new(file)?;
    /// for index in 0..archive.len() {
    ///     println!("{}", archive.dynamic_by_index(index)?);
    /// }
    /// assert_eq!(archive.dynamic_by_index(1)?.to_string(), "[0.5 1.5]");
    /// assert!(archive.dynamic_by_index(2).is_err());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn dynamic_by_index(&mut self, index: usize) -> Result<DynArray> {
        self.dynamic_by_index_with(index, self.arrays)
    }

    /// [`dynamic_by_index`](Self::dynamic_by_index) with options.
    ///
    /// The limits are those that the archive was opened with.
    ///
    /// # Errors
    ///
    /// Fails like [`dynamic`](Self::dynamic).
    ///
    /// ```
    /// use npy_ndarray::{ReadOptions, NpzReader, NpzWriter, Order};
    ///
    /// # let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_array("matrix", &ndarray::array![[1, 2], [3, 4]])?;
    /// # let file = archive.finish()?;
    /// let matrix = NpzReader::new(file)?.dynamic_by_index_with(0, ReadOptions::new().order(Order::Fortran))?;
    /// assert_eq!(matrix.into::<ndarray::Array2<i32>>()?.strides(), [1, 2]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn dynamic_by_index_with(&mut self, index: usize, options: impl Into<ReadOptions>) -> Result<DynArray> {
        let read = self.archive.array(index).and_then(|reader| from_reader(reader, options.into()));
        read.map_err(|error| self.archive.locate(error, index))
    }
}
