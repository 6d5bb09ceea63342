//! Python objects of an array, made directly from its pickle. Nothing of the pickle is imported or called.
//!
//! The classes named here are the only ones that are made, and each by its own constructor.

use std::borrow::Cow;

use npy_core::object::{
    Encoding, ObjectOptions, PyDate, PyDateTime, PyInt, PyTime, PyTimeDelta, PyTimeZone, SurrogateStr, UnknownGlobals, Visitor,
};
use npy_core::{DType, DynValues, Error, ErrorKind, Header, NpyReader, Order, ReadOptions, Result};
use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyList, PySet, PyString, PyTuple};

use crate::dtype::{NewArray, to_numpy};
use crate::error::{as_io, raise};
use crate::header::limits;
use crate::memory::put_objects;
use crate::stream::PyFile;

type Object<'py> = Bound<'py, PyAny>;

/// Classes that may be objects themselves: of Python, and made of nothing but themselves.
const CLASSES: [&str; 15] = [
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
];

/// The options of a read: `encoding` of `np.load`.
fn options(encoding: &str) -> ReadOptions {
    let encoding = match encoding {
        "latin1" => Encoding::Latin1,
        "bytes" => Encoding::Bytes,
        _ => Encoding::Ascii,
    };
    // The visitor refuses unknown classes itself, since it knows a few more.
    ReadOptions::from(limits()).objects(ObjectOptions::new().encoding(encoding).unknown_globals(UnknownGlobals::Opaque))
}

/// Loads an array of objects. With `opaque`, those of unknown classes are kept.
pub(crate) fn load<'py>(
    py: Python<'py>,
    reader: NpyReader<impl std::io::Read>,
    encoding: &str,
    opaque: bool,
) -> Result<Object<'py>> {
    reader.visit_objects(&mut Objects { py, opaque }, options(encoding))
}

/// Reads an array of objects from memory, header included. The second value is the number of bytes it takes, which others may follow.
#[pyfunction]
pub(crate) fn read_objects<'py>(py: Python<'py>, bytes: &[u8], encoding: &str, opaque: bool) -> PyResult<(Object<'py>, usize)> {
    let mut rest = bytes;
    let read = NpyReader::new_with(&mut rest, limits()).and_then(|reader| load(py, reader, encoding, opaque));
    let array = read.map_err(|error| raise(py, &error))?;
    Ok((array, bytes.len() - rest.len()))
}

/// Reads an array of objects that a file consists of, in place.
#[pyfunction]
pub(crate) fn read_object_file<'py>(py: Python<'py>, bytes: &[u8], encoding: &str, opaque: bool) -> PyResult<Object<'py>> {
    let read = NpyReader::from_bytes_with(bytes, limits()).and_then(|reader| load(py, reader, encoding, opaque));
    read.map_err(|error| raise(py, &error))
}

/// Reads an array of objects from a file object that stands behind the header, which is left just after the pickle.
#[pyfunction]
pub(crate) fn read_objects_from<'py>(
    py: Python<'py>,
    header: &[u8],
    file: Py<PyAny>,
    encoding: &str,
    opaque: bool,
) -> PyResult<Object<'py>> {
    let stream = std::io::Read::chain(header, PyFile::new(file));
    let read = NpyReader::new_with(stream, limits()).and_then(|reader| load(py, reader, encoding, opaque));
    read.map_err(|error| raise(py, &error))
}

/// Makes objects of Python.
struct Objects<'py> {
    py: Python<'py>,
    /// Whether objects of unknown classes are kept.
    opaque: bool,
}

/// An object that Python refuses to make, such as a set of lists. Interrupts and a lack of memory stay what they are.
fn failed(error: impl Into<PyErr>) -> Error {
    let error = error.into();
    let is_refused = Python::attach(|py| error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py));
    if is_refused { Error::new(ErrorKind::InvalidPickle, error.to_string()) } else { Error::from(as_io(error)) }
}

