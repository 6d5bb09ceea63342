//! Files and streams into owned arrays.

use std::io::{Read, Seek};
use std::path::Path;

use super::ndarray::{ArrayBase, DataOwned, Dimension};
use npy_core::__private::{with_file, with_file_in};
#[cfg(feature = "object")]
use npy_core::object::ObjectOptions;
use npy_core::{AxisRange, ErrorKind, Folder, Limits, NpyElement, NpyReader, Order, ReadOptions, Result};

use super::order::layout;
use super::region::read_region;

/// Reads a file into an owned array: `Array2::<f64>::load_npy(path)?`.
///
/// Implemented for every owned array ([`Array`](ndarray::Array), [`ArcArray`](ndarray::ArcArray), [`CowArray`](ndarray::CowArray)) of
/// every dimension, fixed or dynamic. The array's memory has the order of the file.
///
/// ```
/// use ndarray::{ArrayD, array};
/// use npy_ndarray::{ReadNpyExt, WriteNpyExt};
///
/// let mut file = Vec::new();
/// array![[1_i32, 2], [3, 4]].write_npy(&mut file)?;
/// let any_dimension = ArrayD::<i32>::read_npy(&file[..])?;
/// assert_eq!(any_dimension.shape(), [2, 2]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ReadNpyExt: Sized {
    /// Reads the array that begins at the stream's position, and leaves the stream just after it.
    ///
    /// # Errors
    ///
    /// When reading fails, when no `.npy` file begins there, when the dtype is another than the elements', or when the array has another
    /// number of dimensions.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{ReadNpyExt, WriteNpyExt};
    ///
    /// let mut stream = Vec::new();
    /// array![[1.5, 2.5]].write_npy(&mut stream)?;
    /// assert_eq!(Array2::<f64>::read_npy(&stream[..])?, array![[1.5, 2.5]]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn read_npy<R: Read>(reader: R) -> Result<Self> {
        Self::read_npy_with(reader, NpyReadOptions::new())
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::Array1;
    /// use npy_ndarray::ReadNpyExt;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trace.npy");
    /// # npy_core::save(&path, &[1.5_f64, 2.5])?;
    /// let trace = Array1::<f64>::load_npy(&path)?;
    /// assert_eq!(trace.sum(), 4.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        Self::load_npy_with(path, NpyReadOptions::new())
    }

    /// [`read_npy`](Self::read_npy) with options.
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use npy_ndarray::{NpyReadOptions, ReadNpyExt, WriteNpyExt, npy_core::Limits};
    ///
    /// let mut upload = Vec::new();
    /// array![1.5, 2.5].write_npy(&mut upload)?;
    /// let small = NpyReadOptions::new().limits(Limits::new().data_bytes(10));
    /// assert!(Array1::<f64>::read_npy_with(&upload[..], small).is_err());
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn read_npy_with<R: Read>(reader: R, options: NpyReadOptions) -> Result<Self>;

    /// [`load_npy`](Self::load_npy) with options.
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{NpyReadOptions, Order, ReadNpyExt, WriteNpyExt};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("matrix.npy");
    /// array![[1, 2], [3, 4]].save_npy(&path)?;
    /// let matrix = Array2::<i32>::load_npy_with(&path, NpyReadOptions::new().order(Order::Fortran).threads(2))?;
    /// assert_eq!((matrix[[1, 0]], matrix.strides()), (3, &[1, 2][..]));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_with<P: AsRef<Path>>(path: P, options: NpyReadOptions) -> Result<Self>;

    /// Reads a file of a directory that is open, which is faster than [`load_npy`](Self::load_npy) for many small files; see [`Folder`]. Several
    /// threads may do so at once.
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::{Array1, Array2};
    /// use npy_ndarray::{Folder, ReadNpyExt, WriteNpyExt};
    ///
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # for i in 0..100 {
    /// #     Array2::<u8>::from_elem((28, 28), i).save_npy(path.join(format!("{i:05}.npy")))?;
    /// # }
    /// let folder = Folder::open(path)?;
    /// let mut brightness = Array1::<f64>::zeros(100);
    /// for (i, slot) in brightness.iter_mut().enumerate() {
    ///     let image = Array2::<u8>::load_npy_from(&folder, format!("{i:05}.npy"))?;
    ///     *slot = image.mapv(f64::from).mean().unwrap_or_default();
    /// }
    /// assert_eq!(brightness[99], 99.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_from<P: AsRef<Path>>(folder: &Folder, name: P) -> Result<Self> {
        Self::load_npy_from_with(folder, name, NpyReadOptions::new())
    }

    /// [`load_npy_from`](Self::load_npy_from) with options.
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy).
    ///
    /// ```
    /// use ndarray::Array1;
    /// use npy_ndarray::{Folder, NpyReadOptions, ReadNpyExt, npy_core::Limits};
    ///
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("trace.npy"), &[1.5_f64, 2.5])?;
    /// let folder = Folder::open(path)?;
    /// let small = NpyReadOptions::new().limits(Limits::new().data_bytes(1000));
    /// assert_eq!(Array1::<f64>::load_npy_from_with(&folder, "trace.npy", small)?.sum(), 4.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_from_with<P: AsRef<Path>>(folder: &Folder, name: P, options: NpyReadOptions) -> Result<Self>;

    /// Reads a region of a file: of each axis a range, perhaps with a step. The rest of the file is not read.
    ///
    /// The array has as many axes as the file, and the order of the file. For several regions of one file, and for streams, see
    /// [`read_region`](super::read_region).
    ///
    /// # Errors
    ///
    /// Like [`read_npy`](Self::read_npy), and when the region has more or fewer axes than the array, goes beyond one of them, or has a
    /// step of 0.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{AxisRange, ReadNpyExt, WriteNpyExt};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("matrix.npy");
    /// array![[1, 2, 3], [4, 5, 6], [7, 8, 9]].save_npy(&path)?;
    /// // In Python: np.load(path, mmap_mode="r")[1:, ::2]
    /// let part = Array2::<i32>::load_npy_region(&path, &[(1..).into(), AxisRange::from(..).step_by(2)])?;
    /// assert_eq!(part, array![[4, 6], [7, 9]]);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self>;
}

