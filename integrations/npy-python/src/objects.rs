//! Python objects of an array, out of the values of `npy-core`. Nothing of the pickle is imported or called.
//!
//! The classes named here are the only ones that are made, and each by its own constructor.

use npy_core::object::{
    self, ArrayClass, Encoding, ObjectArray, ObjectOptions, Opaque, PyInt, PyObject, PyTimeZone, Subclass, UnknownGlobals,
};
use npy_core::{DynValues, ErrorKind, Order, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyList, PySet, PyString, PyTuple};

use crate::dtype::{NewArray, to_numpy};
use crate::error::raise;
use crate::header::limits;
use crate::stream::PyFile;

/// The options of a read: `encoding` of `np.load`, and whether unknown classes are kept as `Opaque`.
fn options(encoding: &str, opaque: bool) -> ReadOptions {
    let encoding = match encoding {
        "latin1" => Encoding::Latin1,
        "bytes" => Encoding::Bytes,
        _ => Encoding::Ascii,
    };
    let unknown = if opaque { UnknownGlobals::Opaque } else { UnknownGlobals::Refuse };
    ReadOptions::from(limits()).objects(ObjectOptions::new().encoding(encoding).unknown_globals(unknown))
}

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

fn is_class(object: &Opaque) -> bool {
    object.module == "builtins" && object.arguments.is_none() && object.state.is_none() && CLASSES.contains(&object.name.as_str())
}

/// Whether an object, or one in it, is of a class that is not known.
fn is_unknown(object: &PyObject) -> bool {
    match object {
        PyObject::List(items) | PyObject::Tuple(items) | PyObject::Set(items) | PyObject::FrozenSet(items) => {
            items.iter().any(is_unknown)
        }
        PyObject::Dict(entries) | PyObject::OrderedDict(entries) => {
            entries.iter().any(|(key, value)| is_unknown(key) || is_unknown(value))
        }
        PyObject::Slice(parts) => parts.iter().any(is_unknown),
        PyObject::Objects(array) => array.items().iter().any(is_unknown),
        PyObject::Subclass(object) => is_unknown(&object.base),
        PyObject::Opaque(object) => !is_class(object),
        _ => false,
    }
}

/// Loads an array of objects. Where a class is unknown, it is read once more, to see whether the class is an object itself.
pub(crate) fn load<'py>(
    py: Python<'py>,
    encoding: &str,
    opaque: bool,
    mut read: impl FnMut(ReadOptions) -> npy_core::Result<ObjectArray>,
) -> PyResult<Bound<'py, PyAny>> {
    let error = match read(options(encoding, opaque)) {
        Ok(array) => return to_numpy_array(py, &array),
        Err(error) => error,
    };
    if !opaque && error.kind() == ErrorKind::InvalidPickle {
        match read(options(encoding, true)) {
            Ok(array) if !array.items().iter().any(is_unknown) => return to_numpy_array(py, &array),
            Ok(_) => {}
            // The class was known, and what followed was not valid.
            Err(error) => return Err(raise(py, &error)),
        }
    }
    Err(raise(py, &error))
}

/// Reads an array of objects from memory, header included. The second value is the number of bytes it takes.
#[pyfunction]
pub(crate) fn read_objects<'py>(
    py: Python<'py>,
    bytes: &[u8],
    encoding: &str,
    opaque: bool,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let mut left = bytes.len();
    let array = load(py, encoding, opaque, |options| {
        let mut rest = bytes;
        let array = object::read_with(&mut rest, options)?;
        left = rest.len();
        Ok(array)
    })?;
    Ok((array, bytes.len() - left))
}

/// Reads an array of objects from a file object that stands behind the header, which is left just after the pickle.
#[pyfunction]
pub(crate) fn read_objects_from<'py>(
    py: Python<'py>,
    header: &[u8],
    file: Py<PyAny>,
    encoding: &str,
    opaque: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let stream = std::io::Read::chain(header, PyFile::new(file));
    let array = object::read_with(stream, options(encoding, opaque)).map_err(|error| raise(py, &error))?;
    to_numpy_array(py, &array)
}