impl<'py> Objects<'py> {
    fn class(&self, module: &str, name: &str) -> Result<Object<'py>> {
        self.py.import(module).and_then(|module| module.getattr(name)).map_err(failed)
    }

    fn make(&self, module: &str, name: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> Result<Object<'py>> {
        self.class(module, name)?.call1(arguments).map_err(failed)
    }

    fn make_with(
        &self,
        (module, name): (&str, &str),
        arguments: impl pyo3::call::PyCallArgs<'py>,
        keywords: &[(&str, Object<'py>)],
    ) -> Result<Object<'py>> {
        let named = PyDict::new(self.py);
        for (name, value) in keywords {
            named.set_item(name, value).map_err(failed)?;
        }
        self.class(module, name)?.call(arguments, Some(&named)).map_err(failed)
    }

    fn integer(&self, value: &PyInt) -> Result<Object<'py>> {
        match value.to_i64() {
            Some(value) => Ok(self.number(value)),
            // In hexadecimal beyond 4300 digits.
            None => self.make("builtins", "int", (value.to_string(), 0)),
        }
    }

    fn number(&self, value: i64) -> Object<'py> {
        let Ok(number) = value.into_pyobject(self.py);
        number.into_any()
    }

    fn integers(&self, values: &[PyInt]) -> Result<Bound<'py, PyTuple>> {
        let values = values.iter().map(|value| self.integer(value)).collect::<Result<Vec<_>>>()?;
        PyTuple::new(self.py, values).map_err(failed)
    }

    fn zone(&self, zone: Option<&PyTimeZone>) -> Result<Object<'py>> {
        let Some(zone) = zone else { return Ok(self.py.None().into_bound(self.py)) };
        let class = self.class("datetime", "timezone")?;
        let offset = zone.offset();
        let offset = self.make("datetime", "timedelta", (offset.days(), offset.seconds(), offset.microseconds()))?;
        let made = match zone.name() {
            Some(name) => class.call1((offset, name)),
            // Python has one object of UTC.
            None if !offset.is_truthy().map_err(failed)? => class.getattr("utc"),
            None => class.call1((offset,)),
        };
        made.map_err(failed)
    }

    fn array_of(&self, header: &Header, bytes: &[u8]) -> Result<Object<'py>> {
        let make = || {
            let array = NewArray::new(self.py, header)?;
            if let Some(mut memory) = array.memory(self.py, header)? {
                memory.fill(|slots| slots.copy_from_slice(bytes));
            }
            array.finish()
        };
        make().map_err(failed)
    }

    /// An array whose elements are set later.
    fn empty(&self, dtype: Object<'py>, shape: Vec<usize>, order: Order) -> Result<Object<'py>> {
        let order = if order == Order::Fortran { "F" } else { "C" };
        let shape = PyTuple::new(self.py, shape).map_err(failed)?;
        self.make("numpy", "empty", (shape, dtype, order))
    }

    fn masked(&self, array: Object<'py>, mask: &DynValues, fill_value: Object<'py>) -> Result<Object<'py>> {
        let mut keywords = vec![("mask", self.array_of(mask.header(), mask.bytes())?)];
        if !fill_value.is_none() {
            keywords.push(("fill_value", fill_value));
        }
        self.make_with(("numpy.ma", "MaskedArray"), (array,), &keywords)
    }
}

impl<'py> Visitor for Objects<'py> {
    type Value = Object<'py>;

    const SHARES: bool = true;

    fn none(&mut self) -> Result<Object<'py>> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn bool(&mut self, value: bool) -> Result<Object<'py>> {
        let Ok(value) = value.into_pyobject(self.py);
        Ok(value.to_owned().into_any())
    }

