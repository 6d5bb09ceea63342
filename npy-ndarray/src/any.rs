//! Files of any format this crate reads, recognized by their content.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use npy_core::error::ForeignFormat;
#[cfg(feature = "npz")]
use npy_core::npz::ArchiveFile;
#[cfg(feature = "rawarray")]
use npy_core::rawarray::RaArray;
use npy_core::{Error, ErrorKind, FileFormat, ReadOptions, Result};

use super::dynamic::DynArray;
#[cfg(feature = "npz")]
use super::npz::NpzReader;

/// The content of a file, as [`load_any`] finds it.
///
/// See [`load_any`] for an example.
#[derive(Debug)]
#[non_exhaustive]
pub enum Loaded {
    /// The array of an `.npy` file.
    Array(DynArray),
    /// An `.npz` archive, of which only the central directory was read (feature `npz`).
    #[cfg(feature = "npz")]
    Archive(NpzReader<ArchiveFile>),
    /// An `.ra` file with its metadata (feature `rawarray`).
    ///
    /// [`DynArray::from_values`] makes an array of its values.
    #[cfg(feature = "rawarray")]
    RawArray(RaArray),
}

/// Loads a file of any format: `.npy`, `.npz` or `.ra`.
///
/// The content decides, as in `np.load`, not the name.
///
/// Arrays are read at once. The members of an archive are read on demand. A pipe is read as a
/// stream if it holds one array.
///
/// # Errors
///
/// Fails if the file is empty or of another format ([`ErrorKind::WrongFormat`]), or if the feature
/// that reads it is off ([`ErrorKind::Unsupported`]). An archive in a pipe is an error.
/// Also fails like [`DynArray::load_npy`], `NpzReader::open` and `RaArray::load`.
///
#[cfg_attr(feature = "npz", doc = "```")]
#[cfg_attr(not(feature = "npz"), doc = "```ignore")]
/// use npy_ndarray::{Loaded, load_any};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// # let mut writer = npy_ndarray::NpzWriter::create(&path)?;
/// # writer.add_slice("x", &[1.5, 2.5])?;
/// # writer.finish()?;
/// match load_any(&path)? {
///     Loaded::Array(array) => println!("{array}"),
///     Loaded::Archive(mut archive) => {
///         for name in archive.names()? {
///             println!("{name}: {}", archive.dynamic(&name)?); // x: [1.5 2.5]
///         }
///     }
///     other => println!("{other:?}"),
/// }
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn load_any<P: AsRef<Path>>(path: P) -> Result<Loaded> {
    load_any_with(path, ReadOptions::new())
}

/// [`load_any`] with options: limits, threads, order, objects.
///
/// Those of an archive apply to each of its arrays. The order does not apply to an `.ra` file.
pub fn load_any_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Loaded> {
    let path = path.as_ref();
    load(path, options.into()).map_err(|error| error.with_path(path))
}

fn load(path: &Path, options: ReadOptions) -> Result<Loaded> {
    let cannot_open = |error| Error::io("cannot open the file", error);
    let mut file = File::open(path).map_err(cannot_open)?;
    let is_regular = file.metadata().map_err(cannot_open)?.is_file();
    let (format, start) = FileFormat::read(&mut file)?;
    // Regular files are opened again by path, which is the fastest way to read them.
    match format {
        Some(FileFormat::Npy) if is_regular => DynArray::load_npy_with(path, options).map(Loaded::Array),
        Some(FileFormat::Npy) => DynArray::read_npy_with(start.chain(file), options).map(Loaded::Array),
        Some(FileFormat::Npz) => archive(path, is_regular, options),
        Some(FileFormat::RawArray) => raw_array(path, (!is_regular).then(|| start.chain(file)), options),
        _ => {
            let mut found = start;
            // More of it tells the format.
            let rest = ForeignFormat::FRONT_BYTES - found.len();
            file.take(rest as u64).read_to_end(&mut found).map_err(|error| Error::io("cannot read the file", error))?;
            let found = npy_core::error::describe_start(&found);
            let message = format!("unknown file format: expected an .npy file, an .npz archive or an .ra file, found {found}");
            Err(Error::new(ErrorKind::WrongFormat, message))
        }
    }
}

#[cfg(feature = "npz")]
fn archive(path: &Path, is_regular: bool, options: ReadOptions) -> Result<Loaded> {
    if !is_regular {
        return Err(npy_core::npz::not_seekable());
    }
    NpzReader::open_with(path, options).map(Loaded::Archive)
}

#[cfg(not(feature = "npz"))]
fn archive(_: &Path, _: bool, _: ReadOptions) -> Result<Loaded> {
    Err(Error::new(ErrorKind::Unsupported, "cannot read an .npz archive: feature `npz` is disabled"))
}

#[cfg(feature = "rawarray")]
fn raw_array(path: &Path, pipe: Option<impl Read>, options: ReadOptions) -> Result<Loaded> {
    let array = match pipe {
        Some(pipe) => RaArray::read_with(pipe, options),
        None => RaArray::load_with(path, options),
    };
    array.map(Loaded::RawArray)
}

#[cfg(not(feature = "rawarray"))]
fn raw_array(_: &Path, _: Option<impl Read>, _: ReadOptions) -> Result<Loaded> {
    Err(Error::new(ErrorKind::Unsupported, "cannot read an .ra file: feature `rawarray` is disabled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truncated files of each format: the error says so, or names the missing feature.
    #[test]
    fn names_the_feature_that_is_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        for (start, expected, is_on) in
            [(&b"PK\x03\x04"[..], "npz", cfg!(feature = "npz")), (b"rawarray", "rawarray", cfg!(feature = "rawarray"))]
        {
            std::fs::write(&path, start).unwrap();
            let error = load_any(&path).unwrap_err();
            assert_eq!(error.path(), Some(path.as_path()));
            let names_it = error.to_string().ends_with(&format!("feature `{expected}` is disabled"));
            assert_eq!(names_it, !is_on, "{error}");
        }
    }
}
