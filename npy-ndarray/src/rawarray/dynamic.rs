//! RawArray files (`.ra`) of any element type.

use std::io::{Read, Write};
use std::path::Path;

use npy_core::rawarray::RaArray;
use npy_core::{ReadOptions, Result};

use super::super::dynamic::DynArray;
use super::{ReadRaExt, WriteRaExt};

/// Reads any `.ra` file and skips its metadata. [`RaArray`] gives access to metadata.
impl ReadRaExt for DynArray {
    fn read_ra_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        of_file(RaArray::read_with(reader, options)?, options)
    }

    fn load_ra_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        of_file(RaArray::load_with(path, options)?, options).map_err(|error| error.with_path(path))
    }
}

fn of_file(file: RaArray, options: ReadOptions) -> Result<DynArray> {
    let values = file.into_values();
    let order = options.order.unwrap_or(values.order());
    DynArray::from_values(values.into_order(order)?)
}

/// Text, times, bools and records become elements of user-defined types.
impl WriteRaExt for DynArray {
    fn write_ra<W: Write>(&self, writer: W) -> Result<()> {
        RaArray::try_from(self.to_values()?)?.write(writer)
    }
}
