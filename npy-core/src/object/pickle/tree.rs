//! The visitor that makes a tree of [`PyObject`]s.

use std::borrow::Cow;

use super::super::value::array::{ObjectArray, StringDType, object_dtype};
use super::super::value::int::PyInt;
use super::super::value::subclass::ArrayClass;
use super::super::value::surrogates::SurrogateStr;
use super::super::value::time::{PyDate, PyDateTime, PyTime, PyTimeDelta, PyTimeZone};
use super::super::value::{Opaque, PyObject};
use super::super::visitor::Visitor;
use super::decode::owned;
use crate::dynamic::DynValues;
use crate::error::{Error, ErrorKind, Result};
use crate::format::dtype::DType;
use crate::format::header::Header;
use crate::options::Order;

/// Makes a tree, in which an object that occurs in several places has as many copies.
pub(crate) struct Tree;

// The methods of most values are inlined: without, texts took 1.1 times as many instructions.
impl Visitor for Tree {
    type Value = PyObject;

    #[inline]
    fn none(&mut self) -> Result<PyObject> {
        Ok(PyObject::None)
    }

    #[inline]
    fn bool(&mut self, value: bool) -> Result<PyObject> {
        Ok(PyObject::Bool(value))
    }

    #[inline]
    fn int(&mut self, value: i64) -> Result<PyObject> {
        Ok(PyObject::from(value))
    }

    fn big_int(&mut self, value: PyInt) -> Result<PyObject> {
        Ok(PyObject::Int(value))
    }

    #[inline]
    fn float(&mut self, value: f64) -> Result<PyObject> {
        Ok(PyObject::Float(value))
    }

    fn complex(&mut self, re: f64, im: f64) -> Result<PyObject> {
        Ok(PyObject::Complex { re, im })
    }

    #[inline]
    fn str(&mut self, text: Cow<'_, str>) -> Result<PyObject> {
        owned_text(text).map(PyObject::Str)
    }

    fn surrogate_str(&mut self, text: SurrogateStr) -> Result<PyObject> {
        Ok(PyObject::SurrogateStr(text))
    }

    #[inline]
    fn bytes(&mut self, bytes: Cow<'_, [u8]>) -> Result<PyObject> {
        owned(bytes).map(PyObject::Bytes)
    }

    fn byte_array(&mut self, bytes: Cow<'_, [u8]>) -> Result<PyObject> {
        owned(bytes).map(PyObject::ByteArray)
    }

    fn list(&mut self, _: usize) -> Result<PyObject> {
        Ok(PyObject::List(Vec::new()))
    }

    fn extend(&mut self, list: &mut PyObject, items: Vec<PyObject>) -> Result<()> {
        *list = PyObject::List(items);
        Ok(())
    }

    fn tuple(&mut self, items: Vec<PyObject>) -> Result<PyObject> {
        Ok(PyObject::Tuple(items))
    }

    fn dict(&mut self, _: usize) -> Result<PyObject> {
        Ok(PyObject::Dict(Vec::new()))
    }

    fn ordered_dict(&mut self, _: usize) -> Result<PyObject> {
        Ok(PyObject::OrderedDict(Vec::new()))
    }

    fn set_items(&mut self, dict: &mut PyObject, entries: Vec<(PyObject, PyObject)>) -> Result<()> {
        if let PyObject::Dict(empty) | PyObject::OrderedDict(empty) = dict {
            *empty = entries;
        }
        Ok(())
    }

    fn set(&mut self, _: usize) -> Result<PyObject> {
        Ok(PyObject::Set(Vec::new()))
    }

    fn add_items(&mut self, set: &mut PyObject, items: Vec<PyObject>) -> Result<()> {
        *set = PyObject::Set(items);
        Ok(())
    }

    fn frozen_set(&mut self, items: Vec<PyObject>) -> Result<PyObject> {
        Ok(PyObject::FrozenSet(items))
    }

    fn range(&mut self, parts: [PyInt; 3]) -> Result<PyObject> {
        Ok(PyObject::Range(Box::new(parts)))
    }

    fn slice(&mut self, parts: [PyObject; 3]) -> Result<PyObject> {
        Ok(PyObject::Slice(Box::new(parts)))
    }

    fn date(&mut self, date: PyDate) -> Result<PyObject> {
        Ok(PyObject::Date(date))
    }

    fn time(&mut self, time: PyTime) -> Result<PyObject> {
        Ok(PyObject::Time(Box::new(time)))
    }

    fn date_time(&mut self, time: PyDateTime) -> Result<PyObject> {
        Ok(PyObject::DateTime(Box::new(time)))
    }

