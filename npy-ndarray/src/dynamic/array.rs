//! The type of arrays whose dtype is known at run time.

use std::borrow::Cow;
use std::mem;

use super::super::array_ref;
use super::super::ndarray::{Array, Dimension};
#[cfg(feature = "half")]
use npy_core::half::f16;
#[cfg(feature = "complex")]
use npy_core::num_complex::Complex;
#[cfg(feature = "object")]
use npy_core::object::ObjectArray;
use npy_core::types::LongDouble;
use npy_core::{DType, DynValues, NpyElement, Order, Result};

use super::super::write::WriteNpyExt;
use super::typed::TypedArray;

/// An array of any dtype: every file opens as one.
///
/// Numbers are arrays of their Rust type. Match on the variants, or use
/// [`match_dtype!`](super::super::match_dtype), which takes one body for many types. Text, raw bytes and
/// records are [`DynValues`], from which [`field`](Self::field) and [`into`](Self::into) make
/// arrays.
///
/// ```
/// use ndarray::{Array2, array};
/// use npy_ndarray::{Casting, DynArray, WriteNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// array![[1_i16, 2], [3, 300]].save_npy(&path)?;
///
/// let array = DynArray::load_npy(&path)?;
/// assert_eq!((array.dtype().to_string().as_str(), array.shape()), ("<i2", &[2, 2][..]));
/// match &array {
///     DynArray::Float64(numbers) => println!("mean {:?}", numbers.mean()),
///     DynArray::Int16(numbers) => println!("sum {}", numbers.sum()),
///     other => println!("{} elements of {}", other.len(), other.dtype()),
/// }
///
/// // Converted, viewed in place, or moved into an array of exactly this type.
/// assert_eq!(array.cast::<f32>()?[[1, 0]], 3.0);
/// let error = array.cast_as::<u8>(Casting::Checked).unwrap_err();
/// assert_eq!(error.to_string(), "element 3: 300 is out of range for |u1");
/// assert_eq!(array.view::<i16>()?[[1, 0]], 3);
/// let exact: Array2<i16> = array.into()?;
/// assert_eq!(exact[[1, 0]], 3);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// Text and records are copied by [`new`](Self::new), and fields by their path:
///
/// ```
/// use ndarray::{ArrayD, array};
/// use npy_ndarray::DynArray;
/// use npy_ndarray::npy_core::{DynValues, Order};
///
/// let texts = DynArray::new(&array!["a".to_owned(), "bcd".to_owned()])?;
/// assert_eq!(texts.dtype().to_string(), "<U3");
/// assert_eq!(texts.into::<ArrayD<String>>()?[1], "bcd");
///
/// let dtype = "[('id', '|u1'), ('pose', [('x', '|i1'), ('y', '|i1')])]".parse()?;
/// let records = DynArray::from_values(DynValues::new(dtype, Order::C, &[2], vec![7, 1, 2, 8, 3, 4])?)?;
/// assert_eq!(records.field_as::<i8>("pose.y")?, array![2, 4].into_dyn());
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
///
/// It prints exactly as NumPy prints it (arrays within Python objects are printed on one line).
///
/// It is saved byte for byte as it was loaded: byte order, padding, and bytes that are not a value
/// of the dtype stay. Only pickles of Python objects are encoded anew, with the same values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DynArray {
    /// `|b1`. An array with a byte other than 0 and 1 is [`Raw`](Self::Raw).
    Bool(TypedArray<bool>),
    /// `|i1`.
    Int8(TypedArray<i8>),
    /// `<i2`, `>i2`.
    Int16(TypedArray<i16>),
    /// `<i4`, `>i4`.
    Int32(TypedArray<i32>),
    /// `<i8`, `>i8`.
    Int64(TypedArray<i64>),
    /// `|u1`.
    UInt8(TypedArray<u8>),
    /// `<u2`, `>u2`.
    UInt16(TypedArray<u16>),
    /// `<u4`, `>u4`.
    UInt32(TypedArray<u32>),
    /// `<u8`, `>u8`.
    UInt64(TypedArray<u64>),
    /// `<f2`, `>f2`. Without the feature `half` these are [`Raw`](Self::Raw).
    #[cfg(feature = "half")]
    Float16(TypedArray<f16>),
    /// `<f4`, `>f4`.
    Float32(TypedArray<f32>),
    /// `<f8`, `>f8`.
    Float64(TypedArray<f64>),
    /// `<f16`, `<f12`: the long double of the machine that wrote it.
    LongDouble(TypedArray<LongDouble>),
    /// `<c8`, `>c8`. Without the feature `complex` these, and the two below, are
    /// [`Raw`](Self::Raw).
    #[cfg(feature = "complex")]
    Complex64(TypedArray<Complex<f32>>),
    /// `<c16`, `>c16`.
    #[cfg(feature = "complex")]
    Complex128(TypedArray<Complex<f64>>),
    /// `<c32`, `<c24`.
    #[cfg(feature = "complex")]
    ComplexLongDouble(TypedArray<Complex<LongDouble>>),
    /// `<M8[ns]` and other units: steps of the unit since 1970.
    ///
    /// NaT is `i64::MIN`. `into::<Array1<Datetime64<unit::Nanosecond>>>()` makes times of them.
    Datetime(TypedArray<i64>),
    /// `<m8[ns]` and other units: steps of the unit. NaT is `i64::MIN`.
    Timedelta(TypedArray<i64>),
    /// `|S8`: `into::<ArrayD<String>>()` or `into::<ArrayD<FixedBytes<8>>>()`.
    Bytes(DynValues),
    /// `<U8`, `>U8`: `into::<ArrayD<String>>()`.
    Unicode(DynValues),
    /// `|V8`: `into::<ArrayD<Void>>()`.
    ///
    /// [`map_bytes`](Self::map_bytes) decodes numbers for which NumPy has no dtype.
    Void(DynValues),
    /// Records: [`field`](Self::field), or `into::<Array1<T>>()` with a derived struct.
    Record(DynValues),
    /// All other arrays: see [`map_bytes`](Self::map_bytes).
    Raw(DynValues),
    /// `|O`: Python objects, also as fields of records, and text of a `StringDType`.
    ///
    /// Read only if [`ReadOptions::objects`](npy_core::ReadOptions::objects) allows it.
    /// `into::<ArrayD<String>>()` makes an array of one type, and
    /// [`objects_as`](Self::objects_as) one of any type that implements
    /// [`FromPyObject`](npy_core::object::FromPyObject).
    #[cfg(feature = "object")]
    Object(ObjectArray),
}

