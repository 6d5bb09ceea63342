//! Errors that several rooms or crates raise.

use std::fmt;
use std::io;
use std::ops::Range;

use super::describe::{counted, limited, tuple};
use super::error::{Error, Position};
use super::kind::ErrorKind;

/// Errors for readers and writers of other formats. See [`Error::new`] for an example.
impl Error {
    /// Wraps an I/O error. An error of this crate that went through `io` comes back as it was.
    pub fn io(action: &'static str, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::new(ErrorKind::Io, action).with_source(error),
        }
    }

    /// Creates the error of a truncated part of the input, such as `the array`, that begins at `offset`.
    pub fn truncated(part: &str, offset: u64, expected: u64, found: u64) -> Self {
        let needed = counted(expected, "byte");
        let message = format!("truncated file: {part} needs {needed} at offset {offset}, found {found}");
        let mut error = Self::new(ErrorKind::Truncated, message);
        error.0.position = Position::End(offset.saturating_add(found), expected.saturating_sub(found));
        error
    }

    /// Creates the error of Python objects where the call reads none.
    pub fn object_array() -> Self {
        Self::new(
            ErrorKind::ObjectArray,
            "unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load`, or as a \
             `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`",
        )
    }

    /// Creates the error of a dtype where Python objects are expected.
    #[cfg(feature = "object")]
    pub fn not_objects(dtype: impl fmt::Display) -> Self {
        let message = format!("expected an array of Python objects, found dtype {dtype}; `load` or `DynValues::load` reads it");
        Self::new(ErrorKind::Mismatch, message)
    }

    /// Creates the error of Python objects where elements of a Rust type are expected.
    #[cfg(feature = "object")]
    pub fn objects_as(rust_type: &str) -> Self {
        let message = format!(
            "cannot convert Python objects to {rust_type}; `objects_as` takes more types, `deserialize` all (feature `serde`)"
        );
        Self::new(ErrorKind::Mismatch, message)
    }

    /// Creates the error of a cast of elements that are not numbers.
    #[cfg(feature = "dynamic")]
    pub fn not_numbers(from: impl fmt::Display, to: impl fmt::Display) -> Self {
        let from = from.to_string();
        let code = from.trim_start_matches(['<', '>']);
        let hint = match from.as_str() {
            "|O" => "; `objects_as` converts Python objects",
            _ if code.starts_with("M8") || code.starts_with("m8") => {
                "; `DynArray::Datetime` and `Timedelta` hold times as integers"
            }
            record if record.starts_with('[') => "; select one of its fields",
            _ => "",
        };
        Self::new(ErrorKind::Mismatch, format!("cannot cast {from} to {to}: expected numbers{hint}"))
    }

    /// Creates the error of a call after a failed one, whose message is the cause.
    pub fn failed_before(action: &str, cause: Option<&str>) -> Self {
        let (colon, cause) = (if cause.is_some() { ": " } else { "" }, cause.unwrap_or_default());
        Self::new(ErrorKind::BrokenStream, format!("{action}: an earlier call failed{colon}{cause}"))
    }

    /// Creates the error of an exceeded [`Limits`](crate::Limits). `what` is a plural, such as
    /// `bytes of a member`.
    pub fn limit_exceeded(what: &str, limit: u64, found: u64) -> Self {
        Self::limit_exceeded_with(what, limit, found, "raise it with `Limits` if the file is trusted")
    }

    /// Creates the error of an exceeded limit that is fixed or an argument, with other advice than [`Limits`](crate::Limits).
    pub fn limit_exceeded_with(what: &str, limit: u64, found: u64, advice: &str) -> Self {
        let limit = limited(limit, what);
        Self::new(ErrorKind::LimitExceeded, format!("limit exceeded: expected at most {limit}, found {found}; {advice}"))
    }

    /// Creates the error of a failed allocation.
    pub fn out_of_memory(bytes: usize) -> Self {
        Self::new(ErrorKind::OutOfMemory, format!("cannot allocate {}", counted(bytes, "byte")))
    }

    /// Creates the error of an array that overflows the address space.
    pub fn shape_overflow(shape: &[usize], itemsize: usize) -> Self {
        let (shape, itemsize) = (tuple(shape), counted(itemsize, "byte"));
        let message = format!("array too large: shape {shape} with {itemsize} per element overflows the address space");
        Self::new(ErrorKind::TooLarge, message)
    }

    /// Creates the error of a wrong shape.
    pub fn wrong_shape(expected: &[usize], found: &[usize]) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong shape: expected {}, found {}", tuple(expected), tuple(found)))
    }

    /// Creates the error of a wrong number of dimensions. `takes_any` names a reader of every number.
    pub fn wrong_dimensions(expected: usize, shape: &[usize], takes_any: Option<&str>) -> Self {
        let (found, shape) = (shape.len(), tuple(shape));
        let advice = takes_any.map_or_else(String::new, |reader| format!("; {reader} takes any"));
        let message = format!("wrong number of dimensions: expected {expected}, found {found} with shape {shape}{advice}");
        Self::new(ErrorKind::WrongShape, message)
    }

    /// Creates the error of a wrong number of elements.
    pub fn wrong_count(expected: u64, found: u64) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong number of elements: expected {expected}, found {found}"))
    }

    /// Creates the error of data with a wrong number of bytes.
    pub fn wrong_length(expected: u64, found: u64) -> Self {
        Self::new(ErrorKind::WrongShape, format!("wrong number of bytes: expected {expected}, found {found}"))
    }

    /// Creates the error of a range that is no part of an axis of that length.
    pub fn invalid_region(axis: usize, range: Range<u64>, length: u64) -> Self {
        let Range { start, end } = range;
        let expected = if start > end { "that starts before its end".to_owned() } else { format!("within 0..{length}") };
        let message = format!("invalid region along axis {axis}: expected a range {expected}, found {start}..{end}");
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Creates the error of an array to which nothing can be appended, with the reason.
    pub fn cannot_grow(reason: impl fmt::Display) -> Self {
        Self::new(ErrorKind::CannotGrow, format!("cannot append: {reason}"))
    }

    /// Creates the error of a [`Read`](io::Read) or [`Write`](io::Write) that overreports bytes.
    pub(crate) fn invalid_count(stream: &str, expected: usize, found: usize) -> Self {
        let message = format!("invalid byte count from the {stream}: expected at most {expected}, found {found}");
        Self::new(ErrorKind::BrokenStream, message)
    }

    /// Creates the error of a pipe, a socket or a device in place of a file.
    #[cfg(any(feature = "mmap", feature = "zarr"))]
    pub(crate) fn not_regular_file() -> Self {
        Self::new(ErrorKind::InvalidInput, "expected a regular file, found a pipe or a device")
    }

    /// Creates the error of a lock held by another writer, in this process or another.
    pub(crate) fn locked() -> Self {
        Self::new(ErrorKind::Conflict, "the file is locked by another writer")
    }

    /// Creates the error of a path that leads to another file, or to none.
    pub(crate) fn replaced() -> Self {
        Self::new(ErrorKind::Conflict, "the file was replaced or removed while it was open")
    }

    /// Creates the error of a file whose length has changed.
    #[cfg(feature = "npz")]
    pub(crate) fn modified() -> Self {
        Self::new(ErrorKind::Conflict, "the file was modified by another writer")
    }
}
