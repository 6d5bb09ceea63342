//! Files that are to be mapped: regular ones that hold all of their data.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::error::{Error, Result};
use crate::format::header::Header;

/// How the memory of a map may be used.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    Read,
    Write,
    /// Written to, without an effect on the file.
    Copy,
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
pub(super) fn extent(header: &Header, begin: usize) -> Result<Range<usize>> {
    if header.dtype().has_object() {
        return Err(Error::object_array());
    }
    let end = usize::try_from(header.data_bytes()).ok().and_then(|bytes| begin.checked_add(bytes));
    match end.filter(|&end| isize::try_from(end).is_ok()) {
        Some(end) => Ok(begin..end),
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