/// Does `$typed` with an array of numbers, `$values` with [`DynValues`], `$boxed` with Python
/// objects.
macro_rules! each {
    ($array:expr, $numbers:ident => $typed:expr, $raw:ident => $values:expr, $objects:ident => $boxed:expr $(,)?) => {
        match $array {
            DynArray::Bool($numbers) => $typed,
            DynArray::Int8($numbers) => $typed,
            DynArray::Int16($numbers) => $typed,
            DynArray::Int32($numbers) => $typed,
            DynArray::Int64($numbers) => $typed,
            DynArray::UInt8($numbers) => $typed,
            DynArray::UInt16($numbers) => $typed,
            DynArray::UInt32($numbers) => $typed,
            DynArray::UInt64($numbers) => $typed,
            #[cfg(feature = "half")]
            DynArray::Float16($numbers) => $typed,
            DynArray::Float32($numbers) => $typed,
            DynArray::Float64($numbers) => $typed,
            DynArray::LongDouble($numbers) => $typed,
            #[cfg(feature = "complex")]
            DynArray::Complex64($numbers) => $typed,
            #[cfg(feature = "complex")]
            DynArray::Complex128($numbers) => $typed,
            #[cfg(feature = "complex")]
            DynArray::ComplexLongDouble($numbers) => $typed,
            DynArray::Datetime($numbers) => $typed,
            DynArray::Timedelta($numbers) => $typed,
            DynArray::Bytes($raw) => $values,
            DynArray::Unicode($raw) => $values,
            DynArray::Void($raw) => $values,
            DynArray::Record($raw) => $values,
            DynArray::Raw($raw) => $values,
            #[cfg(feature = "object")]
            DynArray::Object($objects) => $boxed,
        }
    };
}

