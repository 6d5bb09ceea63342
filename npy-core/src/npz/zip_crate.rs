//! Arrays in archives that the crate `zip` reads and writes.

use std::io::{self, Read, Seek, Write};

use zip::ZipReadOptions;
use zip::result::ZipError;
use zip::write::{FileOptionExtension, FileOptions};
use zip::{ZipArchive, ZipWriter};

use super::read::content::check_size;
use super::read::member::MOST_TRAILING;
use super::zip::problem::{cannot_read, no_index, no_member, trailing};
use crate::element::NpyElement;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::read::NpyReader;
use crate::write::{dtype_of, write};

/// The least size of a member with 64-bit sizes: 4 GiB, less the growth by a header and by
/// incompressible data.
const LARGE: u64 = 0xf000_0000;

/// Reads arrays from a [`zip::ZipArchive`] (feature `zip`).
///
/// Use it for archives that hold more than arrays or are encrypted. [`NpzReader`](super::NpzReader)
/// is faster, and refuses more damaged archives. `npy_ndarray` has a trait of the same name, which
/// reads every kind of array.
///
/// Every member is read to its end, which checks its checksum and, if it is encrypted with AES, its
/// authentication code. A full name takes precedence over one without `.npy`, as in NumPy.
///
/// ```
/// use std::io::{Cursor, Write};
///
/// use npy_core::npz::{ZipArchiveExt, ZipWriterExt};
/// use npy_core::zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};
///
/// let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
/// archive.start_file("readme.txt", SimpleFileOptions::default())?;
/// archive.write_all(b"Two seconds of station GRF")?;
/// archive.write_npy("trace", &[0.5_f32, 1.5], SimpleFileOptions::default())?;
///
/// let mut archive = ZipArchive::new(archive.finish()?)?;
/// assert_eq!(archive.read_npy::<f32>("trace")?, [0.5, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The feature exposes types of `zip` 9. A new major release of `zip` is therefore a breaking
/// change of this feature, and of nothing else.
pub trait ZipArchiveExt {
    /// Reads the one-dimensional array of a name.
    ///
    /// # Errors
    ///
    /// Fails if the archive has no such member, if `zip` cannot read it, if it is not an array, or
    /// like [`load`](crate::load).
    fn read_npy<T: NpyElement>(&mut self, name: &str) -> Result<Vec<T>> {
        self.read_npy_with(name, ReadOptions::new(), ZipReadOptions::new())
    }

    /// Reads the one-dimensional array at an index.
    fn read_npy_by_index<T: NpyElement>(&mut self, index: usize) -> Result<Vec<T>>;

    /// [`read_npy`](Self::read_npy) with [`Limits`] and with options of `zip`, such as a password.
    fn read_npy_with<T: NpyElement>(
        &mut self,
        name: &str,
        options: impl Into<ReadOptions>,
        member: ZipReadOptions<'_>,
    ) -> Result<Vec<T>>;
}

impl<R: Read + Seek> ZipArchiveExt for ZipArchive<R> {
    fn read_npy_by_index<T: NpyElement>(&mut self, index: usize) -> Result<Vec<T>> {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        read_zip_member(self, index, Limits::new(), ZipReadOptions::new(), |reader| reader.into_one_dimension())
    }

    fn read_npy_with<T: NpyElement>(
        &mut self,
        name: &str,
        options: impl Into<ReadOptions>,
        member: ZipReadOptions<'_>,
    ) -> Result<Vec<T>> {
        let index = find_zip_member(self, name)?;
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not of every lifetime")]
        read_zip_member(self, index, options.into().limits, member, |reader| reader.into_one_dimension())
    }
}

