//! Regions of arrays whose dtype is known at run time.

use std::io::{Read, Seek};

use super::array::DynValues;
use crate::error::Result;
use crate::format::region::AxisRange;
use crate::read::NpyReader;

impl<R: Read + Seek> NpyReader<R> {
    /// [`read_region`](Self::read_region) of any dtype but Python objects.
    pub fn read_region_values(&mut self, region: &[AxisRange]) -> Result<DynValues> {
        if self.state.header.dtype().has_object() {
            return Err(crate::error::Error::object_array());
        }
        let (header, bytes) = self.gather(region, &mut |elements, count| elements.read_bytes(count))?;
        DynValues::with_header(header, bytes)
    }
}
