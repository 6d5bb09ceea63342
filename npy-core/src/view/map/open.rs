//! Files that are to be mapped: regular ones that hold all of their data.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, Result};
use crate::format::header::Header;
use crate::limits::Limits;

/// A file whose header was read, and that holds all of its data.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) header: Header,
    /// The offset of the data.
    pub(super) begin: usize,
    /// The end of the data.
    pub(super) length: usize,
}

impl Opened {
    pub(super) fn open(path: &Path, limits: Limits, write: bool) -> Result<Self> {
        Self::check(path, limits, write).map_err(|error| error.with_path(path))
    }

    fn check(path: &Path, limits: Limits, write: bool) -> Result<Self> {
        let file = open_regular(path, write)?;
        let (header, begin) = Header::read_with_offset(&file, &limits)?;
        Self::behind_header(file, header, begin)
    }

    /// A file whose data begin at `begin`.
    pub(super) fn behind_header(file: File, header: Header, begin: usize) -> Result<Self> {
        let (begin, length) = extent(&header, begin)?;
        let found = file.metadata().map_err(cannot_open)?.len();
        if found < length as u64 {
            let (offset, expected) = (begin as u64, header.data_bytes());
            return Err(Error::truncated("the array", offset, expected, found.saturating_sub(offset)));
        }
        Ok(Self { file, header, begin, length })
    }
}

pub(super) fn open_regular(path: &Path, write: bool) -> Result<File> {
    // Before it is opened: opening a pipe may wait forever.
    require_regular(&fs::metadata(path).map_err(cannot_open)?)?;
    OpenOptions::new().read(true).write(write).open(path).map_err(cannot_open)
}

#[cold]
pub(super) fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open the file", error)
}

/// The range of the data behind a header.
pub(super) fn extent(header: &Header, begin: usize) -> Result<(usize, usize)> {
    if header.dtype().has_object() {
        return Err(Error::object_array());
    }
    let end = usize::try_from(header.data_bytes()).ok().and_then(|bytes| begin.checked_add(bytes));
    match end.filter(|&end| isize::try_from(end).is_ok()) {
        Some(end) => Ok((begin, end)),
        None => Err(Error::shape_overflow(header.shape(), header.dtype().itemsize())),
    }
}

pub(super) fn require_regular(metadata: &fs::Metadata) -> Result<()> {
    match metadata.is_dir() {
        true => Err(cannot_map(io::ErrorKind::IsADirectory.into())),
        false if metadata.is_file() => Ok(()),
        false => Err(Error::not_regular_file()),
    }
}

#[cold]
pub(super) fn cannot_map(error: io::Error) -> Error {
    Error::io("cannot map the file", error)
}
