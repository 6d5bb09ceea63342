//! Rows that a command keeps of each array, and where arrays are in files.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use npy_core::npz::ArchiveFile;
use npy_core::{Header, NpyReader};
use tempfile::{SpooledData, SpooledTempFile};

use super::array::Array;
use super::stream::Prefixed;
use crate::failure::{Failure, Result};
use crate::values::quantity;

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

/// Where the data of an array are, for readers that go on side by side.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    data: Data,
    begin: u64,
}

#[derive(Clone, Debug)]
enum Data {
    Path(PathBuf),
    /// A temporary file without a name.
    File(ArchiveFile),
    Memory(Memory),
}

/// The bytes of a temporary file that fits in memory.
#[derive(Clone, Debug)]
struct Memory(Arc<Vec<u8>>);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Stored {
    /// The position of an array at an extent. Fails if there are fewer bytes in the file than the array needs.
    pub(crate) fn new(extent: Option<Extent>, available: Option<u64>, array: &dyn Array) -> Result<Option<Self>> {
        let Some(extent) = extent else { return Ok(None) };
        check_length(array.data_offset(), array.header().data_bytes(), available)?;
        Ok(Some(Self { data: Data::Path(extent.path), begin: extent.begin.saturating_add(array.data_offset()) }))
    }

    /// A reader with its own position, and the position of the first element.
    pub(super) fn open(&self) -> Result<(Box<dyn ReadSeek>, u64)> {
        let reader: Box<dyn ReadSeek> = match &self.data {
            Data::Path(path) => Box::new(File::open(path).map_err(|error| cannot_read(&error))?),
            Data::File(file) => Box::new(file.clone()),
            Data::Memory(memory) => Box::new(Cursor::new(memory.clone())),
        };
        Ok((reader, self.begin))
    }
}

/// A file, or bytes in memory.
pub(super) trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

/// The rows that were kept of an array: in memory, or in a temporary file if they are large.
#[derive(Debug)]
pub(crate) struct Kept {
    header: Header,
    elements: Stored,
}

impl Kept {
    /// Rows whose bytes are in `elements`, in C order.
    pub(crate) fn new(header: Header, elements: SpooledTempFile) -> Self {
        let data = match elements.into_inner() {
            SpooledData::InMemory(bytes) => Data::Memory(Memory(Arc::new(bytes.into_inner()))),
            SpooledData::OnDisk(file) => Data::File(file.into()),
        };
        Self { header, elements: Stored { data, begin: 0 } }
    }

    /// The rows as an array, which is read from its beginning.
    pub(crate) fn array(&self) -> Result<Box<dyn Array>> {
        let (reader, begin) = self.elements.open()?;
        Ok(Box::new(NpyReader::new(Prefixed::new(self.header.to_bytes(), reader, begin))?))
    }

    /// Where the rows are.
    pub(super) fn stored(&self) -> Stored {
        self.elements.clone()
    }
}

/// Fails if the array ends behind the bytes that can belong to it: a thread would read into the next member.
fn check_length(begin: u64, bytes: u64, available: Option<u64>) -> Result<()> {
    match available.map(|available| available.saturating_sub(begin)) {
        Some(found) if found < bytes => {
            let expected = quantity::counted(bytes, "byte");
            Err(Failure::Nameless(format!("truncated file: the array needs {expected}, found {}", quantity::count(found))))
        }
        _ => Ok(()),
    }
}

pub(super) fn cannot_read(error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::UnexpectedEof => Failure::Nameless("the file was truncated while it was read".to_owned()),
        _ => Failure::Nameless(format!("cannot read the file: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{SeekFrom, Write as _};

    use npy_core::Order;

    use super::*;

    #[test]
    fn readers_of_rows_have_their_own_positions() {
        for memory in [0, 16] {
            let mut file = SpooledTempFile::new(memory);
            file.write_all(b"abcd").unwrap();
            let kept = Kept::new(Header::new("u1".parse().unwrap(), Order::C, &[4]).unwrap(), file);
            assert_eq!(matches!(kept.stored().data, Data::Memory(_)), memory > 0);
            let (mut one, mut other) = (kept.stored().open().unwrap().0, kept.stored().open().unwrap().0);
            one.seek(SeekFrom::Start(2)).unwrap();
            let (mut text, mut rest) = (String::new(), String::new());
            other.read_to_string(&mut text).unwrap();
            one.read_to_string(&mut rest).unwrap();
            assert_eq!((&*text, &*rest), ("abcd", "cd"));
            assert_eq!(kept.array().unwrap().next_elements(9).unwrap().unwrap().bytes(), b"abcd");
        }
    }
}
