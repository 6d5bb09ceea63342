//! Writing archives: byte for byte what `np.savez` writes.

mod add;
mod member;

use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::alloc::reserve_on_disk;
use crate::error::{ArchiveProblem, Error, ErrorKind, Result};
use crate::growth::patch;
use crate::header::Header;
use crate::npz::compress::Workers;
use crate::npz::directory::Directory;
use crate::npz::emit::{Local, push_end};
use crate::npz::existing::Existing;
use crate::save::{Replacement, SaveOptions};

use self::member::Waiting;

/// What NumPy's `savez_compressed` takes.
const LEVEL: u32 = 6;

/// Writes an archive of arrays: one after another, each stored or compressed.
///
/// ```
/// use npy_core::npz::NpzWriter;
/// use npy_core::{Header, NpyElement, Order};
///
/// let mut file = std::io::Cursor::new(Vec::new());
/// let mut archive = NpzWriter::new(&mut file);
/// archive.add_slice("times", &[0.5_f64, 1.5])?;
///
/// archive.set_compressed(true);
/// let header = Header::new(u8::dtype(), Order::C, &[100, 100])?;
/// archive.add("image", &header, |image| image.write_slice(&[0_u8; 10_000]))?;
/// archive.finish()?; // np.load opens it
/// assert!(file.get_ref().len() < 1000);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[must_use = "without `finish` the archive has no directory"]
pub struct NpzWriter<W: Write> {
    writer: W,
    /// Puts other bytes over what was written, so many bytes back; without `Seek` checksum and sizes follow the data instead.
    overwrite: Option<Overwrite<W>>,
    /// Goes back to where a member began that was given up.
    rewind: Option<Rewind<W>>,
    replacement: Option<Replacement>,
    /// The archive that is added to.
    existing: Option<Existing>,
    /// Brings what was written to the disk, if it is a disk.
    sync: fn(&W) -> io::Result<()>,
    /// Asks for room on the disk for so many bytes from the beginning of the archive, if it is a disk.
    reserve: fn(&W, u64),
    is_durable: bool,
    is_compressed: bool,
    level: u32,
    is_aligned: bool,
    threads: usize,
    /// Started with the first member that is compressed by them.
    workers: Option<Workers>,
    /// The members whose blocks threads are busy with. They come next.
    waiting: VecDeque<Waiting>,
    members: Vec<Local>,
    names: HashSet<String>,
    /// Bytes written so far, or where the next member begins in the archive that is added to.
    position: u64,
    /// Up to here there are bytes of members that were given up.
    stale: u64,
    /// Why writing has failed, so that what the stream holds is not known.
    failure: Option<String>,
}

type Overwrite<W> = fn(&mut W, u64, &[u8]) -> io::Result<()>;

/// Goes so far, back if negative; tells whether what is behind that place is gone.
type Rewind<W> = fn(&mut W, i64) -> io::Result<bool>;

