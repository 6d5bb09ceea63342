//! Writing of archives, byte for byte as `np.savez` does.

pub(crate) mod append;
// In the order of the page of `NpzWriter`, where the methods of this file are the last.
mod create;
mod add;
mod copy;
mod member;
mod options;
mod waiting;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use super::codec::compress::Workers;
use super::zip::central_directory::Directory;
use super::zip::emit::{Local, push_end};
use super::zip::problem::cannot_write;
use super::zip::records::holds_local_header;
use crate::error::{Error, ErrorKind, Result};
use crate::format::header::Header;
use crate::write::output::Stream;
use crate::write::replace::Replacement;
use append::Existing;
use waiting::Waiting;

pub use options::WriteOptions;

/// Writes an archive of arrays, stored or compressed.
///
/// [`create`](NpzWriter::create) writes a file, [`new`](Self::new) to a stream that can seek, and
/// [`streaming`](Self::streaming) to any stream. A name can be added once.
///
/// ```
/// use npy_core::npz::NpzWriter;
/// use npy_core::{Header, NpyElement, Order};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_slice("names", &["Ada".to_owned(), "Grace".to_owned()])?;
/// archive.add_scalar("rate", &0.01_f64)?; // a number in np.savez
/// archive.add_bytes("notes.txt", b"hello")?; // b'hello' in NumPy
///
/// // The members from here on are compressed.
/// archive.set_options(archive.options().compressed(true));
/// let header = Header::new(u8::dtype(), Order::C, &[100, 100])?;
/// archive.add("image", &header, |image| (0..100_u8).try_for_each(|row| image.write_slice(&[row; 100])))?;
/// archive.add_stream::<f64>("readings", |readings| {
///     "0.5 1.5 2.5".split(' ').try_for_each(|word| readings.push(&word.parse().unwrap_or(f64::NAN)))
/// })?;
/// archive.finish()?; // np.load opens it
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Archives that grow
///
/// Members are added to an archive of any program, and nothing in it is written again:
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let mut archive = NpzWriter::create(&path)?;
/// archive.add_slice("day1", &[1.0_f64, 2.0])?;
/// archive.finish()?;
///
/// let mut archive = NpzWriter::append(&path)?;
/// archive.add_slice("day2", &[3.0_f64])?;
/// archive.finish()?;
/// assert_eq!(NpzReader::open(&path)?.names().collect::<Vec<_>>(), ["day1", "day2"]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Drop
///
/// Dropping a writer finishes it, unless its last call failed or the thread panics. Then a file of
/// [`create`](NpzWriter::create) does not replace the old one, and one of
/// [`append`](NpzWriter::append) is truncated to what it was. A drop cannot report an error, so
/// call [`finish`](Self::finish), or [`discard`](Self::discard) to abandon the archive.
#[must_use = "errors of finishing the archive are seen only by `finish`"]
pub struct NpzWriter<W: Write> {
    writer: Stream<W>,
    /// Overwrites bytes before the current position. `None` without `Seek`: checksum and sizes follow
    /// the data.
    overwrite: Option<Overwrite<W>>,
    /// Seeks to the beginning of an abandoned member.
    rewind: Option<Rewind<W>>,
    replacement: Option<Replacement>,
    /// The existing archive.
    existing: Option<Existing>,
    /// Syncs what was written, if it is on a disk.
    sync: fn(&W) -> io::Result<()>,
    /// Reserves disk space from the beginning of the archive, if it is on a disk.
    reserve: fn(&W, u64),
    options: WriteOptions,
    /// The threads that compress, started with the first member for them.
    workers: Option<Workers>,
    /// The next members, which threads compress.
    waiting: VecDeque<Waiting>,
    members: Vec<Local>,
    names: HashSet<String>,
    /// The number of bytes written so far, or the offset of the next member of an existing archive.
    position: u64,
    /// The end of the bytes of abandoned members.
    stale: u64,
    /// The path of the archive, if it was opened by path.
    path: Option<PathBuf>,
    state: State,
}

/// The result of the last call.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// It succeeded.
    Good,
    /// It refused a member, of which nothing remains.
    Refused,
    /// It failed for this reason, so that the content of the stream is unknown.
    Failed(Cow<'static, str>),
    /// The archive is finished or abandoned.
    Over,
}

