//! Opens the central directory, and explains why a file has none.

use std::io::{self, SeekFrom};

use super::super::zip::ReadSeek;
use super::super::zip::central_directory::{self, Directory, Ending};
use super::super::zip::problem::{cannot_read, concatenated, not_seekable, not_zip};
use super::super::zip::window::{Window, read_at};
use super::walk::{Stop, Streamed, walk};
use crate::error::{Error, ErrorKind, ForeignFormat, Result};
use crate::limits::Limits;

/// Bytes of a file without an end record that are searched for the first local header.
const SEARCHED_PREFIX: u64 = 1 << 20;

/// Reads the central directory of the archive that `reader` holds.
///
/// Fails if the file has none that lists all its members.
pub(crate) fn open(reader: &mut dyn ReadSeek, limits: &Limits) -> Result<Directory> {
    let length = reader.seek(SeekFrom::End(0)).map_err(|error| match error.kind() {
        io::ErrorKind::NotSeekable => not_seekable(),
        _ => cannot_read(error),
    })?;
    match central_directory::read(reader, length, limits)? {
        Ending::Complete(directory) => return Ok(directory),
        Ending::Incomplete => {}
        Ending::Missing => {
            let found = read_at(reader, 0, length.min(ForeignFormat::FRONT_BYTES as u64))?;
            // An unfinished archive, perhaps after a prefix.
            let is_archive =
                !found.starts_with(b"\x93NUM") && Window::new(reader, length).find_archive(length.min(SEARCHED_PREFIX))?.is_some();
            if !is_archive {
                return Err(not_zip(&found));
            }
        }
    }
    Err(explain(reader, length, limits)?)
}

/// Creates the error of a file without a complete central directory.
pub(crate) fn explain(reader: &mut dyn ReadSeek, length: u64, limits: &Limits) -> Result<Error> {
    let walk = walk(reader, length, limits, Streamed::Stop)?;
    if let Stop::OtherArchive { offset } = walk.stop {
        return Ok(concatenated(offset));
    }
    let (members, listed) = (walk.kept().0, walk.listed());
    let found = if members == 0 && walk.last.is_none() {
        "no complete member".to_owned()
    } else {
        format!("{members} complete and {listed} listed members; `npy_core::npz::recover` keeps them")
    };
    let message = format!("truncated archive: expected the end of central directory at the end of the file, found {found}");
    Ok(Error::new(ErrorKind::Truncated, message))
}
