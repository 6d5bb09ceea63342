//! Rows that a command keeps of each array, and where arrays are in files.

use std::fmt;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;

use npy_core::{Header, NpyReader};
use tempfile::SpooledTempFile;

use super::array::{Array, not_spooled};
use super::parts::check_length;
use super::stream::Prefixed;
use crate::failure::Result;

/// Selects rows of arrays. A room above decides which.
pub(crate) trait Keep: fmt::Debug + Send + Sync {
    /// The rows of an array that are kept. `stored` is where the array is in a file, if it is there as it is.
    fn rows(&self, array: &mut dyn Array, stored: Option<&Stored>) -> Result<Kept>;
}

/// Where the bytes of an array are in a file, for readers that go on side by side.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    pub(crate) path: PathBuf,
    /// The position of the `.npy` header in the file.
    pub(crate) begin: u64,
}

/// Where the data of an array are in a file.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) path: PathBuf,
    pub(crate) begin: u64,
}

impl Stored {
    /// The position of an array at an extent. Fails if there are fewer bytes in the file than the array needs.
    pub(crate) fn new(extent: Option<Extent>, available: Option<u64>, array: &dyn Array) -> Result<Option<Self>> {
        let Some(extent) = extent else { return Ok(None) };
        check_length(array.data_offset(), array.header().data_bytes(), available)?;
        Ok(Some(Self { path: extent.path, begin: extent.begin.saturating_add(array.data_offset()) }))
    }
}

/// The rows that were kept of an array: in memory, or in a temporary file if they are large.
#[derive(Debug)]
pub(crate) struct Kept {
    header: Header,
    elements: SpooledTempFile,
}

impl Kept {
    /// Rows whose bytes are in `elements`, in C order.
    pub(crate) fn new(header: Header, elements: SpooledTempFile) -> Self {
        Self { header, elements }
    }

    /// The rows as an array, which is read from its beginning.
    pub(crate) fn array(&mut self) -> Result<Box<dyn Array + '_>> {
        self.elements.seek(SeekFrom::Start(0)).map_err(|error| not_spooled(&error))?;
        Ok(Box::new(NpyReader::new(Prefixed::new(self.header.to_bytes(), &mut self.elements, 0))?))
    }
}
