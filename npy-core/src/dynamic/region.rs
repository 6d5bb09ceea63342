//! Regions of arrays whose dtype is known at run time.

use std::io::{Read, Seek};

use super::DynValues;
use crate::error::{ErrorKind, Result};
use crate::format::region::AxisRange;
use crate::read::NpyReader;

impl<R: Read + Seek> NpyReader<R> {
    /// Reads a region of any dtype: see [`read_region`](Self::read_region).
    ///
    /// # Errors
    ///
    /// Fails like [`read_region`](Self::read_region), and when the dtype holds Python objects.
    ///
    /// ```
    /// use npy_core::NpyReader;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("numbers.npy");
    /// npy_core::save(&path, &[1_u16, 2, 3, 4])?;
    /// let values = NpyReader::open(&path)?.read_region_values(&[(1..3).into()])?;
    /// assert_eq!(values.to_vec::<u16>()?, [2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn read_region_values(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        if self.state.header.dtype().has_object() {
            return Err(ErrorKind::ObjectArray.into());
        }
        let (header, bytes) = self.gather(region, &mut |elements, count| elements.read_bytes(count))?;
        DynValues::with_header(header, bytes)
    }
}
