//! Opens archives for writing: new files, existing files and streams.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::read::NpzReader;
use super::super::read::file::ArchiveFile;
use super::append::Existing;
use super::{NpzWriter, State, WriteOptions};
use crate::error::Result;
use crate::sys::disk::reserve_on_disk;
use crate::sys::lock::{lock, lock_shared};
use crate::write::growth::patch;
use crate::write::output::Stream;
use crate::write::replace::Replacement;

impl NpzWriter<File> {
    /// Creates an archive file, as `np.savez` does.
    ///
    /// It replaces an existing file when it is finished. Until then the file is a temporary one in the
    /// same directory. An existing file is locked meanwhile, so that no writer adds members which the new
    /// archive replaces.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new())
    }

    /// [`create`](Self::create) with options: compression, level, alignment, durable, threads.
    pub fn create_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        // Others may replace it, too, and the last one wins.
        Self::replacing(path.as_ref(), options.into(), lock_shared)
    }

    /// Begins an archive that replaces an existing one, and opens that one to copy its members.
    ///
    /// Until the new archive is finished, no other writer adds to the old one or edits it, and nothing that
    /// one has committed is lost. See [`add_member_of`](Self::add_member_of).
    ///
    /// ```
    /// use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
    ///
    /// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
    /// # let mut archive = NpzWriter::create(&path)?;
    /// # archive.add_slice("a", &[1])?;
    /// # archive.add_slice("b", &[2])?;
    /// # archive.finish()?;
    /// let (mut archive, mut old) = NpzWriter::edit(&path, WriteOptions::new())?;
    /// for index in 0..old.len() {
    ///     let name = old.full_name(index).unwrap_or_default().to_owned();
    ///     if name != "a.npy" {
    ///         archive.add_member_of(&mut old, index, &name)?;
    ///     }
    /// }
    /// archive.finish()?;
    /// assert_eq!(NpzReader::open(&path)?.names().collect::<Vec<_>>(), ["b"]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the old archive cannot be opened, or has another writer.
    pub fn edit(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<(Self, NpzReader<ArchiveFile>)> {
        let path = path.as_ref();
        let writer = Self::replacing(path, options.into(), lock)?;
        // After the lock, so that it has what other writers have committed.
        let same = writer.replacement.as_ref().map_or(Ok(()), Replacement::expect_locked);
        match same.map_err(|error| error.with_path(path)).and_then(|()| NpzReader::open(path)) {
            Ok(reader) => Ok((writer, reader)),
            Err(error) => {
                writer.discard();
                Err(error)
            }
        }
    }

    fn replacing(path: &Path, options: WriteOptions, lock: fn(&File) -> Result<()>) -> Result<Self> {
        let (file, mut replacement) = Replacement::begin(path).map_err(|error| error.with_path(path))?;
        // A pipe or a device cannot seek.
        let mut writer = if replacement.is_file() { Self::in_file(file) } else { Self::streaming(file) };
        if replacement.is_file() {
            replacement.lock_target(lock).map_err(|error| error.with_path(path))?;
            writer.reserve = reserve_on_disk;
        }
        writer.replacement = Some(replacement);
        writer.path = Some(path.to_owned());
        writer.options = options;
        Ok(writer)
    }

    /// [`create`](Self::create) with compression, as `np.savez_compressed` does.
    pub fn create_compressed(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, WriteOptions::new().compressed(true))
    }

    /// Opens an existing archive, of any program, to add members to it.
    ///
    /// Nothing in it is written again: the new members, and a central directory of all, come after
    /// it.
    ///
    /// [`finish`](Self::finish) commits the new members, and so does dropping the writer. An error,
    /// a panic and [`discard`](Self::discard) truncate them. A killed process leaves what it wrote
    /// behind the archive, whose own bytes never change. Opening that file, and adding to it, fails
    /// with [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) until [`recover`](crate::npz::recover) has restored it.
    ///
    /// The file is locked, so that a second `append` meanwhile is an error. Changes by programs
    /// that ignore the lock are noticed at the end.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, if it cannot be written to, if it has another writer, or if
    /// the archive is not whole. That is everything that
    /// [`NpzReader::open`](crate::npz::NpzReader::open) refuses, a local header that differs from the
    /// central directory, a comment that holds a local header, and bytes after the end.
    pub fn append(path: impl AsRef<Path>) -> Result<Self> {
        Self::append_with(path, WriteOptions::new())
    }

    /// [`append`](Self::append) with options: compression, level, alignment, durable, threads.
    pub fn append_with(path: impl AsRef<Path>, options: impl Into<WriteOptions>) -> Result<Self> {
        let path = path.as_ref();
        let (file, existing) = Existing::open(path).map_err(|error| error.with_path(path))?;
        let mut writer = Self::in_file(file);
        writer.position = existing.directory.end - existing.directory.prefix;
        writer.names = existing.directory.entries.iter().map(|entry| entry.name.to_string()).collect();
        writer.existing = Some(existing);
        writer.path = Some(path.to_owned());
        writer.options = options.into();
        Ok(writer)
    }

    fn in_file(file: File) -> Self {
        let mut writer = Self::new(file);
        writer.rewind = Some(rewind_file);
        writer.sync = File::sync_all;
        writer
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive in a stream that can seek.
    ///
    /// Checksums and sizes precede the data. The archive begins at the current position, and is found by
    /// its end. A file opened for appending cannot seek; see [`append`](NpzWriter::append).
    pub fn new(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new())
    }

    /// [`new`](Self::new) with options: compression, level, alignment, threads.
    pub fn new_with(writer: W, options: impl Into<WriteOptions>) -> Self {
        let mut archive = Self::streaming(writer);
        archive.options = options.into();
        archive.overwrite = Some(patch);
        archive.rewind = Some(rewind);
        archive
    }

    /// [`new`](Self::new) with compression, as `np.savez_compressed` does.
    pub fn new_compressed(writer: W) -> Self {
        Self::new_with(writer, WriteOptions::new().compressed(true))
    }
}

impl<W: Write> NpzWriter<W> {
    /// Begins an archive in any stream: a pipe, a socket, standard output.
    ///
    /// Checksums and sizes follow the data, as in a pipe of `np.savez`.
    pub fn streaming(writer: W) -> Self {
        Self {
            writer: Stream::new(writer),
            overwrite: None,
            rewind: None,
            replacement: None,
            existing: None,
            sync: |_| Ok(()),
            reserve: |_, _| (),
            options: WriteOptions::new(),
            workers: None,
            waiting: VecDeque::new(),
            members: Vec::new(),
            names: HashSet::new(),
            position: 0,
            stale: 0,
            path: None,
            state: State::Good,
        }
    }
}

fn rewind<W: Seek>(writer: &mut W, distance: i64) -> io::Result<bool> {
    writer.seek(SeekFrom::Current(distance)).map(|_| false)
}

fn rewind_file(file: &mut File, distance: i64) -> io::Result<bool> {
    let position = file.seek(SeekFrom::Current(distance))?;
    file.set_len(position).map(|()| true)
}
