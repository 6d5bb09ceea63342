//! The part of the pickler that writes arrays and scalars of NumPy.

use super::super::super::value::PyObject;
use super::super::super::value::array::ObjectArray;
use super::super::super::value::subclass::{ArrayClass, Subclass};
use super::{Failure, Pickler};
use crate::dynamic::DynValues;
use crate::error::Result;
use crate::format::dtype::DType;
use crate::options::Order;

/// The module of the functions that make arrays and scalars, as NumPy has named it since 1.26.
const MULTIARRAY: &str = "numpy._core.multiarray";

/// Levels above the dtype of an array or a scalar: the call, and its state or its arguments.
const ARRAY_LEVELS: usize = 2;

impl Pickler<'_> {
    /// An array of objects; where it fails, with the index of the object.
    pub(crate) fn object_array(&mut self, class: (&str, &str), array: &ObjectArray) -> Result<(), (usize, Failure)> {
        if let Some((plain, mask)) = array.uncovered() {
            return self.masked(false, &plain, &mask, &PyObject::None);
        }
        self.begin_array(class, array.shape()).map_err(|failure| (0, failure))?;
        self.object_content(array)?;
        self.end_array();
        Ok(())
    }

    /// The dtype, the order and the objects in the state of an array.
    fn object_content(&mut self, array: &ObjectArray) -> Result<(), (usize, Failure)> {
        let levels = levels_of_array(array.shape());
        self.enter(levels).map_err(|failure| (0, failure))?;
        match array.string_dtype() {
            None => self.dtype(array.dtype()),
            Some(string) => self.string_dtype(string.coerce(), string.na_object()),
        }
        .map_err(|failure| (0, failure))?;
        self.op(if array.order() == Order::Fortran { 0x88 } else { 0x89 });
        let (items, mut index) = (array.items(), 0);
        let written = self.list(items.len(), |pickler, i| {
            index = i;
            items.get(i).map_or(Ok(()), |item| pickler.object(item))
        });
        written.map_err(|failure| (index, failure))?;
        self.leave(levels);
        Ok(())
    }

    /// A masked array of objects.
    fn masked(&mut self, is_void: bool, array: &ObjectArray, mask: &[u8], fill_value: &PyObject) -> Result<(), (usize, Failure)> {
        self.begin_masked(is_void, array.shape()).map_err(|failure| (0, failure))?;
        self.object_content(array)?;
        self.end_masked(mask, fill_value).map_err(|failure| (0, failure))
    }

    /// `_mareconstruct(MaskedArray, ndarray, (0,), 'b')`, and the beginning of its state up to the shape.
    fn begin_masked(&mut self, is_void: bool, shape: &[usize]) -> Result<(), Failure> {
        self.global("numpy.ma.core", "_mareconstruct")?;
        self.op(b'(');
        let (module, class) = if is_void { ("numpy.ma.core", "mvoid") } else { ("numpy.ma", "MaskedArray") };
        self.global(module, class)?;
        self.global("numpy", "ndarray")?;
        self.small_int(0)?;
        self.end_tuple(0x85);
        self.text("b")?;
        self.end_tuple(b't');
        self.reduce();
        self.op(b'(');
        self.small_int(1)?;
        self.shape(shape)
    }

    /// The rest of that state behind the data.
    fn end_masked(&mut self, mask: &[u8], fill_value: &PyObject) -> Result<(), Failure> {
        self.bytes(mask)?;
        self.nested(ARRAY_LEVELS, |pickler| pickler.object(fill_value))?;
        self.end_array();
        Ok(())
    }

    /// An array of anything but objects.
    pub(crate) fn array(&mut self, class: (&str, &str), array: &DynValues) -> Result<(), Failure> {
        self.begin_array(class, array.shape())?;
        self.content(array, class.1 == "recarray" && matches!(array.dtype(), DType::Record(_)))?;
        self.end_array();
        Ok(())
    }

    /// The dtype, the order and the data in the state of an array.
    fn content(&mut self, array: &DynValues, is_record: bool) -> Result<(), Failure> {
        self.nested(levels_of_array(array.shape()), |pickler| {
            // At least the lengths in the shape.
            pickler.check_levels(2)?;
            pickler.dtype_of_class(array.dtype(), is_record)
        })?;
        self.op(if array.order() == Order::Fortran { 0x88 } else { 0x89 });
        self.bytes(array.bytes())
    }

    /// An array or a scalar of one of NumPy's subclasses.
    pub(crate) fn subclass(&mut self, object: &Subclass) -> Result<(), Failure> {
        match (&object.class, &object.base) {
            (ArrayClass::Matrix, PyObject::Array(array)) => self.array(("numpy", "matrix"), array),
            (ArrayClass::Matrix, PyObject::Objects(array)) => {
                self.object_array(("numpy", "matrix"), array).map_err(|(_, failure)| failure)
            }
            // `numpy.rec` is of NumPy 2; `numpy.recarray` is in all.
            (ArrayClass::RecArray, PyObject::Array(array)) => self.array(("numpy", "recarray"), array),
            (ArrayClass::RecArray, PyObject::Objects(array)) => {
                self.object_array(("numpy", "recarray"), array).map_err(|(_, failure)| failure)
            }
            (ArrayClass::MaskedConstant | ArrayClass::MaskedElement, _) => {
                self.global("numpy.ma.core", "MaskedConstant")?;
                self.op(b')');
                self.reduce();
                Ok(())
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Array(array)) => {
                self.begin_masked(*is_void, array.shape())?;
                self.content(array, false)?;
                self.end_masked(mask.bytes(), fill_value)
            }
            (ArrayClass::Masked { mask, fill_value, is_void }, PyObject::Objects(array)) => {
                let written = match array.uncovered() {
                    Some((plain, mask)) => self.masked(*is_void, &plain, &mask, fill_value),
                    None => self.masked(*is_void, array, mask.bytes(), fill_value),
                };
                written.map_err(|(_, failure)| failure)
            }
            (ArrayClass::Record, PyObject::Scalar(scalar)) => self.scalar(scalar, true),
            (_, base) => self.nested(0, |pickler| pickler.object(base)),
        }
    }

    /// `_reconstruct(class, (0,), b'b')`, and the beginning of its state up to the shape.
    fn begin_array(&mut self, (module, class): (&str, &str), shape: &[usize]) -> Result<(), Failure> {
        self.global(MULTIARRAY, "_reconstruct")?;
        self.global(module, class)?;
        self.small_int(0)?;
        self.end_tuple(0x85);
        self.bytes(b"b")?;
        self.end_tuple(0x87);
        self.reduce();
        self.op(b'(');
        self.small_int(1)?;
        self.shape(shape)
    }

    fn end_array(&mut self) {
        self.end_tuple(b't');
        self.op(b'b');
    }

    pub(super) fn shape(&mut self, shape: &[usize]) -> Result<(), Failure> {
        let Some(opcode) = self.begin_tuple(shape.len()) else { return Ok(()) };
        for &length in shape {
            // An array has no more elements than an `isize` can count.
            self.small_int(i64::try_from(length).unwrap_or(i64::MAX))?;
        }
        self.end_tuple(opcode);
        Ok(())
    }

    /// `scalar(dtype, bytes)`.
    pub(crate) fn scalar(&mut self, scalar: &DynValues, is_record: bool) -> Result<(), Failure> {
        self.global(MULTIARRAY, "scalar")?;
        self.nested(ARRAY_LEVELS, |pickler| pickler.dtype_of_class(scalar.dtype(), is_record))?;
        self.bytes(scalar.bytes())?;
        self.end_tuple(0x86);
        self.reduce();
        Ok(())
    }

    fn string_dtype(&mut self, coerce: bool, na_object: Option<&PyObject>) -> Result<(), Failure> {
        self.global("numpy._core._internal", "_convert_to_stringdtype_kwargs")?;
        self.small_int(i64::from(coerce))?;
        self.check_levels(ARRAY_LEVELS + 1)?;
        match na_object {
            None => self.end_tuple(0x85),
            Some(missing) => {
                self.nested(ARRAY_LEVELS, |pickler| pickler.object(missing))?;
                self.end_tuple(0x86);
            }
        }
        self.reduce();
        Ok(())
    }
}

/// Each axis beyond the first is a level too.
fn levels_of_array(shape: &[usize]) -> usize {
    ARRAY_LEVELS.saturating_add(shape.len().saturating_sub(1))
}
