//! Errors that several rooms or crates raise.

use std::fmt;
use std::io;
use std::ops::Range;

use super::describe::{counted, limited, tuple};
use super::{Error, ErrorKind, Position};

/// Errors that readers and writers of other formats raise too. See [`Error::new`] for an example.
impl Error {
    /// Wraps an I/O error. An error of this crate that went through `io` comes back as it was.
    pub fn io(action: &'static str, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::new(ErrorKind::Io, action).with_source(error),
        }
    }

    /// A part of the input, such as `the array`, ends too early. It begins at the offset.
    pub fn truncated(part: &str, offset: u64, expected: u64, found: u64) -> Self {
        let needed = counted(expected, "byte");
        let message = format!("truncated file: {part} needs {needed} at offset {offset}, found {found}");
        let mut error = Self::new(ErrorKind::Truncated, message);
        error.0.position = Position::End(offset.saturating_add(found), expected.saturating_sub(found));
        error
    }

    /// The elements are Python objects, which the call does not read.
    pub fn object_array() -> Self {
        Self::new(
            ErrorKind::ObjectArray,
            "unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load`, or as a \
             `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`",
        )
    }

    /// The elements are of this dtype, and not Python objects.
    #[cfg(feature = "object")]
    pub fn not_objects(dtype: impl fmt::Display) -> Self {
        let message = format!("expected an array of Python objects, found dtype {dtype}; `load` or `DynValues::load` reads it");
        Self::new(ErrorKind::Mismatch, message)
    }

    /// An earlier call failed, for the cause, so that the position in the stream is unknown.
    pub fn failed_before(action: &str, cause: Option<&str>) -> Self {
        let (colon, cause) = (if cause.is_some() { ": " } else { "" }, cause.unwrap_or_default());
        Self::new(ErrorKind::BrokenStream, format!("{action}: an earlier call failed{colon}{cause}"))
    }

    /// One of the [`Limits`](crate::Limits) is exceeded: by how many of what, a noun in the plural.
    pub fn limit_exceeded(what: &str, limit: u64, found: u64) -> Self {
        let limit = limited(limit, what);
        let message =
            format!("limit exceeded: expected at most {limit}, found {found}; raise it with `Limits` if the file is trusted");
        Self::new(ErrorKind::LimitExceeded, message)
    }

    /// Memory of that many bytes cannot be allocated.
    pub fn out_of_memory(bytes: usize) -> Self {
        Self::new(ErrorKind::OutOfMemory, format!("cannot allocate {}", counted(bytes, "byte")))
    }

    /// An array of the shape overflows the address space.
    pub fn shape_overflow(shape: &[usize], itemsize: usize) -> Self {
        let (shape, itemsize) = (tuple(shape), counted(itemsize, "byte"));
        let message = format!("array too large: shape {shape} with {itemsize} per element overflows the address space");
        Self::new(ErrorKind::TooLarge, message)
    }

    /// The array has another shape than the call needs.
    pub fn wrong_shape(expected: &[usize], found: &[usize]) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong shape: expected {}, found {}", tuple(expected), tuple(found)))
    }

    /// The array has another number of dimensions than the call needs. A reader may take any.
    pub fn wrong_dimensions(expected: usize, shape: &[usize], takes_any: Option<&str>) -> Self {
        let (found, shape) = (shape.len(), tuple(shape));
        let advice = takes_any.map_or_else(String::new, |reader| format!("; {reader} takes any"));
        let message = format!("wrong number of dimensions: expected {expected}, found {found} with shape {shape}{advice}");
        Self::new(ErrorKind::WrongShape, message)
    }

    /// The number of elements differs from the expected one.
    pub fn wrong_count(expected: u64, found: u64) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong number of elements: expected {expected}, found {found}"))
    }

    /// The data have more or fewer bytes than the dtype and the shape need.
    pub fn wrong_length(expected: u64, found: u64) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong number of bytes: expected {expected}, found {found}"))
    }

    /// A range is not a part of an axis of this length.
    pub fn invalid_region(axis: usize, range: Range<u64>, length: u64) -> Self {
        let Range { start, end } = range;
        let expected = if start > end { "that starts before its end".to_owned() } else { format!("within 0..{length}") };
        let message = format!("invalid region along axis {axis}: expected a range {expected}, found {start}..{end}");
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Nothing can be appended to the array, for the reason.
    pub fn cannot_grow(reason: impl fmt::Display) -> Self {
        Self::new(ErrorKind::CannotGrow, format!("cannot grow the array: {reason}"))
    }

    /// A custom [`Read`](io::Read) or [`Write`](io::Write) reports more bytes than it was given.
    pub(crate) fn invalid_count(stream: &str, expected: usize, found: usize) -> Self {
        let message = format!("invalid byte count from the {stream}: expected at most {expected}, found {found}");
        Self::new(ErrorKind::BrokenStream, message)
    }

    /// The path leads to a pipe, a socket or a device.
    #[cfg(any(feature = "mmap", feature = "zarr"))]
    pub(crate) fn not_regular_file() -> Self {
        Self::new(ErrorKind::InvalidInput, "expected a regular file, found a pipe or a device")
    }

    /// Another writer, in this process or another, holds the lock of the file.
    pub(crate) fn locked() -> Self {
        Self::new(ErrorKind::Conflict, "the file is locked by another writer")
    }

    /// Another file has the path, or none has.
    pub(crate) fn replaced() -> Self {
        Self::new(ErrorKind::Conflict, "the file was replaced or removed while it was open")
    }

    /// The length of the file has changed.
    #[cfg(feature = "npz")]
    pub(crate) fn modified() -> Self {
        Self::new(ErrorKind::Conflict, "the file was modified by another writer")
    }
}
