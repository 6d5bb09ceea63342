//! Errors that are raised in several places, and those of other crates.

use arrow_schema::ArrowError;
use npy_core::{Error, ErrorKind};

/// Makes an error of Arrow, which is what a `RecordBatchReader` returns, of one of this crate.
///
/// Functions that take such a reader, such as [`from_batches`](crate::from_batches), return the
/// error as it was.
///
/// ```
/// use npy_arrow::arrow_schema::{ArrowError, Schema};
/// use npy_arrow::{Error, ErrorKind, arrow_error, from_batches};
///
/// let error = arrow_error(Error::new(ErrorKind::InvalidData, "no batch 3").with_path("run/3.bin"));
/// assert!(matches!(error, ArrowError::ExternalError(_)));
/// let error = from_batches(&Schema::empty(), [Err(error)]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidData);
/// assert_eq!(error.to_string(), "run/3.bin: no batch 3");
/// ```
pub fn arrow_error(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

/// An error of Arrow, with its text. An error of this crate that went through Arrow comes back as it was.
#[cold]
pub(crate) fn of_arrow(error: ArrowError) -> Error {
    let text = error.to_string();
    let external = || Error::new(ErrorKind::External, text);
    match error {
        ArrowError::ExternalError(source) => match source.downcast::<Error>() {
            Ok(own) => *own,
            Err(source) => external().with_source(source),
        },
        ArrowError::IoError(_, source) => external().with_source(source),
        _ => external(),
    }
}

/// An error of Parquet, with its text.
#[cfg(feature = "parquet")]
#[cold]
pub(crate) fn of_parquet(error: &parquet::errors::ParquetError) -> Error {
    Error::new(ErrorKind::External, error.to_string())
}

/// A dtype has no Arrow type. The path of its field is empty for an array that is not of records.
#[cold]
pub(crate) fn no_arrow_type(field: &str, dtype: &str) -> Error {
    let place = if field.is_empty() { String::new() } else { format!("field {field:?}: ") };
    let way_out = match (field.is_empty(), dtype.contains('O')) {
        (_, true) => "decode the objects with `BatchOptions::objects` (feature `object`), or with `npy_core::object`",
        (true, _) => "cast the array in NumPy, such as by `a.astype('f8')`",
        (false, _) => "leave it out with `BatchOptions::columns`, or cast the field in NumPy",
    };
    Error::new(ErrorKind::Unstorable, format!("{place}no Arrow type for dtype {dtype}; {way_out}"))
}

/// Two columns have the same name.
#[cold]
pub(crate) fn duplicate_column(name: &str) -> Error {
    Error::new(ErrorKind::Mismatch, format!("duplicate column {name:?}; rename one of them"))
}

/// The dtype has a field that no column holds.
#[cold]
pub(crate) fn missing_column(column: &str) -> Error {
    let message = format!("missing column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`");
    Error::new(ErrorKind::Mismatch, message)
}

/// The dtype has no field for a column.
#[cold]
pub(crate) fn unexpected_column(column: &str) -> Error {
    let message = format!("unexpected column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`");
    Error::new(ErrorKind::Mismatch, message)
}

/// A value has no equivalent on the other side. Rows count from 0, over all batches.
#[cold]
pub(crate) fn invalid_value(column: &str, row: u64, problem: impl std::fmt::Display) -> Error {
    let place = if column.is_empty() { String::new() } else { format!("column {column:?}, ") };
    Error::new(ErrorKind::InvalidValue, format!("{place}row {row}: {problem}"))
}

/// A batch needs more memory than the address space or, if a column is named, Arrow's 32-bit offsets hold.
#[cold]
pub(crate) fn batch_too_large(column: &str, rows: usize) -> Error {
    let (place, limit) = if column.is_empty() {
        (String::new(), "the address space")
    } else {
        (format!("column {column:?}: "), "Arrow's 32-bit offsets")
    };
    let message = format!("{place}batch too large for {limit}: found a length of {rows}; read fewer rows at once");
    Error::new(ErrorKind::TooLarge, message)
}

/// An earlier call failed, so that what was written is incomplete.
#[cold]
pub(crate) fn failed_before() -> Error {
    Error::new(ErrorKind::BrokenStream, "cannot continue: an earlier batch failed")
}
