//! Detection of file formats by their first bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::trust::Checked;
use crate::error::{Error, Result};

/// A file format, recognized by the first bytes of a file.
///
/// Every format is recognized with any features. `npy_ndarray::load_any` loads a file of any of
/// them.
///
/// ```
/// use npy_core::FileFormat;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("upload.dat");
/// npy_core::save(&path, &[1.5_f64])?;
/// assert_eq!(FileFormat::detect(&path)?, Some(FileFormat::Npy));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// One array: `.npy`.
    Npy,
    /// A zip archive of arrays: `.npz`. Any zip archive begins like it, even one without arrays.
    Npz,
    /// One array of the RawArray format: `.ra`.
    RawArray,
}

impl FileFormat {
    /// The number of bytes that [`of`](Self::of) needs to recognize every format.
    pub const MAGIC_BYTES: usize = 8;

    /// Returns the format of a file that begins with `bytes`, as `np.load` does.
    ///
    /// It is `None` if it is unknown or `bytes` are too few.
    ///
    /// Archives behind other data (self-extracting ones) begin with those data and are not
    /// recognized, as in NumPy. `NpzReader` opens them.
    ///
    /// ```
    /// use npy_core::FileFormat;
    ///
    /// assert_eq!(FileFormat::of(b"\x93NUMPY\x01\x00"), Some(FileFormat::Npy));
    /// assert_eq!(FileFormat::of(b"PK\x03\x04\x2d\x00\x00\x00"), Some(FileFormat::Npz));
    /// assert_eq!(FileFormat::of(b"rawarray"), Some(FileFormat::RawArray));
    /// assert_eq!(FileFormat::of(b"\x89HDF\r\n\x1a\n"), None);
    /// ```
    pub fn of(bytes: &[u8]) -> Option<Self> {
        // The second signature of zip begins an archive without members.
        match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Self::Npy),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Npz),
            _ if bytes.starts_with(b"rawarray") => Some(Self::RawArray),
            _ => None,
        }
    }

    /// Returns the format of a file, or `None` if it is unknown or empty.
    ///
    /// This consumes the first bytes of a pipe.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened or read.
    ///
    /// ```
    /// use npy_core::FileFormat;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("notes.npy");
    /// std::fs::write(&path, "not an array")?;
    /// assert_eq!(FileFormat::detect(&path)?, None);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn detect(path: impl AsRef<Path>) -> Result<Option<Self>> {
        let path = path.as_ref();
        let detect = || {
            let mut file = File::open(path).map_err(|error| Error::io("cannot open the file", error))?;
            Ok(Self::of(&first_bytes(&mut file)?))
        };
        detect().map_err(|error: Error| error.with_path(path))
    }
}

/// Reads the first bytes of a stream: enough to detect its format, or all there are.
///
/// # Errors
///
/// Fails if reading fails.
pub fn first_bytes(reader: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(FileFormat::MAGIC_BYTES);
    let read: io::Result<usize> = Checked(reader).take(FileFormat::MAGIC_BYTES as u64).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("cannot read the file", error))?;
    Ok(bytes)
}