impl DynArray {
    /// Copies an array of any elements, such as text, times and records.
    ///
    /// Records need `#[derive(NpyRecord)]`, but not `#[npy(view)]`.
    pub fn new<T: NpyElement, D: Dimension>(array: array_ref!(&T, D)) -> Result<Self> {
        let mut file = Vec::new();
        array.write_npy(&mut file)?;
        Self::from_values(DynValues::read(&file[..])?)
    }

    /// Returns the dtype, as in the file.
    pub fn dtype(&self) -> Cow<'_, DType> {
        each!(
            self,
            numbers => Cow::Borrowed(numbers.dtype()),
            values => Cow::Borrowed(values.dtype()),
            objects => Cow::Borrowed(objects.dtype()),
        )
    }

    /// Returns the lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        each!(self, numbers => numbers.shape(), values => values.shape(), objects => objects.shape())
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        each!(self, numbers => numbers.len(), values => values.header().element_count(), objects => objects.items().len())
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether both arrays are saved as the same bytes.
    ///
    /// They are equal in dtype, shape, order and every byte of the elements.
    ///
    /// Unlike `==`, it distinguishes 0.0 from -0.0, and a NaN equals a NaN of the same sign and
    /// payload. The byte order is part of the dtype, so `<f8` never equals `>f8`. The order is part
    /// of the array, so a transposed copy with equal elements differs; arrays that are contiguous
    /// in both orders count as C order. Padding bytes of records count.
    ///
    /// Python objects are equal if they are saved as the same pickle. Objects of unknown classes,
    /// which cannot be saved, are compared with `==`.
    ///
    /// ```
    /// use ndarray::array;
    /// use npy_ndarray::DynArray;
    ///
    /// let [quiet, other] = [f64::NAN, f64::from_bits(f64::NAN.to_bits() | 1)];
    /// let array = DynArray::from(array![quiet, 0.0]);
    /// assert!(array.bitwise_eq(&array.clone()) && array != array.clone());
    /// assert!(!array.bitwise_eq(&DynArray::from(array![other, 0.0])));
    /// assert!(!array.bitwise_eq(&DynArray::from(array![quiet, -0.0])));
    /// ```
    pub fn bitwise_eq(&self, other: &Self) -> bool {
        if (self.dtype(), self.shape()) != (other.dtype(), other.shape()) {
            return false;
        }
        match (self, other) {
            #[cfg(feature = "object")]
            (Self::Object(one), Self::Object(other)) => is_same_pickle(one, other),
            _ => match (self.memory(), other.memory()) {
                (Some(ours), Some(theirs)) if mem::discriminant(self) == mem::discriminant(other) => ours == theirs,
                // A caller may store values of any dtype in `Raw`.
                _ => self.to_values().is_ok_and(|ours| other.to_values().is_ok_and(|theirs| ours == theirs)),
            },
        }
    }

    /// The order of the elements, and their bytes in memory. `None` for Python objects.
    fn memory(&self) -> Option<(Order, &[u8])> {
        each!(
            self,
            numbers => Some((numbers.order(), numbers.bytes()?)),
            values => Some((values.order(), values.bytes())),
            _objects => None,
        )
    }
}

/// [`DynArray::bitwise_eq`] for Python objects.
#[cfg(feature = "object")]
fn is_same_pickle(one: &ObjectArray, other: &ObjectArray) -> bool {
    let file = |array: &ObjectArray| {
        let mut file = Vec::new();
        array.write(&mut file).ok().map(|()| file)
    };
    match (file(one), file(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

macro_rules! from_arrays {
    ($($variant:ident $element:ty,)*) => {$(
        /// Copies only if the array is contiguous in neither order.
        impl<D: Dimension> From<Array<$element, D>> for DynArray {
            fn from(array: Array<$element, D>) -> Self {
                Self::$variant(array.into())
            }
        }
    )*};
}

from_arrays! {
    Bool bool,
    Int8 i8,
    Int16 i16,
    Int32 i32,
    Int64 i64,
    UInt8 u8,
    UInt16 u16,
    UInt32 u32,
    UInt64 u64,
    Float32 f32,
    Float64 f64,
    LongDouble LongDouble,
}

#[cfg(feature = "half")]
from_arrays!(Float16 f16,);

#[cfg(feature = "complex")]
from_arrays! {
    Complex64 Complex<f32>,
    Complex128 Complex<f64>,
    ComplexLongDouble Complex<LongDouble>,
}
