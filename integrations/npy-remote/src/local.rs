//! Rows of an array in a local file that stays open.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;

use npy_core::{Error, Order, Result};

use crate::npy::RemoteNpy;

/// The rows of an array in a local file, which stays open.
///
/// For engines that read a long array range by range: [`RemoteNpy::fetch_rows`] opens the file for each of them, and
/// its memory is new. Each read checks that the file is still of the version that was opened. One that was replaced is read as it was.
///
/// ```
/// # use std::sync::Arc;
/// use npy_remote::RemoteNpy;
/// use npy_remote::object_store::local::LocalFileSystem;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # npy_core::save(directory.path().join("a.npy"), &vec![1.5_f64; 10_000])?;
/// let store = Arc::new(LocalFileSystem::new_with_prefix(directory.path())?);
/// let array = RemoteNpy::open(store, "a.npy").await?;
/// let rows = array.open_local().await?.expect("a local file");
/// let mut bytes = Vec::new();
/// rows.read(0..1000, &mut bytes)?; // blocks: in `spawn_blocking`, if other tasks must not wait
/// rows.read(1000..2000, &mut bytes)?; // the same memory
/// assert_eq!(bytes.len(), 8000);
/// # Ok(())
/// # }
/// ```
pub struct LocalRows {
    array: RemoteNpy,
    file: File,
}

impl RemoteNpy {
    /// Opens the file of an array in a local store, for reading ranges of rows.
    ///
    /// Returns `None` if the store has no files, if the data are in memory already, or if the rows are scattered, as in
    /// Fortran order.
    ///
    /// # Errors
    ///
    /// Fails if the file was replaced, or if it cannot be opened.
    ///
    /// See [`LocalRows`] for an example.
    pub async fn open_local(&self) -> Result<Option<LocalRows>> {
        let (array, header) = (self.array(), self.header());
        let is_one_range = header.order() == Order::C || header.shape().len() == 1;
        if !is_one_range || array.front.len() as u64 >= header.data_bytes() {
            return Ok(None);
        }
        let file = array.object.open_file().await?;
        Ok(file.map(|file| LocalRows { array: self.clone(), file }))
    }
}

impl LocalRows {
    /// Reads the bytes of some rows of the first axis in place of the bytes of a vector. Blocks.
    ///
    /// # Errors
    ///
    /// Fails like [`RemoteNpy::fetch_rows`].
    ///
    /// See [`LocalRows`] for an example.
    pub fn read(&self, rows: Range<usize>, bytes: &mut Vec<u8>) -> Result<()> {
        let array = self.array.array();
        let (range, _) = array.rows(rows)?;
        let length = range.end - range.start;
        array.check(range.start, length)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let more = length.saturating_sub(bytes.len());
        bytes.try_reserve_exact(more).map_err(|_| array.locate(Error::out_of_memory(length)))?;
        bytes.resize(length, 0);
        let read = read_exact_at(&self.file, bytes, array.data_begin + range.start);
        // Afterwards, so that a change during the read is found too.
        array.object.check_file(&self.file)?;
        read.map_err(|error| array.locate(Error::from(error)))
    }
}

impl fmt::Debug for LocalRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalRows").field("array", &self.array).finish_non_exhaustive()
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Other systems hardly have threads; reads take turns.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};

    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}
