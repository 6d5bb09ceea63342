//! Files that grow.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use npy_core::Error;
use npy_core::append::{RowsWriter, recover};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::error::raise;
use crate::header::{Described, describe, header_of};
use crate::memory::Parts;

/// A file to which rows are appended.
#[pyclass(frozen, module = "npyfiles._native")]
pub(crate) struct Growing(Mutex<Option<RowsWriter>>);

#[pymethods]
impl Growing {
    /// Replaces a file by an array without rows.
    #[staticmethod]
    fn create(py: Python<'_>, path: PathBuf, descr: &str, is_fortran: bool, shape: Vec<usize>) -> PyResult<Self> {
        let header = header_of(descr, is_fortran, &shape, None).map_err(|error| raise(py, &error))?;
        Self::of(py, py.detach(|| RowsWriter::create(&path, &header)))
    }

    /// Opens a file to append to it.
    #[staticmethod]
    fn append(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py, py.detach(|| RowsWriter::append(&path)))
    }

    /// Returns the header of the file as it was opened.
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Described<'py>> {
        let guard = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        describe(py, guard.as_ref().ok_or_else(closed)?.header(), 0)
    }

    /// Writes rows, which a commit counts.
    fn write(&self, py: Python<'_>, parts: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut parts = Parts::new(parts)?;
        let mut guard = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let writer = guard.as_mut().ok_or_else(closed)?;
        let itemsize = writer.header().dtype().itemsize();
        let written = py.detach(|| parts.copy_to(itemsize, |rows| writer.write(rows).map_err(Into::into)));
        written.map_err(|error| raise(py, &Error::from(error)))
    }

    /// Commits the rows written so far.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut guard = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let writer = guard.as_mut().ok_or_else(closed)?;
        py.detach(|| writer.flush()).map_err(|error| raise(py, &error))
    }

    /// Commits all rows and closes the file.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let writer = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| writer.map_or(Ok(()), RowsWriter::finish)).map_err(|error| raise(py, &error))
    }
}

impl Growing {
    fn of(py: Python<'_>, writer: npy_core::Result<RowsWriter>) -> PyResult<Self> {
        writer.map(|writer| Self(Mutex::new(Some(writer)))).map_err(|error| raise(py, &error))
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("I/O operation on closed file")
}

/// Restores a growing file after a crash: rows before, rows now, and bytes cut.
#[pyfunction]
pub(crate) fn recover_array(py: Python<'_>, path: PathBuf) -> PyResult<(u64, u64, u64)> {
    let recovered = py.detach(|| recover(&path)).map_err(|error| raise(py, &error))?;
    Ok((recovered.before, recovered.rows, recovered.cut))
}
