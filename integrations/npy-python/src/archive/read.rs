//! Reads archives, from a path or a file object.

use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use npy_core::npz::{ArchiveFile, NpzReader};
use npy_core::{Error, ErrorKind, ReadOptions};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::dtype::NewArray;
use crate::error::raise;
use crate::file::read_up_to;
use crate::header::limits;
use crate::stream::PyFile;

/// Bytes read between two looks for a signal.
const READ_BYTES: usize = 64 << 20;

enum Reader {
    /// Of a file that was opened by its path.
    File(Box<NpzReader<ArchiveFile>>, PathBuf),
    Object(Box<NpzReader<PyFile>>),
}

/// Calls a method of either reader.
macro_rules! of {
    ($reader:expr, $archive:ident => $result:expr) => {
        match $reader {
            Reader::File($archive, _) => $result,
            Reader::Object($archive) => $result,
        }
    };
}

/// An open archive.
#[pyclass(frozen, module = "npyfiles._native")]
pub(crate) struct Archive(Mutex<Option<Reader>>);

impl Archive {
    fn with<A>(&self, py: Python<'_>, read: impl FnOnce(&mut Reader) -> PyResult<A>) -> PyResult<A> {
        // Its holder may wait for the interpreter, which a thread that waits for the lock must not keep.
        match self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(reader) => read(reader),
            None => Err(PyValueError::new_err("I/O operation on closed archive")),
        }
    }
}

#[pymethods]
impl Archive {
    /// Opens an archive by its path.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<Self> {
        let options = ReadOptions::from(limits()).threads(threads);
        let reader = py.detach(|| NpzReader::open_with(&path, options)).map_err(|error| raise(py, &error))?;
        Ok(Self(Mutex::new(Some(Reader::File(Box::new(reader), path)))))
    }

    /// Opens an archive in a file object that can seek.
    #[staticmethod]
    fn from_file(py: Python<'_>, file: Py<PyAny>) -> PyResult<Self> {
        let reader = NpzReader::new_with(PyFile::new(file), limits()).map_err(|error| raise(py, &error))?;
        Ok(Self(Mutex::new(Some(Reader::Object(Box::new(reader))))))
    }

    /// Returns the full names of the members, in their order.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |reader| {
            of!(reader, archive => Ok((0..archive.len()).filter_map(|index| archive.full_name(index).map(str::to_owned)).collect()))
        })
    }

    /// Reads a member: an array, or the bytes of another file. `None` for an array of objects.
    fn read<'py>(&self, py: Python<'py>, name: &str, max_header_size: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.with(py, |reader| {
            let path = if let Reader::File(_, path) = reader { Some(path.clone()) } else { None };
            let in_file = |error: Error| {
                let error = error.with_member(name.strip_suffix(".npy").unwrap_or(name));
                let error = match &path {
                    Some(path) => error.with_path(path),
                    None => error,
                };
                raise(py, &error)
            };
            of!(reader, archive => {
                let index = archive.index().by_full_name(name).ok_or_else(|| no_member(name))?;
                read_member(py, archive, index, max_header_size, &in_file)
            })
        })
    }

    /// Reads an array of objects.
    fn read_objects<'py>(&self, py: Python<'py>, name: &str, encoding: &str, opaque: bool) -> PyResult<Bound<'py, PyAny>> {
        self.with(py, |reader| {
            of!(reader, archive => {
                let index = archive.index().by_full_name(name).ok_or_else(|| no_member(name))?;
                let read = archive.array(index).and_then(|array| crate::objects::load(py, array, encoding, opaque));
                read.map_err(|error| raise(py, &archive.locate(error, index)))
            })
        })
    }

    /// Returns shape, order, dtype, version and the offset of the data in the member.
    fn header<'py>(&self, py: Python<'py>, name: &str) -> PyResult<crate::header::Described<'py>> {
        self.with(py, |reader| {
            of!(reader, archive => {
                let index = archive.index().by_full_name(name).ok_or_else(|| no_member(name))?;
                let read = archive.array(index).map(|array| (array.header().clone(), array.data_offset()));
                let (header, offset) = read.map_err(|error| raise(py, &error))?;
                crate::header::describe(py, &header, offset)
            })
        })
    }

    /// Returns where the data of a stored member begin and end in the file. `None` if it is compressed.
    fn stored_range(&self, py: Python<'_>, name: &str) -> PyResult<Option<(u64, u64)>> {
        self.with(py, |reader| {
            of!(reader, archive => {
                let index = archive.index().by_full_name(name).ok_or_else(|| no_member(name))?;
                if archive.method(index) != Some(0) {
                    return Ok(None);
                }
                let range = archive.data_range(index).map_err(|error| raise(py, &error))?;
                Ok(Some((range.start, range.end)))
            })
        })
    }

    /// Reads every member, and checks its checksum.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |reader| of!(reader, archive => py.detach(|| archive.verify()).map_err(|error| raise(py, &error))))
    }

    /// Closes the archive. Its file is closed if it was opened by its path.
    fn close(&self, py: Python<'_>) {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn no_member(name: &str) -> PyErr {
    PyKeyError::new_err(format!("{name} is not a file in the archive"))
}

fn read_member<'py, R: Read + Seek + Send>(
    py: Python<'py>,
    archive: &mut NpzReader<R>,
    index: usize,
    max_header_size: usize,
    fail: &dyn Fn(Error) -> PyErr,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let reader = match archive.array(index) {
        Ok(reader) => reader,
        Err(error) if error.kind() == ErrorKind::WrongFormat => {
            let bytes = py.detach(|| archive.bytes(index, u64::MAX)).map_err(|error| raise(py, &error))?;
            return Ok(Some(PyBytes::new(py, &bytes).into_any()));
        }
        Err(error) => return Err(raise(py, &error)),
    };
    let (header, offset) = (reader.header().clone(), reader.data_offset());
    crate::header::expect_short(offset, max_header_size).map_err(fail)?;
    crate::header::warn_of_python_2(py, &header)?;
    if header.dtype().has_object() {
        return Ok(None);
    }
    let array = NewArray::new(py, &header)?;
    let mut member = reader.into_inner();
    if let Some(mut memory) = array.memory(py, &header)? {
        let mut done = 0;
        while done < memory.len() {
            let end = memory.len().min(done + READ_BYTES);
            let count = py.detach(|| memory.fill(|slots| read_up_to(&mut member, &mut slots[done..end])));
            let count = count.map_err(|error| fail(error.into()))?;
            if count < end - done {
                return Err(fail(Error::truncated("the array", offset, header.data_bytes(), (done + count) as u64)));
            }
            done = end;
            py.check_signals()?;
        }
    }
    // Its end is where the checksum is compared.
    py.detach(|| io::copy(&mut member, &mut io::sink())).map_err(|error| fail(error.into()))?;
    array.finish().map(Some)
}
