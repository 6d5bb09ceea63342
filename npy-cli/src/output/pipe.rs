//! Named pipes, which wait for a reader. A signal ends the wait.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::escape;
use crate::failure::{Failure, Result};
use crate::signals;

/// The interval at which a wait looks for signals that came between two system calls.
const PATIENCE: Duration = Duration::from_millis(50);

/// A named pipe that never blocks for long.
pub(super) struct Pipe(File);

/// Whether this is a named pipe.
pub(super) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Waits as long, or until the reader of standard output is gone; returns whether it is.
pub(super) fn wait_for_end(pause: Duration) -> io::Result<bool> {
    let stdout = io::stdout();
    // An error of the descriptor is told without being asked for.
    match poll(&mut [PollFd::new(&stdout, PollFlags::empty())], Timespec::try_from(pause).ok().as_ref()) {
        Ok(events) => Ok(events > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Pipe {
    /// Opens the pipe as soon as it has a reader.
    pub(super) fn open(path: &Path) -> Result<Self> {
        loop {
            signals::check()?;
            match OpenOptions::new().write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path) {
                Ok(file) => return Ok(Self(file)),
                Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => thread::sleep(PATIENCE),
                Err(error) => return Err(Failure::new(format!("{}: cannot open the pipe: {error}", escape::path(path)))),
            }
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
            if signals::came() {
                return Err(io::Error::other("interrupted"));
            }
            let timeout = Timespec::try_from(PATIENCE).ok();
            match poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
