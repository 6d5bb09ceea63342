//! Files, streams and values into arrays of any dtype.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::super::ndarray::{ArrayD, IxDyn};
use npy_core::adapter::{Elements, with_file};
use npy_core::dtype::{Scalar, ScalarKind};
use npy_core::region::AxisRange;
use npy_core::{DType, DynValues, Error, NpyElement, NpyReader, Order, ReadOptions, Result};

use super::super::order::layout_of;
use super::super::read::{ReadNpyExt, into_array};
use super::array::DynArray;
use super::typed::TypedArray;

impl DynArray {
    /// Loads a file of any dtype.
    pub fn load_npy<P: AsRef<Path>>(path: P) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy(path)
    }

    /// Reads the array at the current position of a stream, which is left just after it.
    pub fn read_npy<R: Read>(reader: R) -> Result<Self> {
        <Self as ReadNpyExt>::read_npy(reader)
    }

    /// [`load_npy`](Self::load_npy) with options: limits, threads, order, objects.
    pub fn load_npy_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy_with(path, options)
    }

    /// [`read_npy`](Self::read_npy) with options: limits, order, objects.
    pub fn read_npy_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        <Self as ReadNpyExt>::read_npy_with(reader, options)
    }

    /// Loads an open file: see [`ReadNpyExt::load_npy_file`].
    pub fn load_npy_file(file: File) -> Result<Self> {
        <Self as ReadNpyExt>::load_npy_file(file)
    }

    /// Reads the remaining elements of a reader, of any dtype.
    ///
    /// From a reader at its first element, the array has its shape and order. If some elements were
    /// read or skipped, the remaining ones form a one-dimensional array.
    pub fn from_reader<R: Read>(reader: NpyReader<R>) -> Result<Self> {
        Self::from_reader_with(reader, ReadOptions::new())
    }

    /// [`from_reader`](Self::from_reader) with options: order, objects. Limits and threads are those of the
    /// reader.
    pub fn from_reader_with<R: Read>(reader: NpyReader<R>, options: impl Into<ReadOptions>) -> Result<Self> {
        if reader.remaining() < reader.header().element_count() {
            return reader.into_values().and_then(Self::from_values);
        }
        from_reader(reader, options.into())
    }

    /// Creates an array of dynamic values. Numbers are copied.
    pub fn from_values(values: DynValues) -> Result<Self> {
        if let Some(numbers) = numbers(values.reader().elements(), None)? {
            return Ok(numbers);
        }
        match values.dtype() {
            DType::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Bool => bools(values),
                ScalarKind::Bytes { .. } => Ok(Self::Bytes(values)),
                ScalarKind::Unicode { .. } => Ok(Self::Unicode(values)),
                ScalarKind::Void { .. } => Ok(Self::Void(values)),
                _ => Ok(Self::Raw(values)),
            },
            DType::Record(_) => Ok(Self::Record(values)),
            DType::SubArray(_) => Ok(Self::Raw(values)),
        }
    }
}

/// Reads any array: numbers become arrays of their Rust type.
impl ReadNpyExt for DynArray {
    fn read_npy_with<R: Read>(reader: R, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        from_reader(NpyReader::new_with(reader, options)?, options)
    }

    fn load_npy_with<P: AsRef<Path>>(path: P, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        with_file(path, options, |reader| from_reader(reader, options))
    }

    fn load_npy_file_with(file: File, options: impl Into<ReadOptions>) -> Result<Self> {
        let options = options.into();
        from_reader(NpyReader::from_file_with(file, options)?, options)
    }

    fn load_npy_region<P: AsRef<Path>>(path: P, region: &[AxisRange]) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = NpyReader::open(path)?;
        let values = reader.read_region_values(region).and_then(Self::from_values);
        values.map_err(|error| error.with_path(path))
    }
}

