//! Arrays and scalars of NumPy's own subclasses.

use super::PyObject;
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, Record, Scalar, ScalarKind};

/// An array or a scalar of one of NumPy's own subclasses: `np.matrix`, `np.recarray`, `np.record`, or
/// a masked array.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Subclass {
    /// The class, and what it adds.
    pub class: ArrayClass,
    /// The same values as an `ndarray`, or as a scalar. Those of a masked array are there under the
    /// mask, too.
    pub base: PyObject,
}

/// The class of a [`Subclass`].
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
        /// A bool for each value, in the same order: whether it is masked.
        mask: DynValues,
        /// What takes the place of a masked value; `None` for the default of the dtype.
        fill_value: PyObject,
    },
    /// `numpy.ma.masked`, a masked value by itself.
    MaskedConstant,
}

impl PyObject {
    pub(crate) fn of_class(class: ArrayClass, base: Self) -> Self {
        Self::Subclass(Box::new(Subclass { class, base }))
    }

    /// The same as an `ndarray` or a plain scalar, unless values are masked.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Subclass(object) => match &object.class {
                ArrayClass::MaskedConstant => self,
                ArrayClass::Masked { mask, .. } if mask.bytes().contains(&1) => self,
                _ => &object.base,
            },
            object => object,
        }
    }
}

/// The dtype of the mask of such elements: a bool in the place of each value.
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
