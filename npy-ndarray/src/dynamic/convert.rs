//! Conversions of arrays of any dtype to one Rust type: exact, cast, or one field.

use std::any::{Any, TypeId};

use super::super::ndarray::{ArrayBase, ArrayD, ArrayView, ArrayViewD, DataOwned, Dimension, IxDyn};
use npy_core::adapter::view_elements;
use npy_core::dtype::ByteOrder;
use npy_core::{Casting, DynValues, Error, Header, NpyElement, NpyNumber, NpyView, Order, Result};

use super::super::match_dtype;
use super::super::order::layout_of;
use super::super::read::into_array;
use super::super::view::overflow;
use super::array::DynArray;
use super::read::shaped;
use super::typed::TypedArray;
use super::write::to_values;

/// An owned array that a [`DynArray`] converts to by [`into`](DynArray::into).
///
/// ```
/// use ndarray::{ArrayD, array};
/// use npy_ndarray::{DynArray, FromDynArray};
///
/// let array = DynArray::from(array![1_u8, 2]);
/// assert_eq!(ArrayD::<u8>::from_dyn_array(array)?, array![1, 2].into_dyn());
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait FromDynArray: Sized {
    /// Converts the array, without a copy if its elements have this type. Fails like [`DynArray::into`].
    fn from_dyn_array(array: DynArray) -> Result<Self>;
}

impl<A, S, D> FromDynArray for ArrayBase<S, D>
where
    A: NpyElement + 'static,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    fn from_dyn_array(array: DynArray) -> Result<Self> {
        let decode = |values: DynValues| into_array(values.reader().elements(), None);
        match array {
            DynArray::Datetime(_) | DynArray::Timedelta(_) => decode(array.to_values()?),
            array => {
                each!(array, numbers => own(numbers), values => decode(values), objects => super::object::into_array(&objects))
            }
        }
    }
}

/// The array itself if its elements have the requested type, else a decoded copy.
fn own<T, A, S, D>(numbers: TypedArray<T>) -> Result<ArrayBase<S, D>>
where
    T: NpyElement + Clone + 'static,
    A: NpyElement + 'static,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let layout = layout_of::<D>(numbers.shape(), numbers.order())?;
    if TypeId::of::<T>() != TypeId::of::<A>() {
        // Other types read the same dtype: an `Option`, a struct around a number.
        return into_array(to_values(&numbers, &T::dtype())?.reader().elements(), None);
    }
    let shape = numbers.shape().to_vec();
    let mut items = Some(numbers.into_parts().0);
    let same = (&mut items as &mut dyn Any).downcast_mut::<Option<Vec<A>>>().and_then(Option::take).unwrap_or_default();
    let overflow = || Error::shape_overflow(&shape, size_of::<A>());
    ArrayBase::from_shape_vec(layout, same).map_err(|_| overflow())
}

impl DynArray {
    /// Converts to an owned array of one Rust type, exactly.
    ///
    /// Numbers of that type are moved, without a copy. Records, text and times are decoded. Python
    /// objects become text, numbers, bools, or an `Option` of these. The number of axes must match,
    /// unless the target is an `ArrayD`. To convert numbers see [`cast`](Self::cast).
    ///
    /// # Errors
    ///
    /// Fails if the dtype is not that of the type, if an element is not a value of it, or if the
    /// number of axes differs.
    #[allow(clippy::should_implement_trait, reason = "it can fail, and `TryInto` cannot be told the type as briefly")]
    pub fn into<A: FromDynArray>(self) -> Result<A> {
        A::from_dyn_array(self)
    }

