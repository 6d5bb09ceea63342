//! An archive that members are added to.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use super::directory::{self, Directory};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::save::lock;

/// An archive that members are added to: locked, and given its length back unless what was added was finished.
pub(super) struct Existing {
    pub(super) directory: Directory,
    /// `None` once it was finished.
    undo: Option<File>,
}

impl Existing {
    /// Opens the archive, and leaves the file at its end.
    pub(super) fn open(path: &Path) -> Result<(File, Self)> {
        let cannot_open = |error| Error::io("cannot open the file", error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(cannot_open)?;
        lock(&file)?;
        let directory = directory::read_last(&mut file, &Limits::new())?;
        let undo = file.try_clone().map_err(cannot_open)?;
        file.set_len(directory.end).and_then(|()| file.seek(SeekFrom::Start(directory.end))).map_err(cannot_open)?;
        Ok((file, Self { directory, undo: Some(undo) }))
    }

    /// Sees that nobody else has changed the file, which should have so many bytes.
    pub(super) fn expect_length(&self, length: u64) -> io::Result<()> {
        let Some(file) = &self.undo else { return Ok(()) };
        if file.metadata()?.len() == length {
            Ok(())
        } else {
            Err(io::Error::other("something else has changed the file meanwhile"))
        }
    }

    /// Keeps what was added.
    pub(super) fn keep(&mut self) {
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
