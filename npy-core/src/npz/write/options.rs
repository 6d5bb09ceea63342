//! Options for writing archives.

use crate::options::SaveOptions;

/// Options for writing the members of an archive.
///
/// The default is what `np.savez` does; [`compressed`](Self::compressed) is `np.savez_compressed`.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("run.npz");
/// let mut archive = NpzWriter::create_with(&path, WriteOptions::new().compressed(true).threads(2))?;
/// archive.add_slice("x", &[0.0_f64; 10_000])?;
/// archive.set_options(archive.options().compressed(false)); // the members from here on are stored
/// archive.add_slice("y", &[1.0_f64])?;
/// archive.finish()?;
/// assert!(std::fs::metadata(&path)?.len() < 1000);
/// assert_eq!(NpzReader::open(&path)?.by_name::<f64>("y")?, [1.0]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct WriteOptions {
    pub(super) is_compressed: bool,
    pub(super) level: u32,
    pub(super) is_aligned: bool,
    pub(super) is_durable: bool,
    pub(super) threads: usize,
}

impl WriteOptions {
    /// Returns the defaults of `np.savez`: stored members, one thread.
    pub const fn new() -> Self {
        Self { is_compressed: false, level: 6, is_aligned: false, is_durable: false, threads: 1 }
    }

    /// Sets whether members are compressed, as `np.savez_compressed` does.
    pub const fn compressed(mut self, compressed: bool) -> Self {
        self.is_compressed = compressed;
        self
    }

    /// Sets the compression level, from 0 (none) to 9. Higher values count as 9. The default is
    /// NumPy's 6.
    ///
    /// The level is how hard repetitions are searched for. Where there are none worth it, as between the digits of measurements, each byte
    /// gets its Huffman code and nothing is searched for, which takes a twentieth of the time; that is decided for each block of
    /// 1 MiB. The bytes are deflate data that every reader reads, but not those that NumPy's zlib writes.
    ///
    /// ```
    /// use npy_core::npz::{NpzWriter, WriteOptions};
    ///
    /// let compress = |level| -> npy_core::Result<usize> {
    ///     let options = WriteOptions::new().compressed(true).level(level);
    ///     let mut archive = NpzWriter::new_with(std::io::Cursor::new(Vec::new()), options);
    ///     archive.add_slice("x", &[0.5_f64; 10_000])?;
    ///     Ok(archive.finish()?.into_inner().len())
    /// };
    /// assert!(compress(0)? > 80_000);
    /// assert!(compress(9)? < 2000);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn level(mut self, level: u32) -> Self {
        self.level = if level > 9 { 9 } else { level };
        self
    }

    /// Sets whether members are aligned to 64 bytes of the archive.
    /// [`NpzReader::view`](crate::npz::NpzReader::view) can then view a stored array in place.
    ///
    /// NumPy and others read the archive; it is no longer byte for byte what `np.savez` writes.
    ///
    /// ```
    /// use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
    ///
    /// let mut archive = NpzWriter::new_with(std::io::Cursor::new(Vec::new()), WriteOptions::new().aligned(true));
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
    pub const fn aligned(mut self, aligned: bool) -> Self {
        self.is_aligned = aligned;
        self
    }

    /// Sets whether finishing the archive fsyncs it, so that it survives a power cut. That takes
    /// some milliseconds.
    ///
    /// It concerns archives that were created or opened by path.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.is_durable = durable;
        self
    }

    /// Sets the number of threads that compress; 0 counts as 1.
    ///
    /// The bytes are the same for any number of them: content is compressed in blocks of 1 MiB, each on its own. A member may be
    /// written, and an error of writing it reported, only when the next one is added or by
    /// [`finish`](crate::npz::NpzWriter::finish); at most four blocks for each thread are kept. A thread is started when there is a block for
    /// it, and no more than four for each processor. Stored members gain nothing.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = if threads == 0 { 1 } else { threads };
        self
    }

    /// How the finished archive takes its place.
    pub(super) fn of_file(self) -> SaveOptions {
        SaveOptions::new().durable(self.is_durable)
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self::new()
    }
}
