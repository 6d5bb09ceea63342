//! File objects of Python as streams of Rust.

use std::io::{self, Read, Seek, SeekFrom, Write};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::as_io;

/// A file object of Python: anything with the methods that are called.
pub(crate) struct PyFile(Py<PyAny>);

impl PyFile {
    /// Wraps a file object.
    pub(crate) fn new(file: Py<PyAny>) -> Self {
        Self(file)
    }
}

impl Read for PyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let given = self.0.call_method1(py, pyo3::intern!(py, "read"), (buffer.len(),)).map_err(as_io)?;
            let bytes = given.extract::<&[u8]>(py).map_err(|error| as_io(error.into()))?;
            let slots =
                buffer.get_mut(..bytes.len()).ok_or_else(|| io::Error::other("`read` returned more bytes than requested"))?;
            slots.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl Write for PyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let result = self.0.call_method1(py, pyo3::intern!(py, "write"), (PyBytes::new(py, bytes),)).map_err(as_io)?;
            // A writer without a result has taken all.
            Ok(result.extract::<usize>(py).map_or(bytes.len(), |count| count.min(bytes.len())))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Python::attach(|py| match self.0.bind(py).getattr_opt(pyo3::intern!(py, "flush")).map_err(as_io)? {
            Some(flush) => flush.call0().map(|_| ()).map_err(as_io),
            None => Ok(()),
        })
    }
}

impl Seek for PyFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match position {
            SeekFrom::Start(offset) => (i128::from(offset), 0),
            SeekFrom::Current(offset) => (i128::from(offset), 1),
            SeekFrom::End(offset) => (i128::from(offset), 2),
        };
        Python::attach(|py| {
            let at = self.0.call_method1(py, pyo3::intern!(py, "seek"), (offset, whence)).map_err(as_io)?;
            if let Ok(at) = at.extract(py) {
                return Ok(at);
            }
            let at = self.0.call_method0(py, pyo3::intern!(py, "tell")).map_err(as_io)?;
            at.extract(py).map_err(as_io)
        })
    }
}