    fn time_delta(&mut self, delta: PyTimeDelta) -> Result<PyObject> {
        Ok(PyObject::TimeDelta(delta))
    }

    fn time_zone(&mut self, zone: PyTimeZone) -> Result<PyObject> {
        Ok(PyObject::TimeZone(Box::new(zone)))
    }

    fn decimal(&mut self, text: Cow<'_, str>) -> Result<PyObject> {
        owned_text(text).map(PyObject::Decimal)
    }

    fn fraction(&mut self, parts: [PyInt; 2]) -> Result<PyObject> {
        Ok(PyObject::Fraction(Box::new(parts)))
    }

    fn uuid(&mut self, bytes: [u8; 16]) -> Result<PyObject> {
        Ok(PyObject::Uuid(bytes))
    }

    fn dtype(&mut self, dtype: DType) -> Result<PyObject> {
        Ok(PyObject::DType(Box::new(dtype)))
    }

    fn scalar(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<PyObject> {
        let values = DynValues::of_checked(header.clone(), owned(bytes)?);
        Ok(PyObject::Scalar(Box::new(values)))
    }

    fn array(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<PyObject> {
        let values = DynValues::of_checked(header.clone(), owned(bytes)?);
        Ok(PyObject::Array(Box::new(values)))
    }

    fn object_array(&mut self, dtype: DType, shape: Vec<usize>, order: Order) -> Result<PyObject> {
        Ok(PyObject::Objects(Box::new(ObjectArray::from_pickle(dtype, order, shape, Vec::new(), None))))
    }

    fn string_array(&mut self, coerce: bool, na_object: Option<PyObject>, shape: Vec<usize>, order: Order) -> Result<PyObject> {
        let string = Some(Box::new(StringDType::new(coerce, na_object)));
        Ok(PyObject::Objects(Box::new(ObjectArray::from_pickle(object_dtype(), order, shape, Vec::new(), string))))
    }

    fn set_elements(&mut self, array: &mut PyObject, elements: Vec<PyObject>) -> Result<()> {
        if let PyObject::Objects(array) = array {
            array.fill(elements);
        }
        Ok(())
    }

    fn matrix(&mut self, array: PyObject) -> Result<PyObject> {
        Ok(PyObject::of_class(ArrayClass::Matrix, array))
    }

    fn rec_array(&mut self, array: PyObject) -> Result<PyObject> {
        Ok(PyObject::of_class(ArrayClass::RecArray, array))
    }

    fn record(&mut self, scalar: PyObject) -> Result<PyObject> {
        Ok(PyObject::of_class(ArrayClass::Record, scalar))
    }

    fn masked_array(&mut self, array: PyObject, mask: DynValues, fill_value: PyObject) -> Result<PyObject> {
        masked(array, mask, fill_value, false)
    }

    fn masked_void(&mut self, array: PyObject, mask: DynValues, fill_value: PyObject) -> Result<PyObject> {
        masked(array, mask, fill_value, true)
    }

    fn masked_constant(&mut self) -> Result<PyObject> {
        Ok(PyObject::of_class(ArrayClass::MaskedConstant, PyObject::Float(0.0)))
    }

    fn opaque(&mut self, module: &str, name: &str, arguments: Option<Vec<PyObject>>) -> Result<PyObject> {
        Ok(PyObject::Opaque(Box::new(Opaque::named(module, name, arguments))))
    }

    fn set_state(
        &mut self,
        object: &mut PyObject,
        state: Option<PyObject>,
        items: Vec<PyObject>,
        entries: Vec<(PyObject, PyObject)>,
    ) -> Result<()> {
        if let PyObject::Opaque(opaque) = object {
            (opaque.state, opaque.items, opaque.entries) = (state, items, entries);
        }
        Ok(())
    }
}

fn masked(mut array: PyObject, mask: DynValues, fill_value: PyObject, is_void: bool) -> Result<PyObject> {
    if let PyObject::Objects(array) = &mut array {
        array.cover(&mask).ok_or_else(|| {
            let message = "invalid arguments of MaskedArray: expected a mask that masks no part of a sub-array";
            Error::new(ErrorKind::InvalidPickle, message)
        })?;
    }
    Ok(PyObject::of_class(ArrayClass::Masked { mask, fill_value, is_void }, array))
}

/// Copies a text of the pickle. Fails if the allocation does.
#[inline]
fn owned_text(text: Cow<'_, str>) -> Result<String> {
    match text {
        Cow::Borrowed(text) => {
            let mut copy = String::new();
            copy.try_reserve_exact(text.len()).map_err(|_| Error::out_of_memory(text.len()))?;
            copy.push_str(text);
            Ok(copy)
        }
        Cow::Owned(text) => Ok(text),
    }
}
