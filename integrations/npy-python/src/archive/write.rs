//! Writes archives, to a path or a file object.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use npy_core::npz::{NpzWriter, WriteOptions};
use npy_core::{Error, ErrorKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::error::raise;
use crate::memory::Parts;
use crate::stream::PyFile;

enum Writer {
    File(NpzWriter<File>),
    Object(NpzWriter<PyFile>),
}

/// An archive that is written.
#[pyclass(frozen, module = "npyfiles._native")]
pub(crate) struct ArchiveWriter(Mutex<Option<Writer>>);

/// How members are stored: whether compressed, the level, the number of threads, whether aligned, and whether synced.
type Options = (bool, u32, usize, bool, bool);

fn options_of((compressed, level, threads, aligned, durable): Options) -> WriteOptions {
    WriteOptions::new().compressed(compressed).level(level).threads(threads).aligned(aligned).durable(durable)
}

#[pymethods]
impl ArchiveWriter {
    /// Creates an archive, which replaces the file at its end.
    #[staticmethod]
    fn create(py: Python<'_>, path: PathBuf, options: Options) -> PyResult<Self> {
        Self::of(py.detach(|| NpzWriter::create_with(&path, options_of(options))).map(Writer::File), py)
    }

    /// Opens an archive to add members.
    #[staticmethod]
    fn append(py: Python<'_>, path: PathBuf, options: Options) -> PyResult<Self> {
        Self::of(py.detach(|| NpzWriter::append_with(&path, options_of(options))).map(Writer::File), py)
    }

    /// Writes to a file object, which need not be able to seek.
    #[staticmethod]
    fn to_file(py: Python<'_>, file: Py<PyAny>, can_seek: bool, options: Options) -> PyResult<Self> {
        let file = PyFile::new(file);
        let writer = if can_seek {
            NpzWriter::new_with(file, options_of(options))
        } else {
            let mut writer = NpzWriter::streaming(file);
            writer.set_options(options_of(options));
            writer
        };
        Self::of(Ok(Writer::Object(writer)), py)
    }

    /// Adds an array: its name without `.npy`, its header, and the parts of its memory.
    fn add(&self, py: Python<'_>, name: &str, header: &[u8], parts: &Bound<'_, PyAny>) -> PyResult<()> {
        let (mut parts, header) = (Parts::new(parts)?, header.to_vec());
        let mut guard = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let writer = guard.as_mut().ok_or_else(closed)?;
        let write = |sink: &mut dyn Write| {
            sink.write_all(&header).and_then(|()| parts.copy_to(1, |bytes| sink.write_all(bytes))).map_err(cannot_write)
        };
        let added = py.detach(|| match writer {
            Writer::File(archive) => archive.add_content(name, write),
            Writer::Object(archive) => archive.add_content(name, write),
        });
        added.map_err(|error| raise(py, &error))
    }

    /// Adds a file that is no array, by its full name.
    fn add_bytes(&self, py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<()> {
        let mut guard = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let added = match guard.as_mut().ok_or_else(closed)? {
            Writer::File(archive) => archive.add_bytes(name, bytes),
            Writer::Object(archive) => archive.add_bytes(name, bytes),
        };
        added.map_err(|error| raise(py, &error))
    }

    /// Writes the central directory: the archive is complete then.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let writer = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take();
        let finished = py.detach(|| match writer {
            Some(Writer::File(archive)) => archive.finish().map(|_| ()),
            Some(Writer::Object(archive)) => archive.finish().map(|_| ()),
            None => Ok(()),
        });
        finished.map_err(|error| raise(py, &error))
    }

    /// Leaves the file as it was.
    fn discard(&self, py: Python<'_>) {
        match self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take() {
            Some(Writer::File(archive)) => archive.discard(),
            Some(Writer::Object(archive)) => archive.discard(),
            None => {}
        }
    }
}

impl ArchiveWriter {
    fn of(writer: npy_core::Result<Writer>, py: Python<'_>) -> PyResult<Self> {
        writer.map(|writer| Self(Mutex::new(Some(writer)))).map_err(|error| raise(py, &error))
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("I/O operation on closed archive")
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "cannot write the member").with_source(error)
}
