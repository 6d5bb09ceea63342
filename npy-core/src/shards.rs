//! One long array in many files: `steps-00000.npy`, `steps-00001.npy`, ….

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::element::{self, NpyElement};
use crate::error::describe::counted;
use crate::error::{Error, ErrorKind, Result};
use crate::format::header::Header;
use crate::read::NpyReader;
use crate::sys::disk::Directory;
use crate::sys::lock::{lock, open_to_change};
use crate::write::NpyWriter;
use crate::write::append::expect_fixed_width;
use crate::write::replace::not_durable;

/// Writes rows into numbered files, one after another.
///
/// The current shard is a valid file, `steps-00002.npy.part`, and is renamed when it is full. If
/// the process is killed, the finished shards are whole, and [`open`](Self::open) continues after
/// the last row that was [flushed](Self::flush).
///
/// ```
/// use npy_core::shards::{ShardWriter, Shards};
///
/// # let directory = tempfile::tempdir()?;
/// # let prefix = directory.path().join("steps");
/// let mut steps = ShardWriter::<u32>::open(&prefix, 1000)?;
/// steps.write_slice(&Vec::from_iter(0..1500))?;
/// steps.flush()?; // the rows survive a power cut from here on
/// drop(steps);
///
/// let mut steps = ShardWriter::<u32>::open(&prefix, 1000)?;
/// assert_eq!(steps.rows(), 1500);
/// for step in 1500..2500 {
///     steps.push(&step)?;
/// }
/// steps.finish()?; // steps-00000.npy and steps-00001.npy of 1000 rows, steps-00002.npy of 500
///
/// let steps = Shards::open(&prefix)?;
/// assert_eq!(steps.rows(), 2500);
/// assert_eq!(steps.read::<u32>(998..1002)?, [998, 999, 1000, 1001]); // from two files
/// assert_eq!(steps.shards()[2].rows, 2000..2500);
/// assert!(steps.shard_of(1000).is_some_and(|shard| shard.path.ends_with("steps-00001.npy")));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[must_use = "without `finish` the last shard stays a part"]
pub struct ShardWriter<T: NpyElement> {
    prefix: PathBuf,
    most: u64,
    /// The number of the current shard.
    number: u64,
    /// Rows in the shards before it.
    before: u64,
    /// Rows in it.
    rows: u64,
    current: Option<NpyWriter<T, File>>,
    /// Locks the prefix against other writers.
    _lock: File,
    /// Whether writing has failed, so that the content of the files is unknown.
    failed: bool,
}

impl<T: NpyElement> ShardWriter<T> {
    /// Begins shards of `rows` rows each, or continues existing ones.
    ///
    /// `prefix` is the path without number and extension. 0 rows count as 1.
    ///
    /// # Errors
    ///
    /// Fails if another writer has this prefix. (An empty file `.steps.npy-lock` serves as the lock, and
    /// remains.) Existing shards must have the dtype and the dimensions of the elements, and none may be
    /// missing between others. The prefix must end in a name, not in `..`.
    pub fn open(prefix: impl AsRef<Path>, rows: u64) -> Result<Self> {
        let prefix = prefix.as_ref();
        expect_name(prefix)?;
        expect_fixed_width::<T>().map_err(|error| error.with_path(prefix))?;
        let guard = lock_prefix(prefix)?;
        let finished = Shards::open(prefix)?;
        if let Some(last) = finished.shards.last() {
            // Checks its dtype before anything is written.
            let check = || element::plan_to_write::<T>(NpyReader::open(&last.path)?.with_dimensions::<T>(1)?.header().dtype());
            check().map_err(|error: Error| error.with_path(&last.path))?;
        }
        let number = finished.shards.len() as u64;
        let part = path_of(prefix, number, PART);
        if let Some(other) = numbers_of(prefix, PART)?.into_iter().find(|other| *other != number) {
            let message = format!("unexpected unfinished shard: expected number {number}, found {other}");
            return Err(Error::new(ErrorKind::InvalidData, message).with_path(path_of(prefix, other, PART)));
        }
        let mut writer = Self {
            prefix: prefix.to_owned(),
            most: rows.max(1),
            number,
            before: finished.rows(),
            rows: 0,
            current: None,
            _lock: guard,
            failed: false,
        };
        if part.exists() {
            let rows = || {
                let reader = NpyReader::open(&part)?.with_dimensions::<T>(1)?;
                element::plan_to_write::<T>(reader.header().dtype())?;
                Ok(reader.header().element_count() as u64)
            };
            writer.rows = rows().map_err(|error: Error| error.with_path(&part))?;
            writer.current = Some(NpyWriter::append(&part)?);
            writer.finish_full()?;
        }
        Ok(writer)
    }

    /// Returns the number of rows in all shards.
    pub fn rows(&self) -> u64 {
        self.before + self.rows
    }