/// How an array is read.
///
/// ```
/// use ndarray::{Array2, ShapeBuilder};
/// use npy_ndarray::{NpyReadOptions, Order, ReadNpyExt, WriteNpyExt};
///
/// let fortran = Array2::from_shape_fn((2, 3).f(), |(i, j)| i * 3 + j).mapv(|x| x as u8);
/// let mut file = Vec::new();
/// fortran.write_npy(&mut file)?;
///
/// let as_it_is = Array2::<u8>::read_npy(&file[..])?;
/// assert_eq!(as_it_is.strides(), [1, 2]);
/// let standard = Array2::<u8>::read_npy_with(&file[..], NpyReadOptions::new().order(Order::C))?;
/// assert_eq!(standard.strides(), [3, 1]);
/// assert_eq!(as_it_is, standard);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct NpyReadOptions {
    pub(crate) order: Option<Order>,
    pub(crate) limits: Limits,
    pub(crate) threads: usize,
    #[cfg(feature = "object")]
    pub(crate) objects: Option<ObjectOptions>,
}

impl NpyReadOptions {
    /// The order of the file, and the default [`Limits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Demands an order of the array's memory. If the file has the other, the array is transposed: while it is read, for a file of
    /// numbers that is opened by its path; otherwise in blocks afterwards, which takes a second array's memory while it lasts.
    pub fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// Sets what the file may ask for.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many threads read a large file at most, the calling one included; see [`ReadOptions::threads`].
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use npy_ndarray::{NpyReadOptions, ReadNpyExt, WriteNpyExt};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("matrix.npy");
    /// array![[1.0, 2.0], [3.0, 4.0]].save_npy(&path)?;
    /// let matrix = Array2::<f64>::load_npy_with(&path, NpyReadOptions::new().threads(2))?;
    /// assert_eq!(matrix[[1, 0]], 3.0);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// What of them concerns the file.
    pub(crate) fn of_file(self) -> ReadOptions {
        ReadOptions::new().limits(self.limits).threads(self.threads)
    }

    /// Whether a [`DynArray`](super::DynArray) may be one of Python objects, as `allow_pickle=True` of `np.load` asks for. Not so unless
    /// it is called. Unlike there nothing is imported, called or run: see [`npy_core::object`].
    ///
    /// ```
    /// use npy_ndarray::{DynArray, NpyReadOptions, ReadNpyExt, npy_core::object::ObjectArray};
    ///
    /// let mut file = Vec::new();
    /// ObjectArray::from(vec!["a", "bc"]).write(&mut file)?;
    /// assert!(DynArray::read_npy(&file[..]).is_err());
    /// let array = DynArray::read_npy_with(&file[..], NpyReadOptions::new().allow_objects(true))?;
    /// assert_eq!(array.to_string(), "['a' 'bc']");
    /// assert_eq!(array.into::<ndarray::Array1<String>>()?[1], "bc");
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    #[cfg(feature = "object")]
    pub fn allow_objects(mut self, allowed: bool) -> Self {
        self.objects = allowed.then(ObjectOptions::new);
        self
    }