impl NpzWriter<File> {
    /// Begins a file, as `np.savez` does. It stands under `path` when it is finished; until then, and after an error, what stood there
    /// still does.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("run.npz");
    /// let mut archive = NpzWriter::create(&path)?;
    /// archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// assert!(!path.exists());
    /// archive.finish()?;
    /// assert!(path.exists());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, replacement) = Replacement::begin(path).map_err(|error| error.with_path(path))?;
        // A pipe or a device has no place to come back to.
        let mut writer =
            if replacement.is_file() { Self { reserve: reserve_on_disk, ..Self::in_file(file) } } else { Self::streaming(file) };
        writer.replacement = Some(replacement);
        Ok(writer)
    }

    /// [`create`](Self::create) with compression, as `np.savez_compressed` does.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("run.npz");
    /// let mut archive = NpzWriter::create_compressed(&path)?;
    /// archive.add_slice("zeros", &[0.0_f64; 10_000])?;
    /// archive.finish()?;
    /// assert!(std::fs::metadata(&path)?.len() < 1000);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`create`](Self::create).
    pub fn create_compressed(path: impl AsRef<Path>) -> Result<Self> {
        let mut writer = Self::create(path)?;
        writer.is_compressed = true;
        Ok(writer)
    }

    /// Opens an archive to add members to it, whatever program wrote it. Nothing that stands in it is written again: the new members, and a
    /// directory of all, come after it.
    ///
    /// Until it is finished the new members cannot be seen, and after an error or without [`finish`](Self::finish) they are cut off again.
    /// A process that is killed meanwhile leaves what it wrote behind the archive, whose own bytes are never changed; then the archive cannot be
    /// opened until the next `append` cuts that off, as it does with everything behind the archive. The file is locked, so that a second `append`
    /// meanwhile is an error; programs that do not ask for the lock are noticed at the end.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("log.npz");
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
    /// # Errors
    ///
    /// When there is no such file, when it cannot be written to, when members are being added to it already, or it is no zip archive.
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (file, existing) = Existing::open(path).map_err(|error| error.with_path(path))?;
        let mut writer = Self::in_file(file);
        writer.position = existing.directory.end - existing.directory.prefix;
        writer.names = existing.directory.entries.iter().map(|entry| entry.name.clone()).collect();
        writer.existing = Some(existing);
        Ok(writer)
    }

    fn in_file(file: File) -> Self {
        Self { rewind: Some(rewind_file), sync: File::sync_all, ..Self::new(file) }
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive in a stream that can be gone back in: checksums and sizes stand before the data. The archive begins where the
    /// stream stands. A file that was opened for appending cannot be gone back in; see [`append`](Self::append).
    ///
    /// ```
    /// # use std::io::{Cursor, Write};
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut file = Cursor::new(Vec::new());
    /// file.write_all(b"What the archive is about\n")?;
    /// let mut archive = NpzWriter::new(file);
    /// archive.add_slice("x", &[1_u8, 2])?;
    /// let file = archive.finish()?;
    /// assert!(file.get_ref().starts_with(b"What the archive is about\nPK"));
    /// assert_eq!(NpzReader::new(file)?.by_name::<u8>("x")?, [1, 2]); // it is found by its end
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn new(writer: W) -> Self {
        Self { overwrite: Some(patch), rewind: Some(rewind), ..Self::streaming(writer) }
    }

    /// [`new`](Self::new) with compression, as `np.savez_compressed` does.
    pub fn new_compressed(writer: W) -> Self {
        Self { is_compressed: true, ..Self::new(writer) }
    }
}

