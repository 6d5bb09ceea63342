//! Opens archives for writing: new files, existing files and streams.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::append::Existing;
use super::{NpzWriter, State, WriteOptions};
use crate::error::Result;
use crate::sys::disk::reserve_on_disk;
use crate::sys::lock::lock_shared;
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
        let path = path.as_ref();
        let (file, mut replacement) = Replacement::begin(path).map_err(|error| error.with_path(path))?;
        // A pipe or a device cannot seek.
        let mut writer = if replacement.is_file() { Self::in_file(file) } else { Self::streaming(file) };
        if replacement.is_file() {
            // Others may replace it, too, and the last one wins.
            replacement.lock_target(lock_shared).map_err(|error| error.with_path(path))?;
            writer.reserve = reserve_on_disk;
        }
        writer.replacement = Some(replacement);
        writer.path = Some(path.to_owned());
        writer.options = options.into();
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
