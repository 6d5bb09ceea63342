//! Plain values that callers pass: how a file is read and saved, and the order of its elements.

#[cfg(feature = "object")]
pub(crate) mod object;

use crate::limits::Limits;
#[cfg(feature = "object")]
use object::ObjectOptions;

/// The order in which the elements of an array stand in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis varies fastest.
    #[default]
    C,
    /// The first axis varies fastest (`fortran_order: True`).
    Fortran,
}

/// How a file is read: what it may ask for, by how many threads, in which order.
///
/// Every function whose name ends in `_with` takes these options, or what converts into them: [`Limits`] alone, say.
///
/// ```
/// use npy_core::{Limits, ReadOptions};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f32, 2.5])?;
/// let options = ReadOptions::new().limits(Limits::new().data_bytes(1 << 34)).threads(4);
/// assert_eq!(npy_core::load_with::<f32>(&path, options)?, [1.5, 2.5]);
/// assert!(npy_core::load_with::<f32>(&path, Limits::new().data_bytes(4)).is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct ReadOptions {
    /// See [`limits`](Self::limits()).
    pub limits: Limits,
    /// See [`threads`](Self::threads()).
    pub threads: usize,
    /// See [`order`](Self::order()); `None` is the order of the file.
    pub order: Option<Order>,
    /// See [`objects`](Self::objects()); `None` refuses them.
    #[cfg(feature = "object")]
    pub objects: Option<ObjectOptions>,
}

impl ReadOptions {
    /// The default [`Limits`], one thread, the order of the file, no objects.
    pub const fn new() -> Self {
        Self {
            limits: Limits::new(),
            threads: 1,
            order: None,
            #[cfg(feature = "object")]
            objects: None,
        }
    }

    /// Sets what the file may ask for.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many threads read at most, the calling one included; 0 counts as 1.
    ///
    /// An array is read by several threads if it has 8 MiB or more, if its file is opened by path, and if its elements are `Send`.
    /// (Of a struct with type parameters the derive can tell that only of parameters with the bound `Send`; numbers and texts of fixed
    /// width need no proof.) Other arrays are read by one thread, and on other systems than Unix all are. Members of an archive are
    /// decompressed by several threads as well. The result is the same, and so is the error, that of the first element that has one.
    /// Custom conversions, `#[npy(with = …)]`, are called on these threads.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Demands an order of the array in memory.
    ///
    /// An array of the other order is transposed: while it is read, if it is numbers in a file that is opened by path; otherwise
    /// afterwards, which takes the memory of a second array. Functions that return an array with its shape take part,
    /// such as [`DynValues::load_with`](crate::DynValues::load_with) and those of `npy-ndarray`. A plain vector has no order;
    /// [`NpyReader::into_vec_in`](crate::NpyReader::into_vec_in) takes one for its elements.
    ///
    /// ```
    /// use npy_core::{DynValues, Order, ReadOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("matrix.npy");
    /// npy_core::save(&path, &[[1_u8, 2, 3], [4, 5, 6]])?;
    /// let matrix = DynValues::load_with(&path, ReadOptions::new().order(Order::Fortran))?;
    /// assert_eq!((matrix.shape(), matrix.bytes()), (&[2, 3][..], &[1, 4, 2, 5, 3, 6][..]));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// Allows arrays of Python objects, where a function returns an array of any dtype, as `allow_pickle=True` of `np.load` does.
    ///
    /// Unlike there nothing is imported, called or run: see [`object`](crate::object). They are refused unless this is called; the
    /// functions of `object` read objects with the default options.
    ///
    /// ```
    /// use npy_core::object::{self, ObjectArray, ObjectOptions};
    /// use npy_core::{Limits, ReadOptions};
    ///
    /// let mut file = Vec::new();
    /// ObjectArray::from(vec!["a", "b"]).write(&mut file)?;
    /// let options = ReadOptions::new().limits(Limits::new().header_bytes(1000)).objects(ObjectOptions::new().depth(5));
    /// assert_eq!(object::read_with(&file[..], options)?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[cfg(feature = "object")]
    pub const fn objects(mut self, options: ObjectOptions) -> Self {
        self.objects = Some(options);
        self
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Limits> for ReadOptions {
    fn from(limits: Limits) -> Self {
        Self::new().limits(limits)
    }
}

/// Objects are allowed, with these options.
#[cfg(feature = "object")]
impl From<ObjectOptions> for ReadOptions {
    fn from(options: ObjectOptions) -> Self {
        Self::new().objects(options)
    }
}

/// How a file is saved.
///
/// Atomic by default: a save either replaces the whole file or leaves the old one untouched. The data go to a temporary file in the
/// same directory, which is then renamed. A process that is killed meanwhile leaves that file, `.NAME.npy-tmp`, which the next save of the
/// same file takes over.
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// npy_core::save_with(&path, &[1.5_f32, 2.5], SaveOptions::new().durable(true))?;
/// assert_eq!(npy_core::load::<f32>(&path)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct SaveOptions {
    /// See [`order`](Self::order()); `None` is the order that the array has.
    pub order: Option<Order>,
    /// See [`durable`](Self::durable()).
    pub durable: bool,
    /// See [`in_place`](Self::in_place()).
    pub in_place: bool,
}

impl SaveOptions {
    /// The order that the array has, atomic, and not fsynced.
    pub const fn new() -> Self {
        Self { order: None, durable: false, in_place: false }
    }

    /// Demands an order of the file.
    ///
    /// An array of the other order is transposed while it is written. An array that is contiguous in both orders, such as one
    /// of a single axis, becomes a file in C order, as NumPy has it. Archives and `.ra` files have no such choice and ignore it.
    ///
    /// ```
    /// use npy_core::{NpyReader, Order, SaveOptions};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("matrix.npy");
    /// npy_core::save_with(&path, &[[1_u8, 2, 3], [4, 5, 6]], SaveOptions::new().order(Order::Fortran))?;
    /// let reader = NpyReader::open(&path)?;
    /// assert_eq!((reader.header().order(), reader.header().shape()), (Order::Fortran, &[2, 3][..]));
    /// assert_eq!(reader.into_vec::<u8>()?, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// Sets whether the file is fsynced before it gets its name, and its directory afterwards, so that it survives a power cut.
    ///
    /// That takes some milliseconds on many disks.
    ///
    /// If only the last step fails, the error is [`ErrorKind::NotDurable`](crate::ErrorKind::NotDurable): the file is replaced. After every other error it is as it was.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Sets whether the file is overwritten instead of being replaced.
    ///
    /// Many times as fast for many small files of the same size, because ext4 and others write a file to the disk at once that replaces
    /// another (0.1 to 2 ms each). **A crash, an error or a full disk leaves a torn file**, and whoever reads it meanwhile sees the old
    /// and the new mixed; with [`durable`](Self::durable) it is on the disk when saving ends, but no less torn after a crash in between.
    /// Fails if another writer overwrites the file or appends to it. Links to the file stay links.
    ///
    /// ```
    /// use npy_core::SaveOptions;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("latest.npy");
    /// let options = SaveOptions::new().in_place(true);
    /// for step in 0..3 {
    ///     npy_core::save_with(&path, &[step; 28], options)?;
    /// }
    /// assert_eq!(npy_core::load::<i32>(&path)?, [2; 28]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn in_place(mut self, in_place: bool) -> Self {
        self.in_place = in_place;
        self
    }
}
