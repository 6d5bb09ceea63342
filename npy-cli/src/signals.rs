//! SIGINT, SIGTERM and SIGHUP: they end the program at once, but not where a file or the terminal has to be cleaned up first.
//! SIGABRT: what is raised where memory ends.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGXFSZ};
use signal_hook::flag;

use crate::failure::{Failure, Result};

/// The exit code after SIGINT, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

struct Flags {
    /// Whether a signal ends the program at once.
    ends_at_once: Arc<AtomicBool>,
    /// Whether a signal came.
    came: Arc<AtomicBool>,
}

/// The number of guards. The flag changes while it is locked, so that it fits their number.
static GUARDS: Mutex<usize> = Mutex::new(0);

static FLAGS: LazyLock<Flags> = LazyLock::new(|| {
    let flags = Flags { ends_at_once: Arc::new(AtomicBool::new(true)), came: Arc::default() };
    for signal in ending_signals() {
        // In this order: the first signal only sets the flags, the second one ends the program. Where the system
        // refuses to register them, it ends the program itself.
        let _ = flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&flags.ends_at_once));
        let _ = flag::register(signal, Arc::clone(&flags.ends_at_once));
        let _ = flag::register(signal, Arc::clone(&flags.came));
    }
    flags
});

/// The signals that end the program. The end of its terminal is one, unless `nohup` has it ignored.
fn ending_signals() -> Vec<i32> {
    #[cfg(unix)]
    let hang_up = Some(SIGHUP).filter(|signal| !is_ignored(*signal));
    #[cfg(not(unix))]
    let hang_up = None;
    [SIGINT, SIGTERM].into_iter().chain(hang_up).collect()
}

/// Whether the program was started with a signal ignored, as far as the system tells: where it does not, it may be.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Makes a failed allocation an ordinary failure, with this exit code.
///
/// The last net: allocations that a file decides are fallible where they are large, and their error names the file. The small ones of the
/// standard library and of other crates (text, lists, threads) are not: where one fails, the library reports it in a line, and aborts.
pub(crate) fn exit_where_memory_ends(code: u8) {
    // Where the system refuses, the program is aborted.
    let _ = flag::register_conditional_shutdown(SIGABRT, i32::from(code), Arc::new(AtomicBool::new(true)));
}

/// Makes a file that exceeds the limit of the system an error of its write, which names the file, as in Python.
#[cfg(unix)]
pub(crate) fn fail_where_files_are_too_large() {
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Stops the program as Ctrl-Z does, until the shell lets it go on. Where there is no such signal, it does nothing.
#[cfg(feature = "view")]
pub(crate) fn suspend() {
    #[cfg(unix)]
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGTSTP);
}

/// While it lives, the first signal does not end the program: [`check`] fails instead.
pub(crate) struct Guard(());

impl Guard {
    pub(crate) fn new() -> Self {
        count(|guards| *guards += 1);
        Self(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        count(|guards| *guards -= 1);
    }
}

/// Changes the number of guards. After a signal, the next one ends the program in any case.
fn count(change: impl FnOnce(&mut usize)) {
    let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut guards);
    if !came() {
        FLAGS.ends_at_once.store(*guards == 0, Ordering::Relaxed);
    }
}

/// Whether a signal came.
pub(crate) fn came() -> bool {
    FLAGS.came.load(Ordering::Relaxed)
}

/// Fails if a signal came. Long loops under a [`Guard`] call it.
pub(crate) fn check() -> Result<()> {
    if came() { Err(Failure::Interrupted) } else { Ok(()) }
}

/// A reader or writer that fails once a signal came.
pub(crate) struct Checked<T>(pub(crate) T);

fn expect_none() -> io::Result<()> {
    if came() { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        expect_none()?;
        self.0.read(buffer)
    }
}

impl<S: Seek> Seek for Checked<S> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        expect_none()?;
        self.0.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