    /// Writes the next row.
    ///
    /// # Errors
    ///
    /// Fails if the row cannot be expressed in the dtype, or if writing fails. Every later call fails
    /// too then: [`open`](Self::open) the shards again, which hold what was written before.
    pub fn push(&mut self, row: &T) -> Result<()> {
        self.write_slice(std::slice::from_ref(row))
    }

    /// Writes the next rows.
    pub fn write_slice(&mut self, rows: &[T]) -> Result<()> {
        self.begin()?;
        self.write_rows(rows)?;
        self.failed = false;
        Ok(())
    }

    fn write_rows(&mut self, mut rows: &[T]) -> Result<()> {
        while !rows.is_empty() {
            let room = usize::try_from(self.most - self.rows).unwrap_or(usize::MAX);
            let (now, later) = rows.split_at(room.min(rows.len()));
            let current = match &mut self.current {
                Some(current) => current,
                none => none.insert(NpyWriter::create(path_of(&self.prefix, self.number, PART))?),
            };
            current.write_slice(now)?;
            self.rows += now.len() as u64;
            rows = later;
            self.finish_full()?;
        }
        Ok(())
    }

    /// Commits all rows to the disk: see [`NpyWriter::flush`].
    pub fn flush(&mut self) -> Result<()> {
        self.begin()?;
        self.current.as_mut().map_or(Ok(()), NpyWriter::flush)?;
        self.failed = false;
        Ok(())
    }

    /// Records that writing has begun, and refuses it after a failure.
    fn begin(&mut self) -> Result<()> {
        if self.failed {
            return Err(Error::failed_before("cannot write the shards", None));
        }
        self.failed = true;
        Ok(())
    }

    /// Finishes the last shard, with the rows that it has.
    pub fn finish(mut self) -> Result<()> {
        self.begin()?;
        if self.rows > 0 { self.finish_shard() } else { Ok(()) }
    }

    fn finish_full(&mut self) -> Result<()> {
        if self.rows >= self.most { self.finish_shard() } else { Ok(()) }
    }

    /// Renames the part when it is complete.
    fn finish_shard(&mut self) -> Result<()> {
        let Some(current) = self.current.take() else { return Ok(()) };
        let part = path_of(&self.prefix, self.number, PART);
        let path = path_of(&self.prefix, self.number, ENDING);
        current.finish().map_err(|error| error.with_path(&part))?;
        let rename = || {
            let directory = Directory::of(&path)?;
            fs::rename(&part, &path).map(|()| directory)
        };
        let directory = rename().map_err(|error| Error::io("cannot rename the temporary file", error).with_path(&path))?;
        directory.sync().map_err(|error| not_durable(error).with_path(&path))?;
        self.number += 1;
        self.before += self.rows;
        self.rows = 0;
        Ok(())
    }
}

impl<T: NpyElement> fmt::Debug for ShardWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardWriter").field("prefix", &self.prefix).field("rows", &self.rows()).finish_non_exhaustive()
    }
}

/// The finished shards of an array, as one sequence of rows.
///
/// See [`ShardWriter`] for an example.
#[derive(Clone, Debug)]
pub struct Shards {
    shards: Vec<Shard>,
}

/// One of several files that hold one array.
///
/// See [`ShardWriter`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shard {
    /// The path of the file.
    pub path: PathBuf,
    /// The rows of the array that it holds.
    pub rows: Range<u64>,
}

impl Shards {
    /// Finds the shards of a prefix and reads their headers.
    ///
    /// Without shards, the array is empty. The part that is being filled is not included.
    ///
    /// # Errors
    ///
    /// Fails if a shard between others is missing, or if its array has no dimensions. The prefix must end
    /// in a name, not in `..`.
    pub fn open(prefix: impl AsRef<Path>) -> Result<Self> {
        let prefix = prefix.as_ref();
        expect_name(prefix)?;
        let mut shards = Vec::new();
        let mut begin = 0_u64;
        for number in 0..count_of(prefix)? {
            let path = path_of(prefix, number, ENDING);
            let read = || {
                let file = File::open(&path).map_err(|error| Error::io("cannot open the file", error))?;
                Header::read(file)
            };
            let header = read().map_err(|error: Error| error.with_path(&path))?;
            let overflow = || Error::shape_overflow(header.shape(), header.dtype().itemsize());
            let rows = header.shape().first().map(|rows| *rows as u64);
            let rows = rows.ok_or_else(|| Error::wrong_dimensions(1, &[], None));
            let end = rows.and_then(|rows| begin.checked_add(rows).ok_or_else(overflow));
            let end = end.map_err(|error| error.with_path(&path))?;
            shards.push(Shard { path, rows: begin..end });
            begin = end;
        }
        Ok(Self { shards })
    }

    /// Returns the number of rows of the array.
    pub fn rows(&self) -> u64 {
        self.shards.last().map_or(0, |last| last.rows.end)
    }

