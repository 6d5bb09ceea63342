//! Files, streams and values into arrays of whatever dtype they have.

use std::io::Read;
use std::path::Path;

use ndarray::{ArrayD, IxDyn};
use npy_core::__private::{with_file, with_file_in};
use npy_core::{AxisRange, DType, DynValues, ErrorKind, Folder, NpyElement, NpyReader, Order, Result, Scalar, ScalarKind};

use super::{DynArray, TypedArray};
use crate::order::layout_of;
use crate::read::{NpyReadOptions, ReadNpyExt, into_array};

impl DynArray {
    /// Reads a file, whatever its dtype.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no `.npy` file or a damaged one.
    pub fn load_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy(path)
    }

    /// Reads the array that begins at the stream's position, and leaves the stream just after it.
    ///
    /// # Errors
    ///
    /// Like [`load_npy`](Self::load_npy).
    ///
    /// ```
    /// use ndarray::array;
    /// use npy_ndarray::{DynArray, WriteNpyExt};
    ///
    /// let mut file = Vec::new();
    /// array![true, false].write_npy(&mut file)?;
    /// assert!(matches!(DynArray::read_npy(&file[..])?, DynArray::Bool(_)));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn read_npy<R: Read>(reader: R) -> Result<Self> {
        <Self as ReadNpyExt>::read_npy(reader)
    }

    /// [`load_npy`](Self::load_npy) with options: the order, limits, and with the feature `object` whether Python objects are read.
    ///
    /// # Errors
    ///
    /// Like [`load_npy`](Self::load_npy).
    pub fn load_npy_with<P: AsRef<Path>>(path: P, options: NpyReadOptions) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy_with(path, options)
    }

    /// [`read_npy`](Self::read_npy) with options.
    ///
    /// # Errors
    ///
    /// Like [`load_npy`](Self::load_npy).
    pub fn read_npy_with<R: Read>(reader: R, options: NpyReadOptions) -> Result<Self> {
        <Self as ReadNpyExt>::read_npy_with(reader, options)
    }

    /// Reads a file of a folder that is open, which is faster than [`load_npy`](Self::load_npy) for many small files; see [`Folder`].
    ///
    /// # Errors
    ///
    /// Like [`load_npy`](Self::load_npy).
    ///
    /// ```
    /// use npy_ndarray::{DynArray, Folder};
    ///
    /// # let temporary = tempfile::tempdir()?;
    /// # let path = temporary.path();
    /// # npy_core::save(path.join("00001.npy"), &[1.5_f64])?;
    /// let folder = Folder::open(path)?;
    /// assert!(matches!(DynArray::load_npy_from(&folder, "00001.npy")?, DynArray::Float64(_)));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn load_npy_from<P: AsRef<Path>>(folder: &Folder, name: P) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy_from(folder, name)
    }

    /// [`load_npy_from`](Self::load_npy_from) with options.
    ///
    /// # Errors
    ///
    /// Like [`load_npy`](Self::load_npy).
    pub fn load_npy_from_with<P: AsRef<Path>>(folder: &Folder, name: P, options: NpyReadOptions) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy_from_with(folder, name, options)
    }

    /// The array of these values. Numbers are copied.
    ///
    /// # Errors
    ///
    /// When there is no memory for them.
    ///
    /// ```
    /// use npy_ndarray::{DynArray, npy_core::DynValues};
    ///
    /// let array = DynArray::from_values(DynValues::from_slice(&[1.5_f64])?)?;
    /// assert!(matches!(array, DynArray::Float64(_)));
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn from_values(values: DynValues) -> Result<Self> {
        match values.dtype() {
            DType::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Bytes { .. } | ScalarKind::Unicode { .. } | ScalarKind::Void { .. } => Ok(of_scalars(*scalar, values)),
                _ => from_reader(values.reader(), NpyReadOptions::new()),
            },
            DType::Record(_) => Ok(Self::Record(values)),
            DType::SubArray(_) => Ok(Self::Raw(values)),
        }
    }
}

/// Any array: numbers are read into arrays of their Rust type.
impl ReadNpyExt for DynArray {
    fn read_npy_with<R: Read>(reader: R, options: NpyReadOptions) -> Result<Self> {
        from_reader(NpyReader::with_limits(reader, options.limits)?, options)
    }

    fn load_npy_with<P: AsRef<Path>>(path: P, options: NpyReadOptions) -> Result<Self> {
        with_file(path.as_ref(), options.of_file(), |reader| from_reader(reader, options))
    }

    fn load_npy_from_with<P: AsRef<Path>>(folder: &Folder, name: P, options: NpyReadOptions) -> Result<Self> {
        with_file_in(folder, name.as_ref(), options.of_file(), |reader| from_reader(reader, options))
    }

    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = NpyReader::open(path)?;
        let values = reader.read_region_values(region).and_then(Self::from_values);
        values.map_err(|error| error.with_path(path))
    }
}

