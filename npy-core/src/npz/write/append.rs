//! Opens an existing archive to append members.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{self, Path, PathBuf};

use super::super::zip::central_directory;
use super::super::zip::central_directory::Directory;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::sys::lock::{is_same, lock, open_to_change};

/// An archive that members are added to: locked, and given its length back unless what was added
/// was finished.
pub(crate) struct Existing {
    pub(crate) directory: Directory,
    /// Absolute, so that it stays the same when the process changes its directory.
    path: PathBuf,
    /// `None` once it was finished.
    undo: Option<File>,
}

impl Existing {
    /// Opens the archive, and leaves the file at its end.
    pub(crate) fn open(path: &Path) -> Result<(File, Self)> {
        let mut file = open_locked(path)?;
        let directory = central_directory::read(&mut file, &Limits::new())?;
        central_directory::expect_proven(&mut file, &directory)?;
        central_directory::expect_no_header_behind_members(&mut file, &directory)?;
        let undo = file.try_clone().map_err(cannot_open)?;
        let path = path::absolute(path).map_err(cannot_open)?;
        file.seek(SeekFrom::Start(directory.end)).map_err(cannot_open)?;
        Ok((file, Self { directory, path, undo: Some(undo) }))
    }

    /// Checks that no one else has changed or replaced the file, which should have `length` bytes.
    /// If so, nothing is cut off: it may be what others committed.
    pub(crate) fn expect_unchanged(&mut self, length: u64) -> io::Result<()> {
        let Some(file) = &self.undo else { return Ok(()) };
        let is_there = is_same(file, &self.path)?;
        if is_there && file.metadata()?.len() == length {
            return Ok(());
        }
        self.undo = None;
        Err(if is_there { Error::modified() } else { Error::replaced() }.into())
    }

    /// Keeps what was added.
    pub(crate) fn keep(&mut self) {
        self.undo = None;
    }
}

impl Drop for Existing {
    fn drop(&mut self) {
        if let Some(file) = &self.undo {
            // The error that led here is the one to report.
            let _ = file.set_len(self.directory.end);
        }
    }
}

/// Opens an archive to change it, and keeps others from doing so.
pub(crate) fn open_locked(path: &Path) -> Result<File> {
    let file = open_to_change(OpenOptions::new().read(true).write(true), path).map_err(cannot_open)?;
    lock(&file)?;
    if !is_same(&file, path).map_err(cannot_open)? {
        return Err(Error::replaced());
    }
    Ok(file)
}

#[cold]
fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open the file", error)
}