/// Writes arrays into a [`zip::ZipWriter`] (feature `zip`).
///
/// See [`ZipArchiveExt`] for an example.
pub trait ZipWriterExt {
    /// Writes a one-dimensional array of elements or records as a member.
    ///
    /// `.npy` is added to `name`.
    ///
    /// A member of about 4 GiB or more gets [`large_file`](FileOptions::large_file).
    ///
    /// # Errors
    ///
    /// Fails if `zip` refuses the member, if an element cannot be expressed in the dtype, or if
    /// writing fails. The member is removed then.
    fn write_npy<T: NpyElement, E: FileOptionExtension>(
        &mut self,
        name: &str,
        items: &[T],
        options: FileOptions<'_, '_, E>,
    ) -> Result<()>;
}

impl<W: Write + Seek> ZipWriterExt for ZipWriter<W> {
    fn write_npy<T: NpyElement, E: FileOptionExtension>(
        &mut self,
        name: &str,
        items: &[T],
        options: FileOptions<'_, '_, E>,
    ) -> Result<()> {
        let bytes = (items.len() as u64).saturating_mul(dtype_of(items.iter()).itemsize() as u64);
        write_zip_member(self, name, bytes, options, |member| write(member, items))
    }
}

/// Finds a member by name. A full name takes precedence over one without `.npy`.
///
/// Fails if the archive has no such member.
pub fn find_zip_member<R: Read + Seek>(archive: &ZipArchive<R>, name: &str) -> Result<usize> {
    archive.index_for_name(name).or_else(|| archive.index_for_name(&format!("{name}.npy"))).ok_or_else(|| {
        let names = archive.file_names().map(|name| name.map(|name| key(&name).to_owned()).unwrap_or_default());
        no_member(&[name.to_owned()], names)
    })
}

/// Reads a member to its end, and its array by `read`.
///
/// Fails if the archive has no such member, if `zip` cannot read it, or if `read` fails.
pub fn read_zip_member<R: Read + Seek, V>(
    archive: &mut ZipArchive<R>,
    index: usize,
    limits: Limits,
    options: ZipReadOptions<'_>,
    read: impl FnOnce(NpyReader<&mut dyn Read>) -> Result<V>,
) -> Result<V> {
    let members = archive.len();
    let Some(name) = archive.name_for_index(index) else {
        return Err(no_index(index, members));
    };
    let name = name.map(|name| key(&name).to_owned()).unwrap_or_default();
    let read = || {
        let file = archive.by_index_with_options(index, options).map_err(|error| zip_error("cannot read the archive", error))?;
        let size = file.size();
        check_size(size, limits.member_bytes)?;
        let mut file = file.take(u64::MAX);
        let value = read(NpyReader::new_with(&mut file as &mut dyn Read, limits)?)?;
        // The checksum is checked at the end.
        let left = size.saturating_sub(u64::MAX - file.limit());
        if left > MOST_TRAILING {
            return Err(trailing(left));
        }
        io::copy(&mut file, &mut io::sink()).map_err(cannot_read)?;
        Ok(value)
    };
    read().map_err(|error: Error| error.with_member(name))
}

/// Writes a member of at least `bytes` bytes by `write`.
///
/// Fails if `zip` refuses the member, or if `write` fails.
pub fn write_zip_member<W: Write + Seek, E: FileOptionExtension>(
    archive: &mut ZipWriter<W>,
    name: &str,
    bytes: u64,
    options: FileOptions<'_, '_, E>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let options = if bytes >= LARGE { options.large_file(true) } else { options };
    archive
        .start_file(format!("{name}.npy"), options)
        .map_err(|error| zip_error("cannot write the archive", error))
        .and_then(|()| {
            write(archive).inspect_err(|_| {
                // Without the check it would remove the previous member, if `zip` has abandoned this
                // one. The first error is the one to report.
                if archive.is_writing_file() {
                    let _ = archive.abort_file();
                }
            })
        })
        .map_err(|error| error.with_member(name))
}

fn key(name: &str) -> &str {
    name.strip_suffix(".npy").unwrap_or(name)
}

#[cold]
fn zip_error(action: &'static str, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => Error::io(action, error),
        error => Error::new(ErrorKind::External, action).with_source(error),
    }
}