/// Reads what is left of an array.
pub(crate) fn from_reader<R: Read>(reader: NpyReader<R>, options: NpyReadOptions) -> Result<DynArray> {
    let header = reader.header();
    #[cfg(feature = "object")]
    if header.dtype().has_object()
        && let Some(objects) = options.objects
    {
        return reader.into_objects(objects.limits(options.limits)).map(DynArray::Object);
    }
    let scalar = match header.dtype() {
        DType::Scalar(scalar) => *scalar,
        _ => return values(reader, options).and_then(DynArray::from_values),
    };
    Ok(match scalar.kind() {
        ScalarKind::Bool => return bools(values(reader, options)?),
        ScalarKind::Int8 => DynArray::Int8(numbers(reader, options)?),
        ScalarKind::Int16 => DynArray::Int16(numbers(reader, options)?),
        ScalarKind::Int32 => DynArray::Int32(numbers(reader, options)?),
        ScalarKind::Int64 => DynArray::Int64(numbers(reader, options)?),
        ScalarKind::UInt8 => DynArray::UInt8(numbers(reader, options)?),
        ScalarKind::UInt16 => DynArray::UInt16(numbers(reader, options)?),
        ScalarKind::UInt32 => DynArray::UInt32(numbers(reader, options)?),
        ScalarKind::UInt64 => DynArray::UInt64(numbers(reader, options)?),
        #[cfg(feature = "half")]
        ScalarKind::Float16 => DynArray::Float16(numbers(reader, options)?),
        ScalarKind::Float32 => DynArray::Float32(numbers(reader, options)?),
        ScalarKind::Float64 => DynArray::Float64(numbers(reader, options)?),
        ScalarKind::LongDouble { .. } => DynArray::LongDouble(numbers(reader, options)?),
        #[cfg(feature = "complex")]
        ScalarKind::Complex64 => DynArray::Complex64(numbers(reader, options)?),
        #[cfg(feature = "complex")]
        ScalarKind::Complex128 => DynArray::Complex128(numbers(reader, options)?),
        #[cfg(feature = "complex")]
        ScalarKind::ComplexLongDouble { .. } => DynArray::ComplexLongDouble(numbers(reader, options)?),
        ScalarKind::Datetime { .. } => DynArray::Datetime(steps(reader, scalar, options)?),
        ScalarKind::Timedelta { .. } => DynArray::Timedelta(steps(reader, scalar, options)?),
        _ => of_scalars(scalar, values(reader, options)?),
    })
}

/// The variant for values that are not numbers of a Rust type.
fn of_scalars(scalar: Scalar, values: DynValues) -> DynArray {
    match scalar.kind() {
        ScalarKind::Bytes { .. } => DynArray::Bytes(values),
        ScalarKind::Unicode { .. } => DynArray::Unicode(values),
        ScalarKind::Void { .. } => DynArray::Void(values),
        _ => DynArray::Raw(values),
    }
}

fn numbers<R: Read, T: NpyElement>(reader: NpyReader<R>, options: NpyReadOptions) -> Result<TypedArray<T>> {
    let dtype = reader.header().dtype().clone();
    Ok(TypedArray::with_dtype(into_array(reader, options.order)?, dtype))
}

/// The steps that times are.
fn steps<R: Read>(reader: NpyReader<R>, scalar: Scalar, options: NpyReadOptions) -> Result<TypedArray<i64>> {
    let reader = reader.with_dtype(steps_dtype(scalar))?;
    Ok(TypedArray::with_dtype(into_array(reader, options.order)?, scalar.into()))
}

/// The integers that the times of a dtype are.
pub(super) fn steps_dtype(scalar: Scalar) -> DType {
    Scalar::new(ScalarKind::Int64, scalar.byte_order().unwrap_or(npy_core::ByteOrder::NATIVE)).into()
}

fn values<R: Read>(reader: NpyReader<R>, options: NpyReadOptions) -> Result<DynValues> {
    let values = reader.into_values()?;
    let order = options.order.unwrap_or(values.order());
    values.into_order(order)
}

/// Bools, unless a byte among them is none.
fn bools(values: DynValues) -> Result<DynArray> {
    if values.bytes().iter().any(|byte| *byte > 1) {
        return Ok(DynArray::Raw(values));
    }
    let (dtype, shape, order) = (values.dtype().clone(), values.shape().to_vec(), values.order());
    // Done in place: both have the same size.
    let items = values.into_bytes().into_iter().map(|byte| byte == 1).collect();
    Ok(DynArray::Bool(TypedArray::with_dtype(shaped(&shape, order, items)?, dtype)))
}

/// The elements, which come in the order named, as an array.
pub(super) fn shaped<T>(shape: &[usize], order: Order, items: Vec<T>) -> Result<ArrayD<T>> {
    let overflow = || ErrorKind::ShapeOverflow { shape: shape.to_vec(), itemsize: size_of::<T>() };
    ArrayD::from_shape_vec(layout_of::<IxDyn>(shape, order)?, items).map_err(|_| overflow().into())
}
