//! A struct for a whole archive.

mod value;
mod read;
mod write;
mod field;
mod map;

use std::io::{Read, Seek, Write};
use std::path::Path;

use super::super::read::NpyReadOptions;
use npy_core::{Limits, ReadOptions, Result, npz};

pub use field::{IsArchive, IsScalar, IsValue, NpzField};
pub use read::{Pending, ReadPlan};
pub use value::NpzValue;
pub use write::MemberWriter;

/// A struct whose fields are the members of an `.npz` archive: `Model::load_npz(path)?`, `model.save_npz(path)?`.
///
/// `#[derive(NpzArchive)]` implements it (feature `derive`); so do maps from names to arrays of one dtype (`BTreeMap<String, ArrayD<f64>>`,
/// `HashMap<String, Vec<Pick>>`), which hold all members there are.
///
#[cfg_attr(feature = "derive", doc = "```")]
#[cfg_attr(not(feature = "derive"), doc = "```ignore")]
/// use ndarray::{Array1, Array2, array};
/// use npy_ndarray::NpzArchive;
///
/// #[derive(NpzArchive)]
/// struct Model {
///     weights: Array2<f32>,
///     bias: Option<Array1<f32>>,
///     optimizer: Optimizer,
/// }
///
/// #[derive(NpzArchive)]
/// struct Optimizer {
///     rate: f64,
///     steps: Vec<u32>,
/// }
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("model.npz");
/// let optimizer = Optimizer { rate: 0.01, steps: vec![1, 2, 3] };
/// let model = Model { weights: array![[1.0, 2.0]], bias: None, optimizer };
/// model.save_npz(&path)?; // np.load(path).files == ['weights', 'optimizer/rate', 'optimizer/steps']
///
/// let model = Model::load_npz(&path)?;
/// assert_eq!(model.optimizer.steps, [1, 2, 3]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// Members that no field asks for are passed over, and not even read. The checksum of each member that is read is checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no archive of several members",
    note = "structs with `#[derive(NpzArchive)]` are, and maps of arrays by name"
)]
pub trait NpzArchive: Sized + 'static {
    /// Reads a file.
    ///
    /// See [`NpzArchive`] for an example.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no archive, when a field's member is not there (the error names all that are not), is damaged, or has
    /// another dtype or another number of dimensions than the field.
    fn load_npz<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_npz_with(path, NpzReadOptions::new())
    }

    /// [`load_npz`](Self::load_npz) with options: threads, limits.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpzArchive, NpzReadOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let arrays = BTreeMap::from([("x".to_owned(), array![1.0, 2.0])]);
    /// arrays.save_npz(&path)?;
    /// let loaded = BTreeMap::<String, Array1<f64>>::load_npz_with(&path, NpzReadOptions::new().threads(2))?;
    /// assert_eq!(loaded, arrays);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`load_npz`](Self::load_npz).
    fn load_npz_with<P: AsRef<Path>>(path: P, options: NpzReadOptions) -> Result<Self> {
        let path = path.as_ref();
        npz::NpzReader::open_with(path, options.limits)
            .and_then(|archive| {
                read::read(archive, options.arrays, |archive, jobs| read::run_on_threads(archive, jobs, options.threads))
            })
            .map_err(|error| error.with_path(path))
    }

    /// Reads a stream that holds an archive, such as a `Cursor` over bytes. From a pipe, read all bytes first, or member by member with
    /// [`npz::NpzStream`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::NpzArchive;
    ///
    /// let arrays = BTreeMap::from([("x".to_owned(), array![1.0, 2.0])]);
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// arrays.write_npz(&mut file)?;
    /// assert_eq!(BTreeMap::<String, Array1<f64>>::read_npz(file)?, arrays);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`load_npz`](Self::load_npz).
    fn read_npz<R: Read + Seek>(reader: R) -> Result<Self> {
        Self::read_npz_with(reader, NpzReadOptions::new())
    }

    /// [`read_npz`](Self::read_npz) with options. A stream is read by one thread.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpzArchive, NpzReadOptions, npy_core::Limits};
    ///
    /// let arrays = BTreeMap::from([("x".to_owned(), array![1.0, 2.0])]);
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// arrays.write_npz(&mut file)?;
    /// let small = NpzReadOptions::new().limits(Limits::new().data_bytes(10));
    /// assert!(BTreeMap::<String, Array1<f64>>::read_npz_with(file, small).is_err());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`load_npz`](Self::load_npz).
    fn read_npz_with<R: Read + Seek>(reader: R, options: NpzReadOptions) -> Result<Self> {
        read::read(npz::NpzReader::with_limits(reader, options.limits)?, options.arrays, read::run)
    }

    /// Saves a file, without compression, byte for byte as `np.savez` does with the fields as its keywords. Afterwards either the whole new file
    /// stands under `path` or what stood there before.
    ///
    /// See [`NpzArchive`] for an example.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, when an element cannot be expressed in its dtype, or two fields have the same name.
    fn save_npz<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        self.save_npz_with(path, NpzWriteOptions::new())
    }

    /// [`save_npz`](Self::save_npz) with options: compression, its level, threads, alignment.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ndarray::Array2;
    /// use npy_ndarray::{NpzArchive, NpzWriteOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let arrays = BTreeMap::from([("zeros".to_owned(), Array2::<f64>::zeros((100, 100)))]);
    /// arrays.save_npz_with(&path, NpzWriteOptions::new().compressed(true).threads(2))?;
    /// assert!(std::fs::metadata(&path)?.len() < 1000);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`save_npz`](Self::save_npz).
    fn save_npz_with<P: AsRef<Path>>(&self, path: P, options: NpzWriteOptions) -> Result<()> {
        let path = path.as_ref();
        npz::NpzWriter::create(path)
            .and_then(|archive| write::write(self, archive, options))
            .map(drop)
            .map_err(|error| error.with_path(path))
    }

    /// Writes an archive to a stream that can be gone back in. The archive begins where the stream stands.
    ///
    /// See [`read_npz`](Self::read_npz) for an example.
    ///
    /// # Errors
    ///
    /// Like [`save_npz`](Self::save_npz).
    fn write_npz<W: Write + Seek>(&self, writer: W) -> Result<()> {
        self.write_npz_with(writer, NpzWriteOptions::new())
    }

    /// [`write_npz`](Self::write_npz) with options.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ndarray::Array2;
    /// use npy_ndarray::{NpzArchive, NpzWriteOptions};
    ///
    /// let arrays = BTreeMap::from([("zeros".to_owned(), Array2::<f64>::zeros((100, 100)))]);
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// arrays.write_npz_with(&mut file, NpzWriteOptions::new().compressed(true))?;
    /// assert!(file.into_inner().len() < 1000);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`save_npz`](Self::save_npz).
    fn write_npz_with<W: Write + Seek>(&self, writer: W, options: NpzWriteOptions) -> Result<()> {
        write::write(self, npz::NpzWriter::new(writer), options).map(drop)
    }

    /// Finds the members of the fields, and plans to read them. What the derive implements.
    #[doc(hidden)]
    fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self>;

    /// Writes the fields' members. What the derive implements.
    #[doc(hidden)]
    fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()>;
}