type Overwrite<W> = fn(&mut W, u64, &[u8]) -> io::Result<()>;

/// Seeks a distance, and returns whether the bytes after that position were removed.
type Rewind<W> = fn(&mut W, i64) -> io::Result<bool>;

impl<W: Write> NpzWriter<W> {
    /// Returns the options of the next members.
    pub fn options(&self) -> WriteOptions {
        self.options
    }

    /// Sets the options of the next members.
    pub fn set_options(&mut self, options: WriteOptions) {
        if options.threads != self.options.threads
            && let Some(workers) = self.workers.take()
        {
            // Members may still wait for it.
            workers.retire();
        }
        self.options = options;
    }

    /// Adds a member of at least `content` bytes, which `write` writes. For [`Front::Head`], `write`
    /// returns the header.
    fn add_member(
        &mut self,
        name: &str,
        front: Front<'_>,
        content: u64,
        write: impl FnOnce(&mut dyn Write) -> Result<Option<Header>>,
    ) -> Result<()> {
        self.adding(name, front, content, |archive, written| {
            // Apart from the archive, which is borrowed meanwhile.
            let mut workers = archive.workers.take();
            let result = archive.write_member(name, front, write, written, &mut workers);
            archive.workers = workers;
            result
        })
    }

    /// Calls `add` for a member that can be added. It counts what it has written.
    ///
    /// If it fails, nothing of the member remains, if the stream can seek.
    fn adding(
        &mut self,
        name: &str,
        front: Front<'_>,
        content: u64,
        add: impl FnOnce(&mut Self, &Cell<u64>) -> Result<(), Failure>,
    ) -> Result<()> {
        let path = self.path.clone();
        let in_member = |error: Error| error.with_member(name.strip_suffix(".npy").unwrap_or(name));
        let named = |error: Error| in_file(path.as_deref(), in_member(error));
        self.expect_whole().map_err(|error| in_file(path.as_deref(), error))?;
        self.state = State::Refused;
        self.check_member(name, front).map_err(named)?;
        // Reserves disk space for a valid member.
        if !self.options.is_compressed
            && let Some(writer) = self.writer.get()
        {
            (self.reserve)(writer, self.position.saturating_add(content));
        }
        let written = Cell::new(0);
        // Until `add` returns: a panic leaves an incomplete member in the stream.
        self.state = State::Failed("writing a member panicked".into());
        let result = add(self, &written);
        self.state = State::Refused;
        let written = written.get();
        match result {
            Ok(()) => {
                self.names.insert(name.to_owned());
                self.state = State::Good;
                Ok(())
            }
            Err(Failure { error, is_lasting }) => {
                let error = in_member(error);
                if written > 0 || is_lasting {
                    self.abandon_member(&error, is_lasting, written);
                }
                Err(in_file(path.as_deref(), error))
            }
        }
    }

