//! Opens many files relative to one directory.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::NpyReader;
use super::file::{HeadedFile, with_head};
use crate::element::NpyElement;
use crate::error::{Error, Result};
use crate::options::ReadOptions;
#[cfg(unix)]
use crate::sys::open_at::open_at;
#[cfg(unix)]
use crate::sys::open_at::open_folder;

/// A folder whose files are read, many of them: on Unix the system looks up the path of the folder once, and not for each of its files. That was
/// measured to save up to a tenth of the time that reading a small file takes: the more, the longer the path is.
///
/// Threads may share it. Names are taken as [`Path::join`] takes them: they may go into other folders (`"train/00001.npy"`), also out of this one
/// (`"../b.npy"`), and an absolute path stays what it is. **Names that others supply are to be checked before.** On Unix it stays the folder that
/// was opened, also when that is renamed.
///
/// Here two threads read the images of a folder, each in memory of its own, which it uses again:
///
/// ```
/// use npy_core::Folder;
///
/// # let temporary = tempfile::tempdir()?;
/// # let path = temporary.path();
/// # for i in 0..100_u32 {
/// #     npy_core::save(path.join(format!("{i:05}.npy")), &[i as f32; 28])?;
/// # }
/// let images = Folder::open(path)?;
/// let names: Vec<String> = (0..100).map(|i| format!("{i:05}.npy")).collect();
/// let sums: Vec<npy_core::Result<f32>> = std::thread::scope(|scope| {
///     let sum_of = |names: &[String]| {
///         let (mut image, mut sum) = (Vec::new(), 0.0);
///         for name in names {
///             images.load_into::<f32>(name, &mut image)?;
///             sum += image.iter().sum::<f32>();
///         }
///         Ok(sum)
///     };
///     let threads: Vec<_> = names.chunks(50).map(|half| scope.spawn(move || sum_of(half))).collect();
///     threads.into_iter().map(|thread| thread.join().unwrap()).collect()
/// });
/// assert_eq!(sums.into_iter().sum::<npy_core::Result<f32>>()?, 28.0 * 4950.0);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Which files there are tells [`std::fs::read_dir`] of its [`path`](Self::path), in no order:
///
/// ```
/// use std::ffi::OsString;
///
/// use npy_core::Folder;
///
/// # let temporary = tempfile::tempdir()?;
/// # let path = temporary.path();
/// # npy_core::save(path.join("b.npy"), &[2.5_f32])?;
/// # npy_core::save(path.join("a.npy"), &[1.5_f32])?;
/// # std::fs::write(path.join("notes.txt"), "")?;
/// let folder = Folder::open(path)?;
/// let entries = std::fs::read_dir(folder.path())?;
/// let mut names = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<OsString>, _>>()?;
/// names.retain(|name| name.as_encoded_bytes().ends_with(b".npy"));
/// names.sort();
///
/// let samples: Vec<Vec<f32>> = names.iter().map(|name| folder.load(name)).collect::<Result<_, _>>()?;
/// assert_eq!(samples, [[1.5], [2.5]]);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// Arrays of `ndarray` are read by `load_npy_from` of `npy_ndarray`.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    directory: File,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// When there is none of that path. Whether its files may be opened shows with the first of them.
    ///
    /// ```
    /// use npy_core::Folder;
    ///
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5])?;
    /// let folder = Folder::open(path)?;
    /// assert_eq!(folder.load::<f32>("samples.npy")?, [1.5, 2.5]);
    /// assert!(Folder::open(path.join("samples.npy")).is_err());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let cannot_open = |error| Error::io("cannot open the directory", error).with_path(path);
        #[cfg(unix)]
        return Ok(Self { directory: open_folder(path).map_err(cannot_open)?, path: path.to_owned() });
        #[cfg(not(unix))]
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Self { path: path.to_owned() }),
            Ok(_) => Err(cannot_open(io::ErrorKind::NotADirectory.into())),
            Err(error) => Err(cannot_open(error)),
        }
    }

    /// The path that it was opened by.
    ///
    /// ```
    /// # let temporary = tempfile::tempdir()?;
    /// let folder = npy_core::Folder::open(temporary.path())?;
    /// assert_eq!(folder.path(), temporary.path());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// [`load`](crate::load) of a file in it.
    ///
    /// # Errors
    ///
    /// Like [`load`](crate::load). The error names the whole path.
    ///
    /// ```
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5])?;
    /// let folder = npy_core::Folder::open(path)?;
    /// let samples: Vec<f32> = folder.load("samples.npy")?;
    /// assert_eq!(samples, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn load<T: NpyElement>(&self, name: impl AsRef<Path>) -> Result<Vec<T>> {
        self.load_with(name, ReadOptions::new())
    }

    /// [`load`](Self::load) with [`ReadOptions`], or with [`Limits`](crate::Limits) of one's own.
    ///
    /// # Errors
    ///
    /// Like [`load`](Self::load).
    ///
    /// ```
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5])?;
    /// let folder = npy_core::Folder::open(path)?;
    /// let small = npy_core::Limits::new().data_bytes(1000);
    /// assert_eq!(folder.load_with::<f32>("samples.npy", small)?, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[allow(clippy::redundant_closure_for_method_calls, reason = "the method alone has one lifetime, not every")]
    pub fn load_with<T: NpyElement>(&self, name: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<Vec<T>> {
        with_file_in(self, name.as_ref(), options.into(), |reader| reader.into_one_dimension())
    }

    /// [`load`](Self::load) in place of what is in a vector, whose memory is used again.
    ///
    /// # Errors
    ///
    /// Like [`load`](Self::load); the vector is empty then.
    ///
    /// ```
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("a.npy"), &[1.5_f32, 2.5])?;
    /// # npy_core::save(path.join("b.npy"), &[3.5_f32])?;
    /// let (folder, mut samples) = (npy_core::Folder::open(path)?, Vec::new());
    /// for name in ["a.npy", "b.npy"] {
    ///     folder.load_into::<f32>(name, &mut samples)?;
    /// }
    /// assert_eq!(samples, [3.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn load_into<T: NpyElement>(&self, name: impl AsRef<Path>, items: &mut Vec<T>) -> Result<()> {
        items.clear();
        with_file_in(self, name.as_ref(), ReadOptions::new(), |mut reader| {
            reader.expect_dimensions::<T>(1)?;
            reader.read_to_vec(items)
        })
    }

    /// [`NpyReader::open`] of a file in it, for headers, parts, and arrays of any shape.
    ///
    /// # Errors
    ///
    /// Like [`NpyReader::open`].
    ///
    /// ```
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5])?;
    /// let folder = npy_core::Folder::open(path)?;
    /// assert_eq!(folder.reader("samples.npy")?.header().shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn reader(&self, name: impl AsRef<Path>) -> Result<NpyReader<BufReader<File>>> {
        self.reader_with(name, ReadOptions::new())
    }

    /// [`reader`](Self::reader) with [`ReadOptions`], or with [`Limits`](crate::Limits) of one's own.
    ///
    /// # Errors
    ///
    /// Like [`reader`](Self::reader).
    ///
    /// ```
    /// use npy_core::ReadOptions;
    ///
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5])?;
    /// let folder = npy_core::Folder::open(path)?;
    /// let samples: Vec<f32> = folder.reader_with("samples.npy", ReadOptions::new().threads(2))?.into_vec()?;
    /// assert_eq!(samples, [1.5, 2.5]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn reader_with(&self, name: impl AsRef<Path>, options: impl Into<ReadOptions>) -> Result<NpyReader<BufReader<File>>> {
        let name = name.as_ref();
        let opened = NpyReader::of_file(self.open_file(name), options.into());
        opened.map(|reader| reader.with_path(&self.path.join(name))).map_err(|error| self.locate(error, name))
    }

    fn open_file(&self, name: &Path) -> io::Result<File> {
        #[cfg(unix)]
        return open_at(&self.directory, name);
        #[cfg(not(unix))]
        return File::open(self.path.join(name));
    }

    #[cold]
    fn locate(&self, error: Error, name: &Path) -> Error {
        error.with_path(self.path.join(name))
    }
}

/// [`with_file`](crate::read::file::with_file) of a file relative to an open directory. A function and not a method, so that it stays private.
#[doc(hidden)]
pub fn with_file_in<A>(
    folder: &Folder,
    name: &Path,
    options: ReadOptions,
    read: impl FnOnce(NpyReader<HeadedFile<'_>>) -> Result<A>,
) -> Result<A> {
    with_head(folder.open_file(name), options, read).map_err(|error| folder.locate(error, name))
}
