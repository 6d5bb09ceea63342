//! Pickles arrays and scalars of NumPy.

use super::super::super::value::PyObject;
use super::super::super::value::array::ObjectArray;
use super::super::super::value::subclass::{ArrayClass, Subclass};
use super::{Failure, Pickler};
use crate::dynamic::DynValues;
use crate::error::Result;
use crate::format::dtype::DType;
use crate::options::Order;

/// The module of the constructors of arrays and scalars since NumPy 1.26.
const MULTIARRAY: &str = "numpy._core.multiarray";

/// The array of a state.
#[derive(Clone, Copy)]
enum Content<'a> {
    Objects(&'a ObjectArray),
    Values { array: &'a DynValues, is_record: bool },
}

impl Content<'_> {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Objects(array) => array.shape(),
            Self::Values { array, .. } => array.shape(),
        }
    }
}

impl Pickler<'_> {
    /// Writes an array of objects.
    pub(crate) fn object_array(&mut self, class: (&str, &str), array: &ObjectArray) -> Result<(), Failure> {
        match array.uncovered() {
            Some((plain, mask)) => self.masked_array(false, Content::Objects(&plain), &mask, &PyObject::None),
            None => self.plain_array(class, Content::Objects(array)),
        }
    }

    /// Writes an array without objects.
    pub(super) fn array(&mut self, class: (&str, &str), array: &DynValues) -> Result<(), Failure> {
        let is_record = class.1 == "recarray" && matches!(array.dtype(), DType::Record(_));
        self.plain_array(class, Content::Values { array, is_record })
    }

    /// Writes an array or a scalar of a subclass.
    pub(super) fn subclass(&mut self, object: &Subclass) -> Result<(), Failure> {
        match (&object.class, &object.base) {
            (ArrayClass::Matrix, PyObject::Array(array)) => self.array(("numpy", "matrix"), array),
            (ArrayClass::Matrix, PyObject::Objects(array)) => self.object_array(("numpy", "matrix"), array),
            // `numpy.rec` exists in NumPy 2 only.
            (ArrayClass::RecArray, PyObject::Array(array)) => self.array(("numpy", "recarray"), array),
            (ArrayClass::RecArray, PyObject::Objects(array)) => self.object_array(("numpy", "recarray"), array),
            (ArrayClass::MaskedConstant | ArrayClass::MaskedElement, _) => {
                self.call(("numpy.ma.core", "MaskedConstant"), 0, |_| Ok(()))
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Array(array)) => {
                self.masked_array(*is_void, Content::Values { array, is_record: false }, mask.bytes(), fill_value)
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Objects(array)) => match array.uncovered() {
                Some((plain, mask)) => self.masked_array(*is_void, Content::Objects(&plain), &mask, fill_value),
                None => self.masked_array(*is_void, Content::Objects(array), mask.bytes(), fill_value),
            },
            (ArrayClass::Record, PyObject::Scalar(scalar)) => self.scalar(scalar, true),
            (_, base) => self.object(base),
        }
    }

    /// Writes `_reconstruct(class, (0,), b'b')` and its state.
    fn plain_array(&mut self, (module, class): (&str, &str), content: Content<'_>) -> Result<(), Failure> {
        self.call((MULTIARRAY, "_reconstruct"), 3, |pickler| {
            pickler.global(module, class)?;
            pickler.shape(&[0])?;
            pickler.bytes(b"b")
        })?;
        self.state(5, content.shape().len(), |pickler| pickler.content(content))
    }

    /// Writes `_mareconstruct(MaskedArray, ndarray, (0,), 'b')` and its state.
    fn masked_array(&mut self, is_void: bool, content: Content<'_>, mask: &[u8], fill_value: &PyObject) -> Result<(), Failure> {
        self.call(("numpy.ma.core", "_mareconstruct"), 4, |pickler| {
            let (module, class) = if is_void { ("numpy.ma.core", "mvoid") } else { ("numpy.ma", "MaskedArray") };
            pickler.global(module, class)?;
            pickler.global("numpy", "ndarray")?;
            pickler.shape(&[0])?;
            pickler.text("b")
        })?;
        self.state(7, content.shape().len(), |pickler| {
            pickler.content(content)?;
            pickler.bytes(mask)?;
            pickler.object(fill_value)
        })
    }

    /// Writes version, shape, dtype, order and data, the state of an array.
    fn content(&mut self, content: Content<'_>) -> Result<(), Failure> {
        self.small_int(1)?;
        self.shape(content.shape())?;
        match content {
            Content::Objects(array) => {
                match array.string_dtype() {
                    None => self.dtype(array.dtype(), false)?,
                    Some(string) => self.string_dtype(string.coerce(), string.na_object())?,
                }
                self.bool(array.order() == Order::Fortran);
                self.list(array.items().len(), |pickler, i| {
                    let written = pickler.item(array.items(), i);
                    if written.is_err() {
                        pickler.failed = i;
                    }
                    written
                })
            }
            Content::Values { array, is_record } => {
                self.dtype(array.dtype(), is_record)?;
                self.bool(array.order() == Order::Fortran);
                self.bytes(array.bytes())
            }
        }
    }

    pub(super) fn shape(&mut self, shape: &[usize]) -> Result<(), Failure> {
        self.tuple(shape.len(), |pickler| {
            // An array has no more elements than an `isize` can count.
            shape.iter().try_for_each(|length| pickler.small_int(i64::try_from(*length).unwrap_or(i64::MAX)))
        })
    }

    /// Writes `scalar(dtype, bytes)`.
    pub(super) fn scalar(&mut self, scalar: &DynValues, is_record: bool) -> Result<(), Failure> {
        self.call((MULTIARRAY, "scalar"), 2, |pickler| {
            pickler.dtype(scalar.dtype(), is_record)?;
            pickler.bytes(scalar.bytes())
        })
    }

    fn string_dtype(&mut self, coerce: bool, na_object: Option<&PyObject>) -> Result<(), Failure> {
        let count = if na_object.is_some() { 2 } else { 1 };
        self.call(("numpy._core._internal", "_convert_to_stringdtype_kwargs"), count, |pickler| {
            pickler.small_int(i64::from(coerce))?;
            na_object.map_or(Ok(()), |missing| pickler.object(missing))
        })
    }
}
