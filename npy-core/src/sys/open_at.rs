//! Opens files relative to an open directory.

use std::ffi::{CStr, CString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Longer names take an allocation.
const SHORT: usize = 256;

/// Opens a folder, to open files in it. It need not be one that can be listed.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const FLAGS: libc::c_int = libc::O_DIRECTORY | libc::O_PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const FLAGS: libc::c_int = libc::O_DIRECTORY;
    OpenOptions::new().read(true).custom_flags(FLAGS).open(path)
}

/// Opens a file to read it. The system looks up the name from the folder on, and not every folder on the way there; an absolute path is looked
/// up as such.
pub(crate) fn open_at(folder: &File, name: &Path) -> io::Result<File> {
    let name = name.as_os_str().as_bytes();
    let mut memory = [0; SHORT];
    match terminated(name, &mut memory) {
        Some(bytes) => open_terminated(folder, CStr::from_bytes_with_nul(bytes).map_err(|_| nul())?),
        None => open_terminated(folder, &CString::new(name).map_err(|_| nul())?),
    }
}

/// A copy of a name with a NUL behind it, if there is memory for that.
fn terminated<'a>(name: &[u8], memory: &'a mut [u8; SHORT]) -> Option<&'a [u8]> {
    memory.get_mut(..name.len())?.copy_from_slice(name);
    memory.get(..=name.len())
}

fn open_terminated(folder: &File, name: &CStr) -> io::Result<File> {
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    use libc::openat;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    use libc::openat64 as openat;
    loop {
        // SAFETY: the descriptor is open as long as `folder` lives, `name` ends with a NUL and is only read, and without `O_CREAT` no further
        // argument is expected.
        let descriptor = unsafe { openat(folder.as_raw_fd(), name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if descriptor >= 0 {
            // SAFETY: it was opened just now, and nobody else knows it, so that it is closed once.
            return Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }.into());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// What the standard library says of such a path.
#[cold]
fn nul() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "file name contained an unexpected NUL byte")
}
