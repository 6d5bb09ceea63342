//! Arrays and scalars of NumPy's own subclasses.

use super::PyObject;
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, Record, Scalar, ScalarKind};

/// An array or a scalar of a subclass: `np.matrix`, `np.recarray`, `np.record`, a masked array.
///
/// ```no_run
/// use npy_core::object::{self, ArrayClass, PyObject};
///
/// for item in object::load("arrays.npy")?.items() {
///     if let PyObject::Subclass(array) = item && array.class == ArrayClass::Matrix {
///         println!("a matrix: {}", array.base);
///     }
/// }
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Subclass {
    /// The class and its own data.
    pub class: ArrayClass,
    /// The values as an `ndarray` or a scalar, masked ones included.
    pub base: PyObject,
}

/// The class of a [`Subclass`].
///
/// See [`Subclass`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArrayClass {
    /// `numpy.matrix`
    Matrix,
    /// `numpy.recarray`
    RecArray,
    /// `numpy.record`
    Record,
    /// `numpy.ma.MaskedArray`
    Masked {
        /// A bool for each value, in the same order.
        mask: DynValues,
        /// The fill value of masked elements; `None` for the default of the dtype.
        fill_value: PyObject,
        /// Whether it is a record of such an array (`numpy.ma.core.mvoid`).
        is_void: bool,
    },
    /// A masked element of an array of objects; `base` is the object under the mask.
    MaskedElement,
    /// `numpy.ma.masked`
    MaskedConstant,
}

impl PyObject {
    pub(crate) fn of_class(class: ArrayClass, base: Self) -> Self {
        Self::Subclass(Box::new(Subclass { class, base }))
    }

    /// Returns the array or scalar without its class, unless values are masked.
    #[doc(hidden)]
    pub fn plain(&self) -> &Self {
        match self {
            Self::Subclass(object) => match &object.class {
                ArrayClass::MaskedConstant | ArrayClass::MaskedElement => self,
                ArrayClass::Masked { mask, .. } if mask.bytes().contains(&1) => self,
                _ => &object.base,
            },
            object => object,
        }
    }
}

/// The dtype of the mask of an element: a bool for each value.
pub(crate) fn mask_dtype(dtype: &DType) -> Option<DType> {
    Some(match dtype {
        DType::Scalar(_) => Scalar::new(ScalarKind::Bool, ByteOrder::NATIVE).into(),
        DType::SubArray(array) => mask_dtype(array.base())?.sub_array(array.shape()).ok()?,
        DType::Record(record) => {
            let fields = record.fields().iter().map(|field| Some((field.name(), mask_dtype(field.dtype())?)));
            Record::packed(fields.collect::<Option<Vec<_>>>()?).ok()?.into()
        }
    })
}

/// The itemsize of the mask of an element.
pub(crate) fn mask_size(dtype: &DType) -> usize {
    mask_dtype(dtype).map_or(1, |dtype| dtype.itemsize())
}

/// Masks the objects of an element. `None` if the mask covers a part of a sub-array.
pub(crate) fn cover(dtype: &DType, item: &mut PyObject, mask: &[u8]) -> Option<()> {
    match (dtype, item) {
        (DType::Record(record), PyObject::Tuple(items)) => {
            let mut rest = mask;
            for (field, item) in record.fields().iter().zip(items) {
                let (own, after) = rest.split_at_checked(mask_size(field.dtype()))?;
                cover(field.dtype(), item, own)?;
                rest = after;
            }
        }
        (DType::Scalar(_), item) if mask == [1] => {
            *item = PyObject::of_class(ArrayClass::MaskedElement, std::mem::replace(item, PyObject::None));
        }
        (_, _) if mask.contains(&1) => return None,
        _ => {}
    }
    Some(())
}

/// Returns whether an element or a part of it is masked.
pub(crate) fn is_covered(dtype: &DType, item: &PyObject) -> bool {
    match (dtype, item) {
        (DType::Record(record), PyObject::Tuple(items)) => {
            record.fields().iter().zip(items).any(|(field, item)| is_covered(field.dtype(), item))
        }
        (_, PyObject::Subclass(object)) => object.class == ArrayClass::MaskedElement,
        _ => false,
    }
}

/// Returns the element without its mask, which is appended to `mask`.
pub(crate) fn uncover(dtype: &DType, item: &PyObject, mask: &mut Vec<u8>) -> PyObject {
    match (dtype, item) {
        (DType::Record(record), PyObject::Tuple(items)) => {
            let fields = record.fields().iter().zip(items);
            PyObject::Tuple(fields.map(|(field, item)| uncover(field.dtype(), item, mask)).collect())
        }
        (dtype, item) => {
            let (is_masked, base) = match item {
                PyObject::Subclass(object) if object.class == ArrayClass::MaskedElement => (1, &object.base),
                item => (0, item),
            };
            mask.extend(std::iter::repeat_n(is_masked, mask_size(dtype)));
            base.clone()
        }
    }
}