/// NumPy's array of an array of objects.
fn to_numpy_array<'py>(py: Python<'py>, array: &ObjectArray) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let items = PyList::new(py, array.items().iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?)?;
    let shape = PyTuple::new(py, array.shape())?;
    let count = items.len();
    let flat = if let Some(string_dtype) = array.string_dtype() {
        let arguments = PyDict::new(py);
        arguments.set_item("coerce", string_dtype.coerce())?;
        if let Some(missing) = string_dtype.na_object() {
            arguments.set_item("na_object", to_python(py, missing)?)?;
        }
        let dtype = numpy.getattr("dtypes")?.getattr("StringDType")?.call((), Some(&arguments))?;
        numpy.call_method1("array", (items, dtype))?
    } else {
        // Unlike `numpy.array`, it does not look into items that are sequences.
        numpy.call_method1("fromiter", (items, to_numpy(py, array.dtype())?, count))?
    };
    let shaped = flat.call_method1("reshape", (shape,))?;
    match array.order() {
        Order::Fortran => numpy.call_method1("asfortranarray", (shaped,)),
        Order::C => Ok(shaped),
    }
}

fn to_list<'py>(py: Python<'py>, items: &[PyObject]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    items.iter().map(|item| to_python(py, item)).collect()
}

fn to_dict<'py>(py: Python<'py>, dict: Bound<'py, PyAny>, entries: &[(PyObject, PyObject)]) -> PyResult<Bound<'py, PyAny>> {
    for (key, value) in entries {
        dict.set_item(to_python(py, key)?, to_python(py, value)?)?;
    }
    Ok(dict)
}

fn class<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)
}

/// The object of Python that a value stands for.
fn to_python<'py>(py: Python<'py>, value: &PyObject) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        PyObject::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        PyObject::Int(value) => int(py, value)?,
        PyObject::Float(value) => PyFloat::new(py, *value).into_any(),
        PyObject::Complex { re, im } => PyComplex::from_doubles(py, *re, *im).into_any(),
        PyObject::Str(text) => PyString::new(py, text).into_any(),
        PyObject::SurrogateStr(text) => {
            let chars =
                text.code_points().map(|code| class(py, "builtins", "chr")?.call1((code,))).collect::<PyResult<Vec<_>>>()?;
            PyString::new(py, "").call_method1("join", (chars,))?
        }
        PyObject::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        PyObject::ByteArray(bytes) => PyByteArray::new(py, bytes).into_any(),
        PyObject::List(items) => PyList::new(py, to_list(py, items)?)?.into_any(),
        PyObject::Tuple(items) => PyTuple::new(py, to_list(py, items)?)?.into_any(),
        PyObject::Dict(entries) => to_dict(py, PyDict::new(py).into_any(), entries)?,
        PyObject::OrderedDict(entries) => to_dict(py, class(py, "collections", "OrderedDict")?.call0()?, entries)?,
        PyObject::Set(items) => PySet::new(py, to_list(py, items)?)?.into_any(),
        PyObject::FrozenSet(items) => PyFrozenSet::new(py, to_list(py, items)?)?.into_any(),
        PyObject::Range(parts) => class(py, "builtins", "range")?.call1(ints(py, &parts[..])?)?,
        PyObject::Fraction(parts) => class(py, "fractions", "Fraction")?.call1(ints(py, &parts[..])?)?,
        PyObject::Slice(parts) => class(py, "builtins", "slice")?.call1(PyTuple::new(py, to_list(py, &parts[..])?)?)?,
        PyObject::Decimal(text) => class(py, "decimal", "Decimal")?.call1((text,))?,
        PyObject::Uuid(bytes) => {
            let arguments = PyDict::new(py);
            arguments.set_item("bytes", PyBytes::new(py, bytes))?;
            class(py, "uuid", "UUID")?.call((), Some(&arguments))?
        }
        PyObject::Date(_) | PyObject::Time(_) | PyObject::DateTime(_) | PyObject::TimeDelta(_) | PyObject::TimeZone(_) => {
            moment(py, value)?
        }
        PyObject::DType(dtype) => to_numpy(py, dtype)?,
        PyObject::Scalar(values) => array_of(py, values)?.get_item(PyTuple::empty(py))?,
        PyObject::Array(values) => array_of(py, values)?,
        PyObject::Objects(array) => to_numpy_array(py, array)?,
        PyObject::Subclass(object) => subclass(py, object)?,
        PyObject::Opaque(object) => opaque(py, object)?,
        // `None`, and what later versions add.
        _ => py.None().into_bound(py),
    })
}

fn int<'py>(py: Python<'py>, value: &PyInt) -> PyResult<Bound<'py, PyAny>> {
    match value.to_i64() {
        Some(value) => Ok(value.into_pyobject(py)?.into_any()),
        // In hexadecimal beyond 4300 digits.
        None => class(py, "builtins", "int")?.call1((value.to_string(), 0)),
    }
}

fn ints<'py>(py: Python<'py>, values: &[PyInt]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, values.iter().map(|value| int(py, value)).collect::<PyResult<Vec<_>>>()?)
}