    /// Views the elements in place.
    ///
    /// # Errors
    ///
    /// Fails if the dtype is not that of the type, or if an element is not a value of it. Numbers
    /// are viewed in any byte order of the file, records and text only in that of the machine.
    pub fn view<T: NpyView>(&self) -> Result<ArrayViewD<'_, T>> {
        each!(
            self,
            numbers => {
                let dtype = numbers.dtype().clone().with_byte_order(ByteOrder::NATIVE);
                let header = Header::new(dtype, numbers.order(), numbers.shape())?;
                view_of(&header, view_elements(&header, numbers.bytes().unwrap_or_default())?)
            },
            values => view_of(values.header(), values.view()?),
            _objects => Err(super::object::instead_of::<T>()),
        )
    }

    /// Converts the numbers to another type, by [`Casting::SameKind`].
    ///
    /// That is NumPy's rule for storing results: to wider types, and to narrower ones of the same
    /// kind, where floats are rounded and integers wrap.
    ///
    /// # Errors
    ///
    /// Fails if the rule does not allow it, as from floats to integers, or if the elements are not
    /// numbers.
    pub fn cast<T: NpyNumber>(&self) -> Result<ArrayD<T>> {
        self.cast_as(Casting::SameKind)
    }

    /// Casts like [`cast`](Self::cast), by the given rule.
    ///
    /// # Errors
    ///
    /// Fails if the rule does not allow it, if the elements are not numbers, or, with
    /// [`Casting::Checked`], if one does not fit. The error names the first, by its position with
    /// the last axis fastest.
    pub fn cast_as<T: NpyNumber>(&self, casting: Casting) -> Result<ArrayD<T>> {
        #[cfg(feature = "object")]
        if let Self::Object(objects) = self {
            return Err(Error::not_numbers(objects.dtype(), T::dtype()));
        }
        match_dtype!(self, {
            Bool(numbers) => cast_array(numbers, casting),
            Number(numbers) => cast_array(numbers, casting),
            other => {
                let values = other.to_values()?;
                let items = values.cast(casting)?;
                shaped(values.shape(), values.order(), items)
            },
        })
    }

    /// Copies one field of an array of records.
    ///
    /// A dot names a field of a nested record: `pose.position`. The axes of a field that is a
    /// sub-array become the last ones.
    ///
    /// A field of records with Python objects is an array of objects: numbers and text of Python.
    ///
    /// Fails if the elements are not records or have no such field.
    pub fn field(&self, name: &str) -> Result<Self> {
        #[cfg(feature = "object")]
        if let Self::Object(objects) = self {
            return objects.field(name).map(Self::Object);
        }
        Self::from_values(self.field_values(name)?)
    }

    /// Decodes one field: [`field`](Self::field), then [`into`](Self::into).
    pub fn field_as<T: NpyElement + 'static>(&self, name: &str) -> Result<ArrayD<T>> {
        #[cfg(feature = "object")]
        if let Self::Object(objects) = self {
            return super::object::into_array(&objects.field(name)?);
        }
        into_array(self.field_values(name)?.reader().elements(), None)
    }

    fn field_values(&self, name: &str) -> Result<DynValues> {
        match self {
            Self::Record(values) => values.field(name),
            // The error says what it has instead.
            other => DynValues::new(other.dtype().into_owned(), Order::C, &[0], Vec::new())?.field(name),
        }
    }

    /// Maps the bytes of each element, for dtypes without numbers in NumPy.
    ///
    /// Python's `ml_dtypes` stores its types as raw bytes. Of those, `bfloat16` (`<V2`) is read by
    /// `into::<ArrayD<half::bf16>>()` with the feature `half`; the others have the dtype `|V1`
    /// (`float8_e5m2` `<f1`), and the file does not say which type they are.
    ///
    /// ```
    /// use npy_ndarray::{DynArray, npy_core::{DynValues, Order}};
    ///
    /// /// `ml_dtypes.float8_e4m3fn`: 1 bit of sign, 4 of exponent with the bias 7, 3 of mantissa, no infinity.
    /// fn float8_e4m3fn(byte: u8) -> f32 {
    ///     let (exponent, mantissa) = (i32::from(byte >> 3 & 15), f32::from(byte & 7));
    ///     let magnitude = match (exponent, byte & 7) {
    ///         (15, 7) => f32::NAN,
    ///         (0, _) => mantissa / 8.0 * 2.0_f32.powi(-6),
    ///         _ => (1.0 + mantissa / 8.0) * 2.0_f32.powi(exponent - 7),
    ///     };
    ///     if byte >> 7 == 1 { -magnitude } else { magnitude }
    /// }
    ///
    /// /// `ml_dtypes.int4`: the lower four bits, the highest of which is the sign.
    /// fn int4(byte: u8) -> i8 {
    ///     (byte << 4).cast_signed() >> 4
    /// }
    ///
    /// let array = DynArray::from_values(DynValues::new("|V1".parse()?, Order::C, &[3], vec![0x38, 0xbc, 0x7e])?)?;
    /// let floats = array.map_bytes(|bytes| float8_e4m3fn(bytes[0]))?;
    /// assert_eq!(floats.as_slice(), Some(&[1.0, -1.5, 448.0][..]));
    /// assert_eq!(array.map_bytes(|bytes| int4(bytes[0]))?[1], -4);
    /// # Ok::<(), npy_ndarray::Error>(())
    /// ```
    pub fn map_bytes<T>(&self, mut map: impl FnMut(&[u8]) -> T) -> Result<ArrayD<T>> {
        let values = self.to_values()?;
        let (itemsize, count) = (values.dtype().itemsize(), values.header().element_count());
        let element = |index: usize| &values.bytes()[index * itemsize..(index + 1) * itemsize];
        shaped(values.shape(), values.order(), (0..count).map(|index| map(element(index))).collect())
    }
}

fn view_of<'a, T>(header: &Header, items: &'a [T]) -> Result<ArrayViewD<'a, T>> {
    ArrayView::from_shape(layout_of::<IxDyn>(header.shape(), header.order())?, items).map_err(|_| overflow(header))
}

fn cast_array<S: NpyNumber, T: NpyNumber>(numbers: &TypedArray<S>, casting: Casting) -> Result<ArrayD<T>> {
    let items = casting.cast(numbers.items()).map_err(|error| in_order_c(error, numbers.shape(), numbers.order()))?;
    shaped(numbers.shape(), numbers.order(), items)
}

/// The error with the place of its element as an array has it that is walked with the last axis
/// fastest.
fn in_order_c(error: Error, shape: &[usize], order: Order) -> Error {
    let Some(mut rest) = error.element().filter(|_| order == Order::Fortran) else { return error };
    let along: Vec<u64> = shape
        .iter()
        .map(|&length| {
            let place = rest % (length as u64).max(1);
            rest /= (length as u64).max(1);
            place
        })
        .collect();
    let index = along.iter().zip(shape).fold(0, |flat, (place, &length)| flat * length as u64 + place);
    // A number has no fields.
    error.at_element(index, "")
}
