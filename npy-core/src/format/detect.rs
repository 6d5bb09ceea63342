//! Detection of file formats by their first bytes.

use std::fs::File;
use std::io::Read;
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
/// assert_eq!(FileFormat::of(b"\x93NUMPY\x01\x00"), Some(FileFormat::Npy));
/// assert_eq!(FileFormat::of(b"PK\x03\x04\x2d\x00\x00\x00"), Some(FileFormat::Npz));
/// assert_eq!(FileFormat::of(b"rawarray"), Some(FileFormat::RawArray));
/// assert_eq!(FileFormat::of(b"\x89HDF\r\n\x1a\n"), None);
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
    /// Archives that follow other data (self-extracting ones) begin with those data and are not
    /// recognized, as in NumPy. `NpzReader` opens them.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        // The second signature of zip begins an archive without members.
        match bytes {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Self::Npy),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Npz),
            _ if bytes.starts_with(b"rawarray") => Some(Self::RawArray),
            _ => None,
        }
    }

    /// Returns whether an `.npy` file that begins with `front` was transferred in text mode, which
    /// made each `\n` a `\r\n` or a `\r`.
    ///
    /// Such a file still opens, also in NumPy, because its header has spaces before its end. Its
    /// elements are shifted. `front` has the header and at least one byte more.
    pub fn is_text_transfer(front: &[u8]) -> bool {
        let Some([major, _, rest @ ..]) = front.strip_prefix(b"\x93NUMPY") else { return false };
        let (length, header) = match rest {
            // The length of the header had a newline in its second byte, which is now two bytes.
            [_, b'\r', b'\n', b'{', ..] => return true,
            [low, high, header @ ..] if *major == 1 => (u32::from(u16::from_le_bytes([*low, *high])), header),
            [a, b, c, d, header @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), header),
            _ => return false,
        };
        // NumPy ends every header with a newline.
        let last = usize::try_from(length).ok().and_then(|length| header.get(length.checked_sub(1)?));
        header.first() == Some(&b'{') && last == Some(&b'\r')
    }

    /// Returns the format of a file, or `None` if it is unknown or empty.
    ///
    /// This consumes the first bytes of a pipe.
    pub fn detect(path: impl AsRef<Path>) -> Result<Option<Self>> {
        let path = path.as_ref();
        let detect = || {
            let file = File::open(path).map_err(|error| Error::io("cannot open the file", error))?;
            Ok(Self::read(file)?.0)
        };
        detect().map_err(|error: Error| error.with_path(path))
    }

    /// Reads the first bytes of a stream: enough to detect its format, or all there are.
    ///
    /// Returns the format, or `None` if it is unknown, and these bytes.
    ///
    /// ```
    /// use npy_core::FileFormat;
    ///
    /// let mut stream = &b"rawarray\x01\0\0"[..];
    /// let (format, first) = FileFormat::read(&mut stream)?;
    /// assert_eq!((format, &first[..]), (Some(FileFormat::RawArray), &b"rawarray"[..]));
    /// assert_eq!(stream.len(), 3); // first.chain(stream) is the whole stream
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn read(reader: impl Read) -> Result<(Option<Self>, Vec<u8>)> {
        let mut bytes = Vec::with_capacity(Self::MAGIC_BYTES);
        let read = Checked(reader).take(Self::MAGIC_BYTES as u64).read_to_end(&mut bytes);
        read.map_err(|error| Error::io("cannot read the file", error))?;
        Ok((Self::of(&bytes), bytes))
    }
}