    fn int(&mut self, value: i64) -> Result<Object<'py>> {
        Ok(self.number(value))
    }

    fn big_int(&mut self, value: PyInt) -> Result<Object<'py>> {
        self.integer(&value)
    }

    fn float(&mut self, value: f64) -> Result<Object<'py>> {
        Ok(PyFloat::new(self.py, value).into_any())
    }

    fn complex(&mut self, re: f64, im: f64) -> Result<Object<'py>> {
        Ok(PyComplex::from_doubles(self.py, re, im).into_any())
    }

    fn str(&mut self, text: Cow<'_, str>) -> Result<Object<'py>> {
        Ok(PyString::new(self.py, &text).into_any())
    }

    fn surrogate_str(&mut self, text: SurrogateStr) -> Result<Object<'py>> {
        let bytes = PyBytes::new(self.py, text.as_bytes());
        bytes.call_method1("decode", ("utf-8", "surrogatepass")).map_err(failed)
    }

    fn bytes(&mut self, bytes: Cow<'_, [u8]>) -> Result<Object<'py>> {
        Ok(PyBytes::new(self.py, &bytes).into_any())
    }

    fn byte_array(&mut self, bytes: Cow<'_, [u8]>) -> Result<Object<'py>> {
        Ok(PyByteArray::new(self.py, &bytes).into_any())
    }

    fn list(&mut self, _: usize) -> Result<Object<'py>> {
        Ok(PyList::empty(self.py).into_any())
    }

    fn extend(&mut self, list: &mut Object<'py>, items: Vec<Object<'py>>) -> Result<()> {
        let items = PyList::new(self.py, items).map_err(failed)?;
        list.call_method1(pyo3::intern!(self.py, "extend"), (items,)).map(|_| ()).map_err(failed)
    }

    fn tuple(&mut self, items: Vec<Object<'py>>) -> Result<Object<'py>> {
        Ok(PyTuple::new(self.py, items).map_err(failed)?.into_any())
    }

    fn dict(&mut self, _: usize) -> Result<Object<'py>> {
        Ok(PyDict::new(self.py).into_any())
    }

    fn ordered_dict(&mut self, _: usize) -> Result<Object<'py>> {
        self.make("collections", "OrderedDict", ())
    }

    fn set_items(&mut self, dict: &mut Object<'py>, entries: Vec<(Object<'py>, Object<'py>)>) -> Result<()> {
        entries.into_iter().try_for_each(|(key, value)| dict.set_item(key, value)).map_err(failed)
    }

    fn set(&mut self, _: usize) -> Result<Object<'py>> {
        Ok(PySet::empty(self.py).map_err(failed)?.into_any())
    }

    fn add_items(&mut self, set: &mut Object<'py>, items: Vec<Object<'py>>) -> Result<()> {
        set.call_method1("update", (items,)).map(|_| ()).map_err(failed)
    }

    fn frozen_set(&mut self, items: Vec<Object<'py>>) -> Result<Object<'py>> {
        Ok(PyFrozenSet::new(self.py, items).map_err(failed)?.into_any())
    }

    fn range(&mut self, parts: [PyInt; 3]) -> Result<Object<'py>> {
        let parts = self.integers(&parts)?;
        self.make("builtins", "range", parts)
    }

    fn slice(&mut self, [from, to, step]: [Object<'py>; 3]) -> Result<Object<'py>> {
        self.make("builtins", "slice", (from, to, step))
    }

    fn date(&mut self, date: PyDate) -> Result<Object<'py>> {
        self.make("datetime", "date", (date.year(), date.month(), date.day()))
    }

    fn time(&mut self, time: PyTime) -> Result<Object<'py>> {
        let arguments = (time.hour(), time.minute(), time.second(), time.microsecond(), self.zone(time.zone())?);
        self.make_with(("datetime", "time"), arguments, &[("fold", self.number(i64::from(time.fold())))])
    }

    fn date_time(&mut self, moment: PyDateTime) -> Result<Object<'py>> {
        let (date, time) = (moment.date(), moment.time());
        let day = (date.year(), date.month(), date.day());
        let arguments =
            (day.0, day.1, day.2, time.hour(), time.minute(), time.second(), time.microsecond(), self.zone(time.zone())?);
        self.make_with(("datetime", "datetime"), arguments, &[("fold", self.number(i64::from(time.fold())))])
    }

    fn time_delta(&mut self, delta: PyTimeDelta) -> Result<Object<'py>> {
        self.make("datetime", "timedelta", (delta.days(), delta.seconds(), delta.microseconds()))
    }

    fn time_zone(&mut self, zone: PyTimeZone) -> Result<Object<'py>> {
        self.zone(Some(&zone))
    }

    fn decimal(&mut self, text: Cow<'_, str>) -> Result<Object<'py>> {
        self.make("decimal", "Decimal", (&*text,))
    }

    fn fraction(&mut self, parts: [PyInt; 2]) -> Result<Object<'py>> {
        let parts = self.integers(&parts)?;
        self.make("fractions", "Fraction", parts)
    }

    fn uuid(&mut self, bytes: [u8; 16]) -> Result<Object<'py>> {
        self.make_with(("uuid", "UUID"), (), &[("bytes", PyBytes::new(self.py, &bytes).into_any())])
    }

    fn dtype(&mut self, dtype: DType) -> Result<Object<'py>> {
        to_numpy(self.py, &dtype).map_err(failed)
    }

    fn scalar(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<Object<'py>> {
        self.array_of(header, &bytes)?.get_item(PyTuple::empty(self.py)).map_err(failed)
    }

    fn array(&mut self, header: &Header, bytes: Cow<'_, [u8]>) -> Result<Object<'py>> {
        self.array_of(header, &bytes)
    }

    fn object_array(&mut self, dtype: DType, shape: Vec<usize>, order: Order) -> Result<Object<'py>> {
        let dtype = self.dtype(dtype)?;
        self.empty(dtype, shape, order)
    }

    fn string_array(
        &mut self,
        coerce: bool,
        na_object: Option<Object<'py>>,
        shape: Vec<usize>,
        order: Order,
    ) -> Result<Object<'py>> {
        let mut keywords = vec![("coerce", self.bool(coerce)?)];
        keywords.extend(na_object.map(|missing| ("na_object", missing)));
        let dtype = self.make_with(("numpy.dtypes", "StringDType"), (), &keywords)?;
        self.empty(dtype, shape, order)
    }

    fn set_elements(&mut self, array: &mut Object<'py>, elements: Vec<Object<'py>>) -> Result<()> {
        let Err(elements) = put_objects(array, elements) else { return Ok(()) };
        let count = elements.len();
        let set = || {
            let dtype = array.getattr("dtype")?;
            let elements = PyList::new(self.py, elements)?;
            let numpy = self.py.import("numpy")?;
            let flat = if dtype.getattr("char")?.eq("O")? {
                // Unlike `numpy.array`, it does not look into elements that are sequences.
                numpy.call_method1("fromiter", (elements, dtype, count))?
            } else {
                numpy.call_method1("array", (elements, dtype))?
            };
            array.set_item(self.py.Ellipsis(), flat.call_method1("reshape", (array.getattr("shape")?,))?)
        };
        set().map_err(failed)
    }

    fn matrix(&mut self, array: Object<'py>) -> Result<Object<'py>> {
        let class = self.class("numpy", "matrix")?;
        array.call_method1("view", (class,)).map_err(failed)
    }

    fn rec_array(&mut self, array: Object<'py>) -> Result<Object<'py>> {
        let class = self.class("numpy", "recarray")?;
        array.call_method1("view", (class,)).map_err(failed)
    }

    fn masked_array(&mut self, array: Object<'py>, mask: DynValues, fill_value: Object<'py>) -> Result<Object<'py>> {
        self.masked(array, &mask, fill_value)
    }

    fn masked_void(&mut self, array: Object<'py>, mask: DynValues, fill_value: Object<'py>) -> Result<Object<'py>> {
        self.masked(array, &mask, fill_value)?.get_item(PyTuple::empty(self.py)).map_err(failed)
    }

    fn masked_constant(&mut self) -> Result<Object<'py>> {
        self.class("numpy.ma", "masked")
    }

    fn opaque(&mut self, module: &str, name: &str, arguments: Option<Vec<Object<'py>>>) -> Result<Object<'py>> {
        if module == "builtins" && arguments.is_none() && CLASSES.contains(&name) {
            return self.class(module, name);
        }
        if !self.opaque {
            let message = format!(
                "unknown global {module}.{name}, which is never called; `unknown_classes=\"opaque\"` keeps it as an `Opaque`"
            );
            return Err(Error::new(ErrorKind::InvalidPickle, message));
        }
        let arguments = arguments.map(|items| PyTuple::new(self.py, items)).transpose().map_err(failed)?;
        self.make("npyfiles._objects", "Opaque", (module, name, arguments))
    }

    fn set_state(
        &mut self,
        object: &mut Object<'py>,
        state: Option<Object<'py>>,
        items: Vec<Object<'py>>,
        entries: Vec<(Object<'py>, Object<'py>)>,
    ) -> Result<()> {
        if state.is_none() && items.is_empty() && entries.is_empty() {
            return Ok(());
        }
        let set = || {
            object.setattr("state", state)?;
            object.setattr("items", items)?;
            object.setattr("entries", entries)
        };
        set().map_err(failed)
    }
}
