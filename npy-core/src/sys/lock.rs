//! Locks against other writers, and checks that a path still leads to the opened file.
//!
//! Unix has advisory locks. On Windows a lock would exclude readers, too. There a file is opened without
//! sharing write access, so that no second handle can be opened to write.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};

/// The waits for a lock, in milliseconds. A process that another thread starts holds all files and
/// their locks until it executes its program.
const PATIENCE: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];

/// Sets the options that lock a file on Windows: no sharing of write access.
pub(crate) fn unshared(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        /// `FILE_SHARE_READ` and `FILE_SHARE_DELETE`: others may read, rename and remove it.
        const SHARED: u32 = 0b101;
        options.share_mode(SHARED);
    }
    options
}

/// Opens a file to change it. The caller has to [lock](lock) it.
///
/// Fails if the file cannot be opened. On Windows, another writer is a conflict.
pub(crate) fn open_to_change(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    /// `ERROR_SHARING_VIOLATION`.
    const IS_SHARED: Option<i32> = if cfg!(windows) { Some(32) } else { None };
    let options = unshared(options);
    for milliseconds in PATIENCE {
        thread::sleep(Duration::from_millis(milliseconds));
        match options.open(path) {
            Err(error) if IS_SHARED.is_some() && error.raw_os_error() == IS_SHARED => {}
            result => return result,
        }
    }
    Err(Error::locked().into())
}

/// Opens an existing file to change it, and locks it.
///
/// Fails if the file has another writer, or if the path now leads to another file.
pub(crate) fn open_locked(path: &Path) -> Result<File> {
    let cannot_open = |error| Error::io("cannot open the file", error);
    let file = open_to_change(OpenOptions::new().read(true).write(true), path).map_err(cannot_open)?;
    lock(&file)?;
    if is_same(&file, path).map_err(cannot_open)? { Ok(file) } else { Err(Error::replaced()) }
}

/// Locks a file against other writers until it is closed.
pub(crate) fn lock(file: &File) -> Result<()> {
    wait_for(|| try_lock(file))
}

/// [`lock`], shared with other replacements of the file. On Windows, opening the file has locked it.
#[cfg(feature = "npz")]
pub(crate) fn lock_shared(file: &File) -> Result<()> {
    wait_for(|| if cfg!(windows) { Ok(()) } else { file.try_lock_shared() })
}

fn wait_for(lock: impl Fn() -> Result<(), TryLockError>) -> Result<()> {
    for milliseconds in PATIENCE {
        thread::sleep(Duration::from_millis(milliseconds));
        match lock() {
            Err(TryLockError::WouldBlock) => {}
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(Error::locked())
}

/// [`lock`] without waiting. On Windows, opening the file has locked it.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    if cfg!(windows) { Ok(()) } else { file.try_lock() }
}

/// Returns whether the path is the only name of the file, and not a link to it.
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

/// Returns whether the path leads to the file, also by links.
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

/// Returns whether the path is a name of the file. On Windows it is, because no other writer can open
/// it. Elsewhere files have no identity, and only new ones count.
#[cfg(not(unix))]
pub(crate) fn is_at(file: &File, _path: &Path) -> io::Result<bool> {
    Ok(cfg!(windows) || file.metadata()?.len() == 0)
}

// WASI has no locks.
#[cfg(all(test, any(unix, windows)))]
mod tests {
    use super::*;

    #[test]
    fn locked_file_has_readers_and_no_second_writer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let open = || {
            let file = open_to_change(OpenOptions::new().write(true).create(true).truncate(false), &path)?;
            lock(&file).map(|()| file)
        };
        let file: Result<File> = open();
        let mut file = file.unwrap();
        std::io::Write::write_all(&mut file, b"content").unwrap();
        assert_eq!(open().unwrap_err().kind(), crate::error::ErrorKind::Conflict);
        assert_eq!(std::fs::read(&path).unwrap(), b"content");
        // Renamed by the writer, it stays locked and readable.
        let renamed = directory.path().join("renamed");
        std::fs::rename(&path, &renamed).unwrap();
        assert_eq!(std::fs::read(&renamed).unwrap(), b"content");
        std::fs::rename(&renamed, &path).unwrap();
        drop(file);
        open().unwrap();
    }
}