/// Values of the module `datetime`.
fn moment<'py>(py: Python<'py>, value: &PyObject) -> PyResult<Bound<'py, PyAny>> {
    let datetime = py.import("datetime")?;
    let fold = |fold: bool| {
        let arguments = PyDict::new(py);
        arguments.set_item("fold", u8::from(fold)).map(|()| arguments)
    };
    match value {
        PyObject::Date(date) => datetime.getattr("date")?.call1((date.year(), date.month(), date.day())),
        PyObject::Time(time) => {
            let arguments = (time.hour(), time.minute(), time.second(), time.microsecond(), zone(py, time.zone())?);
            datetime.getattr("time")?.call(arguments, Some(&fold(time.fold())?))
        }
        PyObject::DateTime(moment) => {
            let (date, time) = (moment.date(), moment.time());
            let zone = zone(py, time.zone())?;
            let clock = (time.hour(), time.minute(), time.second(), time.microsecond());
            let arguments = (date.year(), date.month(), date.day(), clock.0, clock.1, clock.2, clock.3, zone);
            datetime.getattr("datetime")?.call(arguments, Some(&fold(time.fold())?))
        }
        PyObject::TimeDelta(delta) => datetime.getattr("timedelta")?.call1((delta.days(), delta.seconds(), delta.microseconds())),
        PyObject::TimeZone(own) => zone(py, Some(own)),
        _ => Ok(py.None().into_bound(py)),
    }
}

fn zone<'py>(py: Python<'py>, zone: Option<&PyTimeZone>) -> PyResult<Bound<'py, PyAny>> {
    let Some(zone) = zone else { return Ok(py.None().into_bound(py)) };
    let datetime = py.import("datetime")?;
    let offset = zone.offset();
    let offset = datetime.getattr("timedelta")?.call1((offset.days(), offset.seconds(), offset.microseconds()))?;
    match zone.name() {
        Some(name) => datetime.getattr("timezone")?.call1((offset, name)),
        // Python has one object of UTC.
        None if !offset.is_truthy()? => datetime.getattr("timezone")?.getattr("utc"),
        None => datetime.getattr("timezone")?.call1((offset,)),
    }
}

fn array_of<'py>(py: Python<'py>, values: &DynValues) -> PyResult<Bound<'py, PyAny>> {
    let array = NewArray::new(py, values.header())?;
    if let Some(mut memory) = array.memory(py, values.header())? {
        memory.fill(|slots| slots.copy_from_slice(values.bytes()));
    }
    array.finish()
}

/// Arrays of NumPy's own subclasses.
fn subclass<'py>(py: Python<'py>, object: &Subclass) -> PyResult<Bound<'py, PyAny>> {
    let (numpy, masked) = (py.import("numpy")?, py.import("numpy.ma")?);
    match &object.class {
        ArrayClass::MaskedConstant | ArrayClass::MaskedElement => masked.getattr("masked"),
        ArrayClass::Matrix => to_python(py, &object.base)?.call_method1("view", (numpy.getattr("matrix")?,)),
        ArrayClass::RecArray => to_python(py, &object.base)?.call_method1("view", (numpy.getattr("recarray")?,)),
        ArrayClass::Record => to_python(py, &object.base),
        ArrayClass::Masked { mask, fill_value, is_void } => {
            let arguments = PyDict::new(py);
            arguments.set_item("mask", array_of(py, mask)?)?;
            if *fill_value != PyObject::None {
                arguments.set_item("fill_value", to_python(py, fill_value)?)?;
            }
            let array = masked.getattr("MaskedArray")?.call((to_python(py, &object.base)?,), Some(&arguments))?;
            if *is_void { array.get_item(PyTuple::empty(py)) } else { Ok(array) }
        }
        _ => to_python(py, &object.base),
    }
}

fn opaque<'py>(py: Python<'py>, object: &Opaque) -> PyResult<Bound<'py, PyAny>> {
    if is_class(object) {
        return class(py, "builtins", &object.name);
    }
    let arguments = object.arguments.as_deref().map(|items| PyTuple::new(py, to_list(py, items)?)).transpose()?;
    let state = object.state.as_ref().map(|state| to_python(py, state)).transpose()?;
    let entries = object.entries.iter().map(|(key, value)| Ok((to_python(py, key)?, to_python(py, value)?)));
    let entries = entries.collect::<PyResult<Vec<_>>>()?;
    let parts = (&object.module, &object.name, arguments, state, to_list(py, &object.items)?, entries);
    class(py, "npyfiles._objects", "Opaque")?.call1(parts)
}