    /// [`allow_objects`](Self::allow_objects), with what is allowed of them. The limits to the header are those of [`limits`](Self::limits).
    #[cfg(feature = "object")]
    pub fn objects(mut self, options: ObjectOptions) -> Self {
        self.objects = Some(options);
        self
    }
}

/// For every owned array whose elements have a dtype ([`NpyElement`]).
// The bound is on the array and not on its elements: the compiler shows the message of a bound that a method needs only if it is on the
// type that the method is called on.
impl<S, D> ReadNpyExt for ArrayBase<S, D>
where
    S: DataOwned,
    Self: OwnedArrayOf<S::Elem>,
{
    fn read_npy_with<R: Read>(reader: R, options: NpyReadOptions) -> Result<Self> {
        Self::from_reader(NpyReader::with_limits(reader, options.limits)?, options.order)
    }

    fn load_npy_with<P: AsRef<Path>>(path: P, options: NpyReadOptions) -> Result<Self> {
        with_file(path.as_ref(), options.of_file(), |reader| Self::from_reader(reader, options.order))
    }

    fn load_npy_from_with<P: AsRef<Path>>(folder: &Folder, name: P, options: NpyReadOptions) -> Result<Self> {
        with_file_in(folder, name.as_ref(), options.of_file(), |reader| Self::from_reader(reader, options.order))
    }

    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self> {
        let path = path.as_ref();
        Self::from_region(&mut NpyReader::open(path)?, region).map_err(|error| error.with_path(path))
    }
}

/// An owned array of elements that have a dtype.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{A}` is not an element of a NumPy array",
    label = "`{A}` does not implement `npy_core::NpyElement`",
    note = "for a custom struct, use `#[derive(NpyRecord)]`",
    note = "use `u64` for `usize`, `i64` for `isize`, `u32` for `char`, `[T; N]` or one more axis for `Vec<T>`, `String` for `&str`"
)]
pub trait OwnedArrayOf<A>: Sized {
    fn from_reader<R: Read>(reader: NpyReader<R>, order: Option<Order>) -> Result<Self>;

    fn from_region<R: Read + Seek>(reader: &mut NpyReader<R>, region: &[AxisRange]) -> Result<Self>;
}

impl<A, S, D> OwnedArrayOf<A> for ArrayBase<S, D>
where
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    fn from_reader<R: Read>(reader: NpyReader<R>, order: Option<Order>) -> Result<Self> {
        into_array(reader, order)
    }

    fn from_region<R: Read + Seek>(reader: &mut NpyReader<R>, region: &[AxisRange]) -> Result<Self> {
        read_region(reader, region)
    }
}

pub(crate) fn into_array<R, A, S, D>(reader: NpyReader<R>, order: Option<Order>) -> Result<ArrayBase<S, D>>
where
    R: Read,
    A: NpyElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let order = order.unwrap_or(reader.header().order());
    // Before the data are read: they may be many.
    let layout = layout::<D>(reader.header(), order)?;
    let shape = layout.raw_dim().clone();
    let items = reader.into_vec_in(order)?;
    let overflow = || ErrorKind::ShapeOverflow { shape: shape.slice().to_vec(), itemsize: size_of::<A>() };
    // `ndarray` refuses what the header has refused already, but for a Rust type that is larger than the file's.
    ArrayBase::from_shape_vec(layout, items).map_err(|_| overflow().into())
}

/// Reads a file into an owned array, whose type the context tells.
///
/// # Errors
///
/// Like [`ReadNpyExt::load_npy`].
///
/// ```
/// # use ndarray::{Array1, array};
/// # use npy_ndarray::{read_npy, write_npy};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("samples.npy");
/// write_npy(&path, &array![1.0_f32, 2.0])?;
/// let samples: Array1<f32> = read_npy(&path)?;
/// assert_eq!(samples.len(), 2);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub fn read_npy<P, T>(path: P) -> Result<T>
where
    P: AsRef<Path>,
    T: ReadNpyExt,
{
    T::load_npy(path)
}
