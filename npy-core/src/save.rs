//! Files that are replaced whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};

/// Has `write` write a temporary file beside `path`, then gives it that name. After an error, what stood there still does.
///
/// # Errors
///
/// When `write` fails, or the file cannot be made or renamed.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    replace(path, write).map_err(|error| error.with_path(path))
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let (mut file, replacement) = Replacement::begin(path)?;
    write(&mut file)?;
    replacement.commit()
}

/// A file that is being written, which will stand in the place of another.
pub(crate) struct Replacement {
    /// The temporary file; `None` for a pipe or a device, which is written to and not replaced.
    temporary: Option<TemporaryFile>,
    target: PathBuf,
}

impl Replacement {
    /// Begins one for `path`. Without a [`commit`](Self::commit), what stands there stays.
    pub(crate) fn begin(path: &Path) -> Result<(File, Self)> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            // Before anything is written.
            return Err(cannot_create(io::Error::new(io::ErrorKind::IsADirectory, "there is a directory of that name")));
        }
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(cannot_create)?;
            return Ok((file, Self { temporary: None, target: path.to_owned() }));
        }
        let target = follow_links(path);
        let (file, temporary) = TemporaryFile::create(&target)?;
        if let Some(existing) = existing {
            file.set_permissions(existing.permissions()).map_err(cannot_create)?;
        }
        Ok((file, Self { temporary: Some(temporary), target }))
    }

    /// Whether it is a file, and not a pipe or a device.
    pub(crate) fn is_file(&self) -> bool {
        self.temporary.is_some()
    }

    /// Puts the file in its place.
    pub(crate) fn commit(self) -> Result<()> {
        match self.temporary {
            Some(temporary) => temporary.rename(&self.target),
            None => Ok(()),
        }
    }
}

/// Keeps others from adding to the file until it is closed.
pub(crate) fn lock(file: &File) -> Result<()> {
    // A process that another thread starts holds all files, and their locks, until it runs its own program.
    const PATIENCE: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];
    for milliseconds in PATIENCE {
        thread::sleep(Duration::from_millis(milliseconds));
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    let busy = "it is being added to already, by this process or another";
    Err(Error::io("cannot open the file", io::Error::new(io::ErrorKind::ResourceBusy, busy)))
}

/// What a link points to, which is replaced while the link stays one; also if nothing is there yet.
fn follow_links(path: &Path) -> PathBuf {
    // More are taken for a circle by Linux.
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(link) = fs::read_link(&target) else { break };
        target.set_file_name(link);
    }
    fs::canonicalize(&target).unwrap_or(target)
}

/// A file that is removed unless it is renamed.
struct TemporaryFile {
    path: Option<PathBuf>,
}

impl TemporaryFile {
    fn create(target: &Path) -> Result<(File, Self)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let invalid = || cannot_create(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file's name"));
        target.file_name().ok_or_else(invalid)?;
        loop {
            // Not the target's name with more to it, which may be too long.
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!(".npy-{}-{count}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path: Some(path) })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_create(error)),
            }
        }
    }

    fn rename(mut self, target: &Path) -> Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target).map_err(|error| Error::io("cannot put the file in place", error))?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The error that led here is the one to report.
            let _ = fs::remove_file(path);
        }
    }
}

#[cold]
fn cannot_create(error: io::Error) -> Error {
    Error::io("cannot create the file", error)
}