/// How an archive is read.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use ndarray::ArrayD;
/// use npy_ndarray::{NpzArchive, NpzReadOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("run.npz");
/// # BTreeMap::from([("x".to_owned(), ndarray::arr1(&[1.0]).into_dyn())]).save_npz(&path)?;
/// let arrays = BTreeMap::<String, ArrayD<f64>>::load_npz_with(&path, NpzReadOptions::new().threads(4))?;
/// assert_eq!(arrays["x"].shape(), [1]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct NpzReadOptions {
    threads: usize,
    limits: Limits,
    /// How members are read.
    arrays: NpyReadOptions,
}

impl NpzReadOptions {
    /// One thread, and the default [`Limits`].
    pub fn new() -> Self {
        Self { threads: 1, limits: Limits::new(), arrays: NpyReadOptions::new() }
    }

    /// Has so many threads read members at the same time, if there is enough to read. Where there are fewer members, several read one: see
    /// [`npz::NpzReader::set_threads`].
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets what the archive may ask for.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use npy_ndarray::{NpzArchive, NpzReadOptions, npy_core::Limits};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("upload.npz");
    /// # BTreeMap::from([("x".to_owned(), vec![0.0_f64; 1000])]).save_npz(&path)?;
    /// let options = NpzReadOptions::new().limits(Limits::new().members(10).data_bytes(1000));
    /// let error = BTreeMap::<String, Vec<f64>>::load_npz_with(&path, options).unwrap_err();
    /// assert_eq!(error.member(), Some("x")); // 8000 bytes
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.arrays = self.arrays.limits(limits);
        self
    }

    /// Whether a [`DynArray`](super::super::DynArray) may be one of Python objects; not so unless it is called. See
    /// [`NpyReadOptions::allow_objects`](super::super::NpyReadOptions::allow_objects).
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use npy_ndarray::{DynArray, NpzArchive, NpzReadOptions, npy_core::object::ObjectArray};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("names.npz");
    /// BTreeMap::from([("names".to_owned(), DynArray::from(ObjectArray::from(vec!["a", "b"])))]).save_npz(&path)?;
    /// let arrays = BTreeMap::<String, DynArray>::load_npz_with(&path, NpzReadOptions::new().allow_objects(true))?;
    /// assert_eq!(arrays["names"].to_string(), "['a' 'b']");
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    #[cfg(feature = "object")]
    pub fn allow_objects(mut self, allowed: bool) -> Self {
        self.arrays = self.arrays.allow_objects(allowed);
        self
    }
}

