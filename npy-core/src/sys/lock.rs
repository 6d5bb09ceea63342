//! Advisory locks on files, and checks whether a path still leads to the opened file.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::error::{Conflict, ErrorKind, Result};

/// Keeps others from adding to the file until it is closed.
pub(crate) fn lock(file: &File) -> Result<()> {
    // A process that another thread starts holds all files, and their locks, until it runs its own
    // program.
    const PATIENCE: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];
    // On Windows a lock would keep out readers.
    if cfg!(windows) {
        return Ok(());
    }
    for milliseconds in PATIENCE {
        thread::sleep(Duration::from_millis(milliseconds));
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(ErrorKind::Conflict { conflict: Conflict::Locked }.into())
}

/// Whether it is still this file that has the name, alone and by no link.
///
/// # Errors
///
/// Fails if the system does not tell.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: &std::fs::Metadata| (metadata.dev(), metadata.ino(), metadata.nlink());
    let file = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok(file.nlink() == 1 && identity(&file) == identity(&found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether it is still this file that is found under the path, by links too.
///
/// # Errors
///
/// Fails if the system does not tell.
#[cfg(unix)]
pub(crate) fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: &std::fs::Metadata| (metadata.dev(), metadata.ino());
    match std::fs::metadata(path) {
        Ok(found) => Ok(identity(&file.metadata()?) == identity(&found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
pub(crate) fn is_same(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Whether it is still this file that has the name: where files cannot be told apart, only new ones
/// are.
#[cfg(not(unix))]
pub(crate) fn is_at(file: &File, _path: &Path) -> io::Result<bool> {
    Ok(file.metadata()?.len() == 0)
}
