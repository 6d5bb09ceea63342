//! Opens an existing archive to append members.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{self, Path, PathBuf};

use super::super::read::directory;
use super::super::zip::central_directory::{Directory, expect_extensible};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::sys::lock::{is_same, open_locked};

/// An archive to which members are added. It is locked, and truncated to its old length unless it is
/// finished.
pub(crate) struct Existing {
    pub(crate) directory: Directory,
    /// Absolute, so that a change of the working directory does not matter.
    path: PathBuf,
    /// The file to truncate; `None` once the archive is finished.
    undo: Option<File>,
}

impl Existing {
    /// Opens the archive, positioned at its end.
    pub(crate) fn open(path: &Path) -> Result<(File, Self)> {
        let mut file = open_locked(path)?;
        let directory = directory::open(&mut file, &Limits::new())?;
        expect_extensible(&mut file, &directory)?;
        let undo = file.try_clone().map_err(cannot_open)?;
        let path = path::absolute(path).map_err(cannot_open)?;
        file.seek(SeekFrom::Start(directory.end)).map_err(cannot_open)?;
        Ok((file, Self { directory, path, undo: Some(undo) }))
    }

    /// Checks that the file has `length` bytes and is still at its path. If it was changed or replaced,
    /// it is not truncated either, because others may have committed to it.
    pub(crate) fn expect_unchanged(&mut self, length: u64) -> io::Result<()> {
        let Some(file) = &self.undo else { return Ok(()) };
        let is_there = is_same(file, &self.path)?;
        if is_there && file.metadata()?.len() == length {
            return Ok(());
        }
        self.undo = None;
        Err(if is_there { Error::modified() } else { Error::replaced() }.into())
    }

    /// Keeps the added members.
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

#[cold]
fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open the file", error)
}
