//! Headers between their bytes and NumPy's dtypes.

use npy_core::{DType, Error, ErrorKind, Header, Leniency, Limits, Order, Version};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::as_given::wrap;
use crate::dtype::to_numpy;
use crate::error::raise;

/// The limits of this package: NumPy's own `max_header_size` is checked in Python.
pub(crate) fn limits() -> Limits {
    Limits::new().header_bytes(usize::MAX).empty_elements(u64::MAX)
}

/// Returns how many bytes of a file its header has, as far as the bytes tell.
#[pyfunction]
pub(crate) fn header_bytes_needed(py: Python<'_>, front: &[u8]) -> PyResult<usize> {
    Header::bytes_needed_with(front, limits()).map_err(|error| raise(py, &error))
}

/// Shape, whether the order is Fortran's, and dtype, as `numpy.lib.format.read_array_header_1_0` returns them.
type Parsed<'py> = (Bound<'py, PyTuple>, bool, Bound<'py, PyAny>);

/// Returns the dtype of a literal of a header: a list of fields.
#[pyfunction]
pub(crate) fn descr_to_dtype<'py>(py: Python<'py>, descr: &str) -> PyResult<Bound<'py, PyAny>> {
    to_numpy(py, &descr.parse::<DType>().map_err(|error| raise(py, &error))?)
}

/// Parses a header from its magic string on.
#[pyfunction]
pub(crate) fn parse_header<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Parsed<'py>> {
    let (header, _) = Header::parse_with(bytes, limits()).map_err(|error| raise(py, &error))?;
    warn_of_python_2(py, &header)?;
    let dtype = to_numpy(py, header.dtype())?;
    Ok((PyTuple::new(py, header.shape())?, header.order() == Order::Fortran, dtype))
}

/// Warns of a header that Python 2 wrote, as NumPy does.
pub(crate) fn warn_of_python_2(py: Python<'_>, header: &Header) -> PyResult<()> {
    if header.leniencies().any(|leniency| leniency == Leniency::LongIntegers) {
        py.import("npyfiles.format")?.call_method0("_warn_of_python_2")?;
    }
    Ok(())
}

/// A header for a user: shape, whether the order is Fortran's, dtype, version, and the offset of the data.
pub(crate) type Described<'py> = (Bound<'py, PyTuple>, bool, Bound<'py, PyAny>, u8, u64);

/// Describes a header for a user.
pub(crate) fn describe<'py>(py: Python<'py>, header: &Header, offset: u64) -> PyResult<Described<'py>> {
    let is_fortran = header.order() == Order::Fortran;
    let dtype = to_numpy(py, header.dtype())?;
    Ok((PyTuple::new(py, header.shape())?, is_fortran, dtype, header.version().major(), offset))
}

/// Fails where a header is longer than `max_header_size` allows, with NumPy's own words.
pub(crate) fn expect_short(data_offset: u64, most: usize) -> npy_core::Result<()> {
    // Without the magic string and the length, of 10 or 12 bytes.
    let length = data_offset.saturating_sub(10);
    if length <= most as u64 {
        return Ok(());
    }
    let message = format!(
        "Header info length ({length}) is large and may not be safe to load securely.\nTo allow loading, adjust `max_header_size` or \
         fully trust the `.npy` file using `allow_pickle=True`.\nFor safety against large resource use or crashes, sandboxing may be \
         necessary."
    );
    Err(Error::new(ErrorKind::LimitExceeded, message))
}

/// Creates the header of an array.
pub(crate) fn header_of(descr: &str, is_fortran: bool, shape: &[usize], version: Option<Version>) -> npy_core::Result<Header> {
    let order = if is_fortran { Order::Fortran } else { Order::C };
    let header = Header::new(descr.parse::<DType>()?, order, shape)?;
    match version {
        Some(version) => header.with_version(version),
        None => Ok(header),
    }
}

/// The version of a format, by the number that NumPy gives it.
pub(crate) fn version_of(major: u8) -> PyResult<Version> {
    [Version::V1, Version::V2, Version::V3]
        .into_iter()
        .find(|version| version.major() == major)
        .ok_or_else(|| PyValueError::new_err("we only support format version (1,0), (2,0), and (3,0)"))
}

/// Encodes the header of an array. The second value is the version.
#[pyfunction]
#[pyo3(signature = (descr, is_fortran, shape, version=None))]
pub(crate) fn encode_header<'py>(
    py: Python<'py>,
    descr: &str,
    is_fortran: bool,
    shape: Vec<usize>,
    version: Option<u8>,
) -> PyResult<(Bound<'py, PyBytes>, u8)> {
    let version = version.map(version_of).transpose()?;
    let header = header_of(descr, is_fortran, &shape, version).map_err(|error| raise(py, &error))?;
    Ok((PyBytes::new(py, &header.to_bytes()), header.version().major()))
}

/// Wraps the text of a header as it is: what NumPy's `write_array_header_1_0` does with any dict.
#[pyfunction]
pub(crate) fn encode_header_as_given<'py>(py: Python<'py>, text: &str, version: Option<u8>) -> PyResult<(Bound<'py, PyBytes>, u8)> {
    let wanted = version.map(version_of).transpose()?;
    let versions = wanted.map_or([Version::V1, Version::V2, Version::V3].to_vec(), |version| vec![version]);
    for version in versions {
        if let Some(bytes) = wrap(text, version) {
            return Ok((PyBytes::new(py, &bytes), version.major()));
        }
    }
    let message = match wanted {
        Some(version) => format!("cannot store the header: format version {version} cannot encode it"),
        None => "cannot store the header: expected at most 4 GiB".to_owned(),
    };
    Err(raise(py, &Error::new(ErrorKind::Unstorable, message)))
}
