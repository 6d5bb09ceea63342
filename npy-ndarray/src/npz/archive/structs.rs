//! The trait of structs for whole archives.

use std::io::{Read, Seek, Write};
use std::path::Path;

use npy_core::npz::WriteOptions;
use npy_core::{ReadOptions, Result, npz};

use super::read::{Pending, ReadPlan, members_of, read, run, run_on_threads};
use super::write::{MemberWriter, write};

/// A struct whose fields are the members of an `.npz` archive.
///
/// `Model::load_npz(path)?` reads it, `model.save_npz(path)?` writes it.
///
/// `#[derive(NpzArchive)]` implements it (feature `derive`). So do maps from names to arrays of one
/// dtype (`BTreeMap<String, ArrayD<f64>>`, `HashMap<String, Vec<Pick>>`), which hold all members.
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
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// let optimizer = Optimizer { rate: 0.01, steps: vec![1, 2, 3] };
/// let model = Model { weights: array![[1.0, 2.0]], bias: None, optimizer };
/// model.save_npz(&path)?; // members: weights, optimizer/rate, optimizer/steps
///
/// let model = Model::load_npz(&path)?;
/// assert_eq!(model.optimizer.steps, [1, 2, 3]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// Members without a field are skipped, and not even read. The checksum of each member that is read
/// is checked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an archive of several members",
    note = "structs with `#[derive(NpzArchive)]` of the feature `derive` are, and maps of arrays by name"
)]
pub trait NpzArchive: Sized + 'static {
    /// Loads an archive from a file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not an archive. Fails if the member of a field is
    /// missing, damaged, or of another dtype or number of dimensions. The error names all missing
    /// members.
    fn load_npz<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_npz_with(path, ReadOptions::new())
    }

    /// [`load_npz`](Self::load_npz) with options: limits, threads, order, objects.
    fn load_npz_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        let (path, options) = (path.as_ref(), options.into());
        npz::NpzReader::open_with(path, options.limits)
            .and_then(|archive| {
                read(archive, options, Self::plan_read, |archive, jobs| run_on_threads(archive, jobs, options.threads))
            })
            .map_err(|error| error.with_path(path))
    }

    /// Reads an archive from a stream that can seek.
    ///
    /// From a pipe, read all bytes first, or one member after another with [`npz::NpzStream`].
    fn read_npz<R: Read + Seek>(reader: R) -> Result<Self> {
        Self::read_npz_with(reader, ReadOptions::new())
    }

    /// [`read_npz`](Self::read_npz) with options: limits, order, objects. One thread reads a stream.
    fn read_npz_with<R: Read + Seek>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        read(npz::NpzReader::new_with(reader, options)?, options, Self::plan_read, run)
    }

    /// Returns the indices of the members that [`read_npz`](Self::read_npz) reads.
    ///
    /// For readers that fetch them before, such as those of object stores.
    ///
    /// # Errors
    ///
    /// Fails if the member of a field is missing. The error names all missing members.
    ///
    #[cfg_attr(feature = "derive", doc = "```")]
    #[cfg_attr(not(feature = "derive"), doc = "```ignore")]
    /// use npy_ndarray::{NpzArchive, npy_core::npz::{NpzReader, NpzWriter}};
    ///
    /// #[derive(NpzArchive)]
    /// struct Rate {
    ///     rate: f64,
    /// }
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_slice("steps", &[1_u8, 2])?;
    /// archive.add_scalar("rate", &0.01)?;
    /// let archive = NpzReader::new(archive.finish()?)?;
    /// assert_eq!(Rate::members_of(&archive)?, [1]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn members_of<R: Read + Seek>(archive: &npz::NpzReader<R>) -> Result<Vec<usize>> {
        members_of(archive, Self::plan_read)
    }

    /// Saves an archive without compression, byte for byte as `np.savez` does.
    ///
    /// The fields are its keywords. Atomic: a save either replaces the whole file or leaves the old
    /// one untouched.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, if an element cannot be expressed in its dtype, or if
    /// two fields have the same name.
    fn save_npz<P: AsRef<Path>>(&self, path: P) -> Result<()> {
        self.save_npz_with(path, WriteOptions::new())
    }

    /// [`save_npz`](Self::save_npz) with options: compression, level, alignment, durable, threads.
    fn save_npz_with<P: AsRef<Path>>(&self, path: P, options: impl Into<WriteOptions>) -> Result<()> {
        let path = path.as_ref();
        npz::NpzWriter::create_with(path, options)
            .and_then(|archive| write(archive, |members| self.write_members(members)))
            .map(drop)
            .map_err(|error| error.with_path(path))
    }

    /// Writes an archive to a stream that can seek.
    ///
    /// The archive begins at the current position.
    fn write_npz<W: Write + Seek>(&self, writer: W) -> Result<()> {
        self.write_npz_with(writer, WriteOptions::new())
    }

    /// [`write_npz`](Self::write_npz) with options: compression, level, alignment, threads.
    fn write_npz_with<W: Write + Seek>(&self, writer: W, options: impl Into<WriteOptions>) -> Result<()> {
        write(npz::NpzWriter::new_with(writer, options), |members| self.write_members(members)).map(drop)
    }

    /// Finds the members of the fields and plans to read them, for the derive.
    #[doc(hidden)]
    fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self>;

    /// Writes the members of the fields, for the derive.
    #[doc(hidden)]
    fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()>;
}
