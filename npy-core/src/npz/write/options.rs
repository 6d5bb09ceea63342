//! Options for writing archives.

use crate::options::SaveOptions;

/// Options for writing archives: compression, alignment, threads.
///
/// The default is what `np.savez` does; [`compressed`](Self::compressed) is `np.savez_compressed`.
///
/// ```
/// use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
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
    /// Returns the defaults, those of `np.savez`: stored members, one thread.
    pub const fn new() -> Self {
        Self { is_compressed: false, level: 6, is_aligned: false, is_durable: false, threads: 1 }
    }

    /// Sets whether members are compressed, as `np.savez_compressed` does.
    pub const fn compressed(mut self, compressed: bool) -> Self {
        self.is_compressed = compressed;
        self
    }

    /// Sets the compression level, from 0 (no compression) to 9.
    ///
    /// More counts as 9. The default is NumPy's 6.
    ///
    /// The level is the effort of the search for matches. Where it would gain nothing, as in the digits
    /// of measurements, bytes get Huffman codes alone, in a twentieth of the time; each block of 1 MiB
    /// decides for itself. The bytes are deflate data that every reader reads, but not NumPy's.
    pub const fn level(mut self, level: u32) -> Self {
        self.level = if level > 9 { 9 } else { level };
        self
    }

    /// Sets whether members begin at multiples of 64 bytes of the archive.
    ///
    /// [`NpzReader::view`](crate::npz::NpzReader::view) can then view stored arrays in place.
    ///
    /// NumPy and other programs read the archive, but it is not byte for byte that of `np.savez`.
    pub const fn aligned(mut self, aligned: bool) -> Self {
        self.is_aligned = aligned;
        self
    }

    /// Sets whether finishing the archive fsyncs it.
    ///
    /// The archive then survives a power cut. That takes some milliseconds.
    ///
    /// It applies to archives that were created or opened by path.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.is_durable = durable;
        self
    }

    /// Sets the number of threads that compress; 0 is 1.
    ///
    /// The bytes are the same for any number of threads: each block of 1 MiB is compressed
    /// independently. A member may be written, and an error of writing it reported, only when the
    /// next one is added or by [`finish`](crate::npz::NpzWriter::finish). At most four blocks are
    /// kept for each thread. A thread starts when there is a block for it; there are at most four
    /// for each processor. Stored members gain nothing.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = if threads == 0 { 1 } else { threads };
        self
    }

    /// How the finished archive replaces the old one.
    pub(super) fn of_file(self) -> SaveOptions {
        SaveOptions::new().durable(self.is_durable)
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self::new()
    }
}
