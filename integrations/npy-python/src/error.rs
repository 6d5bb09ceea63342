//! Errors of `npy-core` as Python's exceptions.

use std::error::Error as _;
use std::io;

use npy_core::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The function of `npyfiles._errors` that makes an exception.
static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// An error of `npy-core`, or one that Python raised below it, such as `KeyboardInterrupt` in the `read` of a file object.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    if let Some(raised) = io.and_then(|error| error.get_ref()).and_then(|inner| inner.downcast_ref::<PyErr>()) {
        return raised.clone_ref(py);
    }
    let arguments = (
        format!("{:?}", error.kind()),
        format!("{error:#}"),
        error.path(),
        error.member(),
        error.offset(),
        io.and_then(io::Error::raw_os_error),
    );
    let make = MAKE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("npyfiles._errors")?.getattr("make")?.unbind()));
    match make.and_then(|make| make.call1(py, arguments)) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}

/// An error of the system while a path is opened, read or written.
pub(crate) fn raise_io(py: Python<'_>, error: io::Error, path: &std::path::Path) -> PyErr {
    raise(py, &Error::new(ErrorKind::Io, "cannot read the file").with_source(error).with_path(path))
}

/// Wraps an exception of Python, which [`raise`] raises again.
pub(crate) fn as_io(error: PyErr) -> io::Error {
    io::Error::other(error)
}
