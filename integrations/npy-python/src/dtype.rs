//! Dtypes and arrays of NumPy.

use npy_core::dtype::{Record, Title};
use npy_core::{DType, Header, Order};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::memory::Memory;

static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The attribute of a module that is imported once.
pub(crate) fn attribute<'py>(
    py: Python<'py>,
    known: &PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let found = known.get_or_try_init(py, || Ok::<_, PyErr>(py.import(module)?.getattr(name)?.unbind()))?;
    Ok(found.bind(py).clone())
}

/// NumPy's dtype of a dtype.
pub(crate) fn to_numpy<'py>(py: Python<'py>, dtype: &DType) -> PyResult<Bound<'py, PyAny>> {
    let constructor = attribute(py, &DTYPE, "numpy", "dtype")?;
    match dtype {
        DType::Record(record) => constructor.call1((fields_of(py, record)?,)),
        DType::SubArray(array) => constructor.call1(((to_numpy(py, array.base())?, PyTuple::new(py, array.shape())?),)),
        DType::Scalar(scalar) => constructor.call1((scalar.to_string(),)),
    }
}

/// The arguments of a dtype with fields, by their offsets.
fn fields_of<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    let (mut names, mut formats, mut offsets, mut titles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for field in record.fields() {
        names.push(field.name());
        formats.push(to_numpy(py, field.dtype())?);
        offsets.push(field.offset());
        titles.push(match field.title() {
            Some(Title::Text(text)) => text.into_pyobject(py)?.into_any(),
            Some(Title::Literal(literal)) => py.import("ast")?.call_method1("literal_eval", (literal,))?,
            _ => py.None().into_bound(py),
        });
    }
    let arguments = PyDict::new(py);
    arguments.set_item("names", names)?;
    arguments.set_item("formats", formats)?;
    arguments.set_item("titles", titles)?;
    // An object has no bytes in a file, so that offsets of the file are not those of memory.
    if !record.fields().iter().any(|field| field.dtype().has_object()) {
        arguments.set_item("offsets", offsets)?;
        arguments.set_item("itemsize", record.itemsize())?;
    }
    Ok(arguments)
}

/// A new array whose elements are yet to be filled, in the order of the header.
pub(crate) struct NewArray<'py> {
    array: Bound<'py, PyAny>,
    is_fortran: bool,
}

impl<'py> NewArray<'py> {
    /// Allocates the elements.
    pub(crate) fn new(py: Python<'py>, header: &Header) -> PyResult<Self> {
        let is_fortran = header.order() == Order::Fortran && header.shape().len() > 1;
        let shape = header.shape();
        let shape = if is_fortran { PyTuple::new(py, shape.iter().rev())? } else { PyTuple::new(py, shape)? };
        // Unlike `numpy.empty`, it keeps the width of text of zero characters.
        let array = attribute(py, &NDARRAY, "numpy", "ndarray")?.call1((shape, to_numpy(py, header.dtype())?))?;
        Ok(Self { array, is_fortran })
    }

    /// The elements as bytes, if there are any.
    pub(crate) fn memory(&self, py: Python<'py>, header: &Header) -> PyResult<Option<Memory>> {
        if header.data_bytes() == 0 {
            return Ok(None);
        }
        let flat = self.array.call_method1(pyo3::intern!(py, "reshape"), (-1,))?;
        Memory::of(&flat.call_method1(pyo3::intern!(py, "view"), (pyo3::intern!(py, "u1"),))?).map(Some)
    }

    /// The array, once it is filled.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        if self.is_fortran { self.array.call_method0("transpose") } else { Ok(self.array) }
    }
}