impl<W: Write> NpzWriter<W> {
    /// Begins an archive in any stream: checksums and sizes stand behind the data, as `np.savez` puts them into a pipe.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// let mut archive = NpzWriter::streaming(Vec::new()); // a pipe, a socket, standard output
    /// archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// let pipe = archive.finish()?;
    /// assert!(pipe.starts_with(b"PK"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn streaming(writer: W) -> Self {
        Self {
            writer,
            overwrite: None,
            rewind: None,
            replacement: None,
            existing: None,
            sync: |_| Ok(()),
            reserve: |_, _| (),
            is_durable: false,
            is_compressed: false,
            level: LEVEL,
            is_aligned: false,
            threads: 1,
            workers: None,
            waiting: VecDeque::new(),
            members: Vec::new(),
            names: HashSet::new(),
            position: 0,
            stale: 0,
            failure: None,
        }
    }

    /// Whether [`finish`](Self::finish) brings a file of [`create`](NpzWriter::create) or [`append`](NpzWriter::append) to the disk, so that it survives
    /// a power cut from then on.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("run.npz");
    /// let mut archive = NpzWriter::create(&path)?;
    /// archive.set_durable(true);
    /// archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// archive.finish()?; // it takes some milliseconds more
    /// assert_eq!(NpzReader::open(&path)?.by_name::<f64>("x")?, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_durable(&mut self, durable: bool) {
        self.is_durable = durable;
    }

    /// Whether the members from here on are compressed.
    pub fn set_compressed(&mut self, compressed: bool) {
        self.is_compressed = compressed;
    }

    /// How hard the members from here on are compressed: from 0, which is not at all, to 9. More is taken for 9. NumPy takes 6, which is
    /// the default.
    ///
    /// It is how hard repetitions are searched for. Where there are none worth it, as between the digits of measurements, each byte gets its
    /// Huffman code and nothing is searched for, which takes a twentieth of the time; that is decided for each block of 1 MiB. The bytes are
    /// deflate data that every reader reads, but not those that NumPy's zlib writes.
    ///
    /// ```
    /// # use npy_core::{Result, npz::NpzWriter};
    /// let compress = |level| -> Result<usize> {
    ///     let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    ///     archive.set_level(level);
    ///     archive.add_slice("x", &[0.5_f64; 10_000])?;
    ///     Ok(archive.finish()?.into_inner().len())
    /// };
    /// assert!(compress(0)? > 80_000);
    /// assert!(compress(9)? < 2000);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_level(&mut self, level: u32) {
        self.level = level.min(9);
    }

    /// How many threads compress the members from here on. The bytes are the same for any number of them: content is compressed in blocks of
    /// 1 MiB, each for itself, and a member need not be compressed when the next one is added. So it may be written only then, or by
    /// [`finish`](Self::finish), and an error of writing it may come only then; four blocks for each thread are kept at most. Members that are
    /// stored gain nothing.
    ///
    /// The default is 1; 0 is taken for it. A thread is started when there is a block for it, and no more than four for each processor.
    ///
    /// ```
    /// # use npy_core::npz::NpzWriter;
    /// let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// archive.set_level(2);
    /// archive.set_threads(2);
    /// archive.add_slice("x", &vec![0.5_f64; 1 << 20])?;
    /// assert!(archive.finish()?.into_inner().len() < 100_000);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.max(1);
        if threads != self.threads {
            self.workers = None;
        }
        self.threads = threads;
    }

    /// Whether the members from here on begin at multiples of 64 bytes of the archive, so that the arrays of a stored member can be viewed in
    /// place ([`NpzReader::view`](super::NpzReader::view)). The archive stays one that NumPy and others read; it is no longer byte for
    /// byte what `np.savez` writes.
    ///
    /// ```
    /// # use npy_core::npz::{NpzReader, NpzWriter};
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.set_aligned(true);
    /// archive.add_slice("x", &[1.0_f64, 2.0])?;
    /// let file = archive.finish()?.into_inner();
    /// # let mut memory = vec![0; file.len() + 64];
    /// # let begin = memory.as_ptr().align_offset(64);
    /// # memory[begin..][..file.len()].copy_from_slice(&file);
    /// # let map = &memory[begin..][..file.len()];
    ///
    /// let mut archive = NpzReader::new(std::io::Cursor::new(map))?; // of a map of the file, say
    /// let x: &[f64] = archive.view("x")?;
    /// assert_eq!(x, [1.0, 2.0]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn set_aligned(&mut self, aligned: bool) {
        self.is_aligned = aligned;
    }

    /// Adds a member whose content `write` writes, which returns the header that comes before it if there was room to be left for one. It
    /// has at least `content` bytes, as far as that is known.
    ///
    /// If the content cannot be made, it is as if the member had not been begun, where the stream can be gone back in.
    fn add_member(
        &mut self,
        name: &str,
        front: Front<'_>,
        content: u64,
        write: impl FnOnce(&mut dyn Write) -> Result<Option<Header>>,
    ) -> Result<()> {
        let named = |error: Error| error.with_member(name.strip_suffix(".npy").unwrap_or(name));
        let refused = |problem| named(ErrorKind::Archive { problem }.into());
        self.expect_whole()?;
        if name.len() > usize::from(u16::MAX) || name.contains('\0') {
            return Err(refused(ArchiveProblem::InvalidName));
        }
        if matches!(front, Front::Head(_)) && self.overwrite.is_none() {
            return Err(refused(ArchiveProblem::UnknownLength));
        }
        if self.names.contains(name) {
            return Err(refused(ArchiveProblem::DuplicateName));
        }
        // Room for what is stored, now that nothing speaks against it.
        if !self.is_compressed {
            (self.reserve)(&self.writer, self.position.saturating_add(content));
        }
        let written = Cell::new(0);
        // Beside the rest of `self` while it is written.
        let mut workers = self.workers.take();
        let result = self.write_member(name, front, write, &written, &mut workers);
        self.workers = workers;
        let written = written.get();
        match result {
            Ok(()) => {
                self.names.insert(name.to_owned());
                Ok(())
            }
            // It was not begun.
            Err(Failure { error, is_lasting: false }) if written == 0 => Err(named(error)),
            Err(Failure { error, is_lasting }) => {
                let error = named(error);
                let rewound = match self.rewind {
                    Some(rewind) if !is_lasting => distance(written).and_then(|back| rewind(&mut self.writer, -back)),
                    _ => Err(io::ErrorKind::Unsupported.into()),
                };
                match rewound {
                    Ok(true) => {}
                    Ok(false) => self.stale = self.stale.max(self.position + written),
                    Err(_) => self.failure = Some(error.to_string()),
                }
                Err(error)
            }
        }
    }

    /// Refuses to go on after a failure.
    fn expect_whole(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(failure) => Err(cannot_write(io::Error::other(format!("an earlier write failed, and left it torn ({failure})")))),
        }
    }

    /// Writes the archive's directory, and gives the stream back.
    ///
    /// # Errors
    ///
    /// When writing fails, or an earlier write did.
    pub fn finish(mut self) -> Result<W> {
        self.expect_whole()?;
        self.write_waiting().map_err(cannot_write)?;
        if self.stale > self.position
            && let Some(rewind) = self.rewind
        {
            // What was given up comes to lie between the last member and the directory, because it cannot be cut off.
            distance(self.stale - self.position).and_then(|forward| rewind(&mut self.writer, forward)).map_err(cannot_write)?;
            self.position = self.stale;
        }
        let (mut directory, before, comment) = match &mut self.existing {
            Some(existing) => {
                existing.expect_length(self.position + existing.directory.prefix).map_err(cannot_write)?;
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
        let Self { writer, replacement, existing, sync, is_durable, .. } = &mut self;
        if let Some(replacement) = replacement.take() {
            replacement.commit(SaveOptions::new().durable(*is_durable), || sync(writer))?;
        } else if *is_durable && existing.is_some() {
            sync(writer).map_err(cannot_write)?;
        }
        if let Some(existing) = &mut self.existing {
            existing.keep();
        }
        Ok(self.writer)
    }
}

/// What is known of a content before it is written.
#[derive(Clone, Copy)]
enum Front<'a> {
    Nothing,
    /// It begins with a header as long as this one.
    Head(&'a Header),
    /// It is this.
    Known(&'a [u8]),
}

/// What went wrong, and whether it is the stream that has failed and not what was to be written.
struct Failure {
    error: Error,
    is_lasting: bool,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { error: cannot_write(error), is_lasting: true }
    }
}

fn rewind<W: Seek>(writer: &mut W, distance: i64) -> io::Result<bool> {
    writer.seek(SeekFrom::Current(distance)).map(|_| false)
}

fn rewind_file(file: &mut File, distance: i64) -> io::Result<bool> {
    let position = file.seek(SeekFrom::Current(distance))?;
    file.set_len(position).map(|()| true)
}

fn distance(bytes: u64) -> io::Result<i64> {
    i64::try_from(bytes).map_err(io::Error::other)
}

impl<W: Write> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NpzWriter")
            .field("members", &(self.members.len() + self.waiting.len()))
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

#[cold]
fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the archive", error)
}