    /// Refuses a member that cannot be added.
    fn check_member(&self, name: &str, front: Front<'_>) -> Result<()> {
        let problem = if name.len() > usize::from(u16::MAX) || name.contains('\0') || holds_local_header(name.as_bytes()) {
            "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\""
        } else if matches!(front, Front::Head(_)) && self.overwrite.is_none() {
            "unknown length: a stream that cannot seek needs it before the data"
        } else if self.names.contains(name) {
            "duplicate member name; to replace a member, write a new archive"
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::InvalidInput, problem))
    }

    /// Rewinds to the beginning of a member that failed, or else records that writing has failed.
    fn abandon_member(&mut self, error: &Error, is_lasting: bool, written: u64) {
        let rewound = match self.rewind {
            Some(rewind) if !is_lasting => distance(written).and_then(|back| self.writer.call(|writer| rewind(writer, -back))),
            _ => Err(io::ErrorKind::Unsupported.into()),
        };
        match rewound {
            Ok(true) => {}
            Ok(false) => self.stale = self.stale.max(self.position + written),
            // Without the path, which later errors add.
            Err(_) => self.state = State::Failed(format!("{error:#}").into()),
        }
    }

    /// Records that a member cannot be begun.
    fn refuse(&mut self, error: Error) -> Error {
        if self.state == State::Good {
            self.state = State::Refused;
        }
        error
    }

    /// Refuses to continue after a failure.
    fn expect_whole(&self) -> Result<()> {
        match &self.state {
            State::Failed(failure) => {
                let cause = Some(failure.to_string().into_boxed_str());
                Err(Error::failed_before("cannot write the archive", cause.as_deref()))
            }
            _ => Ok(()),
        }
    }

    /// Writes the central directory and returns the stream.
    pub fn finish(mut self) -> Result<W> {
        let result = self.end();
        if result.is_ok() {
            self.state = State::Over;
        }
        result.and_then(|()| self.writer.take().map_err(cannot_write)).map_err(|error| in_file(self.path.as_deref(), error))
    }

    /// Abandons the archive.
    ///
    /// A file of [`create`](NpzWriter::create) does not replace the old one, one of
    /// [`append`](NpzWriter::append) is truncated to what it was, and a stream gets no central
    /// directory.
    pub fn discard(mut self) {
        self.state = State::Over;
    }

    fn end(&mut self) -> Result<()> {
        self.expect_whole()?;
        let result = self.write_end();
        if let Err(error) = &result {
            self.state = State::Failed(format!("{error:#}").into());
        }
        result
    }

    fn write_end(&mut self) -> Result<()> {
        self.write_waiting().map_err(cannot_write)?;
        if let Some(existing) = self.existing.as_mut().filter(|_| self.members.is_empty()) {
            // Its directory exists.
            existing.expect_unchanged(self.position + existing.directory.prefix).map_err(cannot_write)?;
            existing.keep();
            return Ok(());
        }
        if self.stale > self.position {
            // An abandoned member that cannot be truncated lies before the directory. It is zeroed, so
            // that no reader takes it for a member.
            let blank = io::repeat(0).take(self.stale - self.position);
            io::copy(&mut { blank }, &mut self.writer).map_err(cannot_write)?;
            self.position = self.stale;
        }
        let (mut directory, before, comment) = match &mut self.existing {
            Some(existing) => {
                existing.expect_unchanged(self.position + existing.directory.prefix).map_err(cannot_write)?;
                let Directory { bytes, entries, comment, .. } = &mut existing.directory;
                (std::mem::take(bytes), entries.len(), comment.as_slice())
            }
            None => (Vec::new(), 0, [].as_slice()),
        };
        for member in &self.members {
            member.push_entry(&mut directory);
        }
        push_end(&mut directory, (before + self.members.len()) as u64, self.position, comment);
        self.writer.write_all(&directory).and_then(|()| self.writer.flush()).map_err(cannot_write)?;
        let Self { writer, replacement, existing, sync, options, .. } = self;
        let mut sync = || writer.call(|writer| sync(writer));
        if let Some(replacement) = replacement.take() {
            replacement.commit(options.of_file(), sync)?;
        } else if options.is_durable && existing.is_some() {
            sync().map_err(cannot_write)?;
        }
        if let Some(existing) = existing {
            existing.keep();
        }
        Ok(())
    }
}

impl<W: Write> Drop for NpzWriter<W> {
    fn drop(&mut self) {
        if self.state == State::Good && !thread::panicking() {
            // A drop cannot report an error.
            let _ = self.end();
        }
        if let Some(existing) = self.existing.as_mut().filter(|_| !matches!(self.state, State::Failed(_))) {
            // Does not truncate data appended by a process that ignores the lock.
            if self.members.is_empty() {
                existing.keep();
            } else {
                let _ = existing.expect_unchanged(self.position + existing.directory.prefix);
            }
        }
    }
}

/// The part of a content that is known before it is written.
#[derive(Clone, Copy)]
enum Front<'a> {
    Nothing,
    /// The length of its header.
    Head(&'a Header),
    /// The whole content.
    Known(&'a [u8]),
}

/// An error of the content or, if it is lasting, of the stream.
struct Failure {
    error: Error,
    is_lasting: bool,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { error: cannot_write(error), is_lasting: true }
    }
}

impl<W: Write> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpzWriter")
            .field("members", &(self.members.len() + self.waiting.len()))
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

fn distance(bytes: u64) -> io::Result<i64> {
    i64::try_from(bytes).map_err(io::Error::other)
}

/// Adds the path of the archive to an error, if it is known.
#[cold]
fn in_file(path: Option<&Path>, error: Error) -> Error {
    match path {
        Some(path) => error.with_path(path),
        None => error,
    }
}