    /// Returns the files in order.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// Returns the file that holds a row.
    pub fn shard_of(&self, row: u64) -> Option<&Shard> {
        let at = self.shards.partition_point(|shard| shard.rows.end <= row);
        self.shards.get(at)
    }

    /// Reads a range of rows, from one or more files.
    ///
    /// Fails if there are fewer rows, or if a file has another dtype than `T` or other dimensions.
    pub fn read<T: NpyElement>(&self, rows: Range<u64>) -> Result<Vec<T>> {
        if rows.end > self.rows() || rows.start > rows.end {
            return Err(Error::invalid_region(0, rows, self.rows()));
        }
        let mut items = Vec::new();
        let first = self.shards.partition_point(|shard| shard.rows.end <= rows.start);
        for shard in self.shards[first..].iter().take_while(|shard| shard.rows.start < rows.end) {
            let within =
                |row: u64| usize::try_from(row.clamp(shard.rows.start, shard.rows.end) - shard.rows.start).unwrap_or(usize::MAX);
            let read = || NpyReader::open(&shard.path)?.with_dimensions::<T>(1)?.read_at(within(rows.start)..within(rows.end));
            items.append(&mut read().map_err(|error| error.with_path(&shard.path))?);
        }
        Ok(items)
    }

    /// Returns an iterator over all rows, in bounded memory.
    ///
    /// After an error the iterator ends.
    pub fn records<T: NpyElement>(&self) -> impl Iterator<Item = Result<T>> {
        /// The number of rows that are read at a time.
        const ROWS: u64 = 4096;
        let mut failed = false;
        let ranges = (0..self.rows()).step_by(usize::try_from(ROWS).unwrap_or(1));
        let rows = ranges.map(|begin| self.read::<T>(begin..begin.saturating_add(ROWS).min(self.rows())));
        let rows = rows.take_while(move |rows| !std::mem::replace(&mut failed, rows.is_err()));
        rows.flat_map(|rows| match rows {
            Ok(rows) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }
}

const ENDING: &str = ".npy";
const PART: &str = ".npy.part";

/// The least number of digits in a file name.
const DIGITS: usize = 5;

fn path_of(prefix: &Path, number: u64, ending: &str) -> PathBuf {
    let mut name = prefix.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!("-{number:0DIGITS$}{ending}"));
    prefix.with_file_name(name)
}

/// Refuses a prefix such as `d/..`, to whose last part nothing can be added.
fn expect_name(prefix: &Path) -> Result<()> {
    match prefix.file_name() {
        Some(_) => Ok(()),
        None => Err(Error::io("cannot name the shards", io::ErrorKind::InvalidFilename.into()).with_path(prefix)),
    }
}

/// Locks the prefix against other writers until the file is closed.
fn lock_prefix(prefix: &Path) -> Result<File> {
    let mut name = OsString::from(".");
    name.push(prefix.file_name().unwrap_or_default());
    name.push(".npy-lock");
    let path = prefix.with_file_name(name);
    let open = open_to_change(OpenOptions::new().write(true).create(true).truncate(false), &path);
    let file = open.map_err(|error| Error::io("cannot create the file", error));
    file.and_then(|file| lock(&file).map(|()| file)).map_err(|error| error.with_path(path))
}

/// The number of shards: one more than the highest number, below which none may be missing.
fn count_of(prefix: &Path) -> Result<u64> {
    let numbers = numbers_of(prefix, ENDING)?;
    let end = numbers.iter().max().map_or(0, |last| last.saturating_add(1));
    if (numbers.len() as u64) < end {
        let missing = (0..end).find(|number| !path_of(prefix, *number, ENDING).exists()).unwrap_or(end);
        let message = format!("missing shard {missing}: expected {} without a gap", counted(end, "shard"));
        return Err(Error::new(ErrorKind::NotFound, message).with_path(path_of(prefix, missing, ENDING)));
    }
    Ok(end)
}

/// The numbers of the existing files.
fn numbers_of(prefix: &Path, ending: &str) -> Result<Vec<u64>> {
    let parent = prefix.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    let cannot_read = |error| Error::io("cannot read the directory", error).with_path(directory);
    let mut begin = prefix.file_name().map_or_else(OsString::new, OsString::from);
    begin.push("-");
    let number_of = |name: OsString| -> Option<u64> {
        let name = name.as_encoded_bytes().strip_prefix(begin.as_encoded_bytes())?;
        let digits = std::str::from_utf8(name).ok()?.strip_suffix(ending)?;
        let is_number = digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|number| is_number && format!("{number:0DIGITS$}") == digits)
    };
    let mut numbers = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot_read)? {
        numbers.extend(number_of(entry.map_err(cannot_read)?.file_name()));
    }
    Ok(numbers)
}
