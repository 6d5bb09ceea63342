//! Recovery of archives whose end is damaged or missing.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::read::directory;
use super::read::walk::{Found, Streamed, Walk, concerns_archive, walk};
use super::zip::ReadSeek;
use super::zip::central_directory::expect_extensible;
use super::zip::emit::{Local, push_end};
use super::zip::problem::{cannot_read, cannot_write, unrecoverable};
use crate::error::Result;
use crate::limits::Limits;
use crate::sys::lock::open_locked;

/// The result of [`recover`].
///
/// See [`recover`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The number of members that the archive has now.
    pub members: u64,
    /// The number of these that no central directory listed: it was damaged, or the members were
    /// added and not finished.
    pub added: u64,
    /// The number of bytes after the last whole member that were replaced: an incomplete member, a
    /// damaged central directory. The new central directory is not counted.
    pub dropped: u64,
}

/// Restores an archive whose end is damaged or missing, keeping whole members.
///
/// Opening such a file fails with [`ErrorKind::Truncated`](crate::ErrorKind::Truncated), and so does
/// [`NpzWriter::append`](super::NpzWriter::append). Members are found by their local headers from
/// the first byte of the archive on, never inside other members. Members that the last complete
/// central directory does not list are kept as well, without checking their content: a killed
/// process leaves the same bytes as an archive that was truncated. What follows the last whole
/// member is dropped, and so is an empty member that no directory lists: it looks like one that was
/// begun. A whole archive is untouched.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter, recover};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_slice("day1", &[1.0_f64, 2.0])?;
/// archive.finish()?;
/// // Cut off the last byte.
/// let length = std::fs::metadata(&path)?.len();
/// std::fs::OpenOptions::new().write(true).open(&path)?.set_len(length - 1)?;
/// assert!(NpzReader::open(&path).is_err());
///
/// let recovered = recover(&path)?;
/// assert_eq!((recovered.members, recovered.added), (1, 1));
/// assert_eq!(NpzReader::open(&path)?.by_name::<f64>("day1")?, [1.0, 2.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the file cannot be opened, is locked by a writer or is not an archive, or if another
/// archive follows in the same file. Fails if [`NpzWriter::append`](super::NpzWriter::append) would
/// refuse what is whole. Fails if whole members follow a damaged part and would be
/// dropped, or if writing fails. The file is then unchanged, unless writing failed.
pub fn recover(path: impl AsRef<Path>) -> Result<Recovered> {
    let path = path.as_ref();
    restore(path).map_err(|error| error.with_path(path))
}

fn restore(path: &Path) -> Result<Recovered> {
    let mut file = open_locked(path)?;
    let limits = Limits::new();
    let error = match directory::open(&mut file, &limits) {
        Ok(directory) => {
            // A directory of other members than the file has is not replaced by a guess.
            expect_extensible(&mut file, &directory)?;
            return Ok(Recovered { members: directory.entries.len() as u64, added: 0, dropped: 0 });
        }
        Err(error) if concerns_archive(&error) => error,
        Err(error) => return Err(error),
    };
    let length = file.seek(SeekFrom::End(0)).map_err(cannot_read)?;
    let walk = walk(&mut file, length, &limits, Streamed::Decode)?;
    let (kept, end) = walk.kept();
    walk.stop.expect_end()?;
    if kept == 0 && walk.last.is_none() {
        return Err(error);
    }
    if let Some(empty) = walk.found.get(kept).filter(|_| kept + 1 < walk.found.len()) {
        // The following members may be the content of this one.
        return Err(unrecoverable(empty.offset));
    }
    let Tail { begin: end, bytes, added } = Tail::new(walk, kept, end, length);
    // The result must be an archive that opens. If not, the walk has missed some damage.
    let mut restored = Restored { reader: &mut file, kept: end, tail: &bytes, position: 0 };
    let directory = directory::open(&mut restored, &limits).map_err(|_| unrecoverable(end))?;
    expect_extensible(&mut restored, &directory)?;
    let mut write = || {
        file.seek(SeekFrom::Start(end))?;
        file.write_all(&bytes)?;
        file.set_len(end + bytes.len() as u64)?;
        file.sync_all()
    };
    write().map_err(cannot_write)?;
    Ok(Recovered { members: kept as u64, added: added as u64, dropped: length - end })
}

/// A new directory and the end of an archive.
struct Tail {
    begin: u64,
    bytes: Vec<u8>,
    /// The number of members that the old directory does not list.
    added: usize,
}

impl Tail {
    /// Creates the directory of the first `kept` members, which end at `end` of a file of this length.
    fn new(walk: Walk, kept: usize, end: u64, length: u64) -> Self {
        let listed = walk.listed();
        // The last directory lists all members and ends the file, and yet the archive does not open.
        let is_wrong = kept == listed && end == length;
        let begin = walk.last.as_ref().filter(|_| is_wrong).map_or(end, |last| last.begin);
        let added = if is_wrong { kept } else { kept - listed };
        let (mut bytes, prefix, comment) = match walk.last {
            Some(last) => (last.bytes, last.prefix, last.comment),
            // Offsets count from the first byte of the file, as `zipfile` writes them.
            None => (Vec::new(), 0, Vec::new()),
        };
        for Found { offset, name, flags, method, claim, .. } in &walk.found[listed..kept] {
            let (name, offset) = (name.to_vec(), offset - prefix);
            Local { name, method: *method, flags: *flags, claim: *claim, offset, ..Local::default() }.push_entry(&mut bytes);
        }
        push_end(&mut bytes, kept as u64, begin - prefix, &comment);
        Self { begin, bytes, added }
    }
}

/// The file as recovery would leave it: its first bytes, and the new directory.
struct Restored<'a> {
    reader: &'a mut dyn ReadSeek,
    kept: u64,
    tail: &'a [u8],
    position: u64,
}

impl Read for Restored<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.position.checked_sub(self.kept) {
            Some(place) => {
                let rest = usize::try_from(place).ok().and_then(|place| self.tail.get(place..)).unwrap_or_default();
                (&*rest).read(buffer)?
            }
            None => {
                self.reader.seek(SeekFrom::Start(self.position))?;
                self.reader.take(self.kept - self.position).read(buffer)?
            }
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Restored<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let sought = match position {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => (self.kept + self.tail.len() as u64).checked_add_signed(distance),
        };
        self.position = sought.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests;
