//! Options for reading and saving, and the order of elements.

#[cfg(feature = "object")]
pub(crate) mod object;

use std::fmt;

use crate::limits::Limits;
#[cfg(feature = "object")]
use object::ObjectOptions;

/// The order of the elements of an array in a file or in memory.
///
/// See [`SaveOptions::order`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// C order, row-major: the last axis varies fastest.
    #[default]
    C,
    /// Fortran order, column-major: the first axis varies fastest (`fortran_order: True`).
    Fortran,
}

impl Order {
    /// Returns whether C order and Fortran order are the same for a shape.
    ///
    /// They are if the shape has at most one axis longer than 1, or no elements. NumPy then stores C order.
    ///
    /// ```
    /// use npy_core::Order;
    ///
    /// assert!(Order::are_same(&[1, 5]));
    /// assert!(!Order::are_same(&[2, 5]));
    /// ```
    pub fn are_same(shape: &[usize]) -> bool {
        shape.contains(&0) || shape.iter().filter(|length| **length != 1).count() < 2
    }
}

/// `C` or `Fortran`.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::C => "C",
            Self::Fortran => "Fortran",
        })
    }
}

/// The version of the format.
///
/// ```
/// use npy_core::{Header, NpyElement, Order, Version};
///
/// let header = Header::new(f64::dtype(), Order::C, &[2])?;
/// assert_eq!(header.version(), Version::V1);
/// assert_eq!(header.to_bytes()[6], Version::V1.major());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 1.0: a header of at most 65,535 bytes in latin-1.
    V1,
    /// 2.0: a header of at most 4 GiB in latin-1. NumPy 1.9 and later.
    V2,
    /// 3.0: a header of at most 4 GiB in UTF-8. NumPy 1.17 and later.
    V3,
}

impl Version {
    /// The major number, byte 6 of the file; the minor number is 0.
    pub fn major(self) -> u8 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.0", self.major())
    }
}

/// Options for reading: limits, threads, order, Python objects.
///
/// Every function that reads and whose name ends in `_with` takes these options, or what converts
/// into them, such as [`Limits`] alone.
///
/// ```
/// use npy_core::{Limits, ReadOptions};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
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
    /// Returns the defaults: [`Limits::new`], one thread, the order of the file, no objects.
    pub const fn new() -> Self {
        Self {
            limits: Limits::new(),
            threads: 1,
            order: None,
            #[cfg(feature = "object")]
            objects: None,
        }
    }

    /// Sets the limits.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the maximum number of threads, the calling one included; 0 is 1.
    ///
    /// An array is read by several threads if it has 8 MiB or more, its file is opened by path, on
    /// Unix or Windows, and its elements are `Send`. For a struct with type parameters, the derive
    /// knows that only if they have the bound `Send`; numbers and text of fixed width need no proof.
    /// Members of an archive are decompressed by several threads as well. The result is the same,
    /// and so is the error: that of the first invalid element. Custom conversions,
    /// `#[npy(with = …)]`, are called on these threads.
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the order of the array in memory.
    ///
    /// An array in C order is transposed to Fortran order, and back. Numbers of a file opened by
    /// path are transposed while they are read; other arrays afterwards, in the memory of a second
    /// array. This applies to functions that return an array with its shape, such as
    /// `DynValues::load_with` and those of `npy-ndarray`. A plain vector has no order.
    pub const fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// Allows arrays of Python objects, as `allow_pickle=True` of `np.load` does.
    ///
    /// It applies to functions that return an array of any dtype, such as
    /// `npy_ndarray::DynArray::load_npy_with`, whose elements `into` converts.
    ///
    /// Unlike in Python, nothing is imported, called or run: see [`object`](crate::object). Without
    /// this option objects are refused; the functions of `object` read them with the default
    /// options. Functions that return a vector or an array of one type always refuse them.
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

/// Allows objects, with these options.
#[cfg(feature = "object")]
impl From<ObjectOptions> for ReadOptions {
    fn from(options: ObjectOptions) -> Self {
        Self::new().objects(options)
    }
}

/// Options for saving: order, durability, in place.
///
/// Atomic by default: a save either replaces the whole file or leaves the old one untouched. The
/// data go to a temporary file in the same directory, which is then renamed. A killed process
/// leaves that file, `.NAME.npy-tmp`, and the next save of the same file reuses it.
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
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
    /// Returns the defaults: the order of the array, atomic, not fsynced.
    pub const fn new() -> Self {
        Self { order: None, durable: false, in_place: false }
    }

    /// Sets the order of the file.
    ///
    /// An array in the opposite order is transposed while it is written. An array that is
    /// contiguous in both orders, such as one of a single axis, becomes a file in C order, as in
    /// NumPy. Archives and `.ra` files ignore the option. [`save_with`](crate::save_with) takes the
    /// memory of two more arrays to transpose a slice of arrays.
    ///
    /// ```
    /// use npy_core::{NpyReader, Order, SaveOptions};
    ///
    /// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
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

    /// Sets whether the file and its directory are fsynced.
    ///
    /// The file then survives a power cut from the end of the call on.
    ///
    /// That takes some milliseconds on many disks.
    ///
    /// If only the fsync of the directory fails, the error is
    /// [`ErrorKind::NotDurable`](crate::ErrorKind::NotDurable): the file is replaced. After every
    /// other error the old file is untouched.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Sets whether the file is overwritten instead of being replaced; a crash then tears it.
    ///
    /// Many times as fast for many small files of the same size: ext4 and other file systems flush
    /// a file that replaces another at once (0.1 to 2 ms each). **A crash, an error or a full disk
    /// leaves a torn file**, and a concurrent reader sees a mix of old and new. With
    /// [`durable`](Self::durable) the file is durable when saving ends, but a crash in between
    /// tears it all the same. Fails if another writer overwrites the file or appends to it.
    /// Symbolic links are kept.
    pub const fn in_place(mut self, in_place: bool) -> Self {
        self.in_place = in_place;
        self
    }
}