/// Reads the rest of an array.
pub(crate) fn from_reader<R: Read>(mut reader: NpyReader<R>, options: ReadOptions) -> Result<DynArray> {
    #[cfg(feature = "object")]
    if reader.header().dtype().has_object() && options.objects.is_some() {
        return reader.into_objects(options).map(DynArray::Object);
    }
    if let Some(numbers) = numbers(reader.elements(), options.order)? {
        return Ok(numbers);
    }
    let values = reader.into_values()?;
    let order = options.order.unwrap_or(values.order());
    DynArray::from_values(values.into_order(order)?)
}

/// Reads the elements if they are numbers or times.
fn numbers(elements: Elements<'_>, order: Option<Order>) -> Result<Option<DynArray>> {
    let DType::Scalar(scalar) = *elements.header().dtype() else { return Ok(None) };
    let source = (elements, scalar, order);
    Ok(Some(match scalar.kind() {
        ScalarKind::Int8 => DynArray::Int8(typed(source)?),
        ScalarKind::Int16 => DynArray::Int16(typed(source)?),
        ScalarKind::Int32 => DynArray::Int32(typed(source)?),
        ScalarKind::Int64 => DynArray::Int64(typed(source)?),
        ScalarKind::UInt8 => DynArray::UInt8(typed(source)?),
        ScalarKind::UInt16 => DynArray::UInt16(typed(source)?),
        ScalarKind::UInt32 => DynArray::UInt32(typed(source)?),
        ScalarKind::UInt64 => DynArray::UInt64(typed(source)?),
        #[cfg(feature = "half")]
        ScalarKind::Float16 => DynArray::Float16(typed(source)?),
        ScalarKind::Float32 => DynArray::Float32(typed(source)?),
        ScalarKind::Float64 => DynArray::Float64(typed(source)?),
        ScalarKind::LongDouble { .. } => DynArray::LongDouble(typed(source)?),
        #[cfg(feature = "complex")]
        ScalarKind::Complex64 => DynArray::Complex64(typed(source)?),
        #[cfg(feature = "complex")]
        ScalarKind::Complex128 => DynArray::Complex128(typed(source)?),
        #[cfg(feature = "complex")]
        ScalarKind::ComplexLongDouble { .. } => DynArray::ComplexLongDouble(typed(source)?),
        ScalarKind::Datetime { .. } => DynArray::Datetime(typed(source)?),
        ScalarKind::Timedelta { .. } => DynArray::Timedelta(typed(source)?),
        _ => return Ok(None),
    }))
}

fn typed<T: NpyElement>((mut elements, scalar, order): (Elements<'_>, Scalar, Option<Order>)) -> Result<TypedArray<T>> {
    elements.set_dtype(stored_dtype(scalar))?;
    Ok(TypedArray::with_dtype(into_array(elements, order)?, scalar.into()))
}

/// The dtype under which numbers are stored: times are integers.
pub(super) fn stored_dtype(scalar: Scalar) -> DType {
    match scalar.kind() {
        ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => {
            Scalar::new(ScalarKind::Int64, scalar.byte_order().unwrap_or(npy_core::dtype::ByteOrder::NATIVE)).into()
        }
        _ => scalar.into(),
    }
}

/// Bools, unless a byte is neither 0 nor 1.
fn bools(values: DynValues) -> Result<DynArray> {
    if values.bytes().iter().any(|byte| *byte > 1) {
        return Ok(DynArray::Raw(values));
    }
    let (dtype, shape, order) = (values.dtype().clone(), values.shape().to_vec(), values.order());
    // Done in place: both have the same size.
    let items = values.into_bytes().into_iter().map(|byte| byte == 1).collect();
    Ok(DynArray::Bool(TypedArray::with_dtype(shaped(&shape, order, items)?, dtype)))
}

/// The elements as an array, from the given order.
pub(super) fn shaped<T>(shape: &[usize], order: Order, items: Vec<T>) -> Result<ArrayD<T>> {
    let overflow = || Error::shape_overflow(shape, size_of::<T>());
    ArrayD::from_shape_vec(layout_of::<IxDyn>(shape, order)?, items).map_err(|_| overflow())
}