impl NpzReadOptions {
    /// How the file is read.
    pub(crate) fn of_file(self) -> ReadOptions {
        ReadOptions::new().limits(self.limits).threads(self.threads)
    }

    /// How members are read.
    pub(crate) fn arrays(self) -> NpyReadOptions {
        self.arrays
    }
}

/// These limits, and one thread.
impl From<Limits> for NpzReadOptions {
    fn from(limits: Limits) -> Self {
        Self::new().limits(limits)
    }
}

impl Default for NpzReadOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// How an archive is written.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use npy_ndarray::{NpzArchive, NpzWriteOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("run.npz");
/// let arrays = BTreeMap::from([("x".to_owned(), vec![0.0_f64; 1000])]);
/// arrays.save_npz_with(&path, NpzWriteOptions::new().compressed(true).threads(2))?; // np.savez_compressed
/// assert!(std::fs::metadata(&path).is_ok_and(|file| file.len() < 1000));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct NpzWriteOptions {
    compressed: bool,
    level: Option<u32>,
    aligned: bool,
    durable: bool,
    threads: usize,
}

impl NpzWriteOptions {
    /// As `np.savez` does: not compressed, one thread.
    pub fn new() -> Self {
        Self { compressed: false, level: None, aligned: false, durable: false, threads: 1 }
    }

    /// Whether members are compressed, as `np.savez_compressed` does.
    pub fn compressed(mut self, compressed: bool) -> Self {
        self.compressed = compressed;
        self
    }

    /// How hard members are compressed, from 0 to 9: see [`npz::NpzWriter::set_level`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use npy_ndarray::{NpzArchive, NpzWriteOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let arrays = BTreeMap::from([("x".to_owned(), vec![0.5_f64; 10_000])]);
    /// arrays.save_npz_with(&path, NpzWriteOptions::new().compressed(true).level(9))?;
    /// assert!(std::fs::metadata(&path)?.len() < 2000);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn level(mut self, level: u32) -> Self {
        self.level = Some(level);
        self
    }

    /// Whether members can be viewed in place: see [`npz::NpzWriter::set_aligned`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use npy_ndarray::{NpzArchive, NpzReader, NpzWriteOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("run.npz");
    /// let arrays = BTreeMap::from([("x".to_owned(), vec![1.0_f64, 2.0])]);
    /// arrays.save_npz_with(&path, NpzWriteOptions::new().aligned(true))?;
    /// # let file = std::fs::read(&path)?;
    /// # let mut memory = vec![0; file.len() + 64];
    /// # let begin = memory.as_ptr().align_offset(64);
    /// # memory[begin..][..file.len()].copy_from_slice(&file);
    /// # let map = &memory[begin..][..file.len()];
    /// let x: ndarray::ArrayView1<f64> = NpzReader::from_bytes(map)?.view("x")?; // a map of the file, say
    /// assert_eq!(x.sum(), 3.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn aligned(mut self, aligned: bool) -> Self {
        self.aligned = aligned;
        self
    }

    /// Whether the file is brought to the disk before it gets its name: see [`npz::NpzWriter::set_durable`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use npy_ndarray::{NpzArchive, NpzWriteOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("checkpoint.npz");
    /// let arrays = BTreeMap::from([("x".to_owned(), vec![1.0_f64, 2.0])]);
    /// arrays.save_npz_with(&path, NpzWriteOptions::new().durable(true))?; // it survives a power cut from here on
    /// assert_eq!(BTreeMap::load_npz(&path)?, arrays);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// How many threads compress: see [`npz::NpzWriter::set_threads`].
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

impl NpzWriteOptions {
    /// Has the members of an archive from here on, and its end, written so.
    pub(crate) fn apply<W: Write>(self, archive: &mut npz::NpzWriter<W>) {
        archive.set_compressed(self.compressed);
        if let Some(level) = self.level {
            archive.set_level(level);
        }
        archive.set_aligned(self.aligned);
        archive.set_threads(self.threads);
        archive.set_durable(self.durable);
    }
}

impl Default for NpzWriteOptions {
    fn default() -> Self {
        Self::new()
    }
}
