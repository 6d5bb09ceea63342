//! Errors of several modules and of other crates.

#[cfg(any(feature = "ipc", feature = "parquet"))]
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::{ArrowError, DataType};
use npy_core::{Error, ErrorKind};

/// Wraps an error as one of Arrow, as a `RecordBatchReader` returns.
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

/// Converts an error of Arrow. An error of this crate in it is unwrapped.
#[cold]
pub(crate) fn of_arrow(error: ArrowError) -> Error {
    let text = error.to_string();
    let external = || Error::new(ErrorKind::External, missing_codec(&text).unwrap_or(text));
    match error {
        ArrowError::ExternalError(source) => match source.downcast::<Error>() {
            Ok(own) => *own,
            Err(source) => external().with_source(source),
        },
        ArrowError::IoError(_, source) => external().with_source(source),
        _ => external(),
    }
}

/// Reads by the crates of Arrow, which panic on some damaged files.
#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> npy_core::Result<T> {
    let gave_up = |_| Error::new(ErrorKind::InvalidData, "damaged file: the Arrow or Parquet reader gave up");
    catch_unwind(AssertUnwindSafe(read)).map_err(gave_up)
}

/// Converts an error of Parquet.
#[cfg(feature = "parquet")]
#[cold]
pub(crate) fn of_parquet(error: &parquet::errors::ParquetError) -> Error {
    let text = error.to_string();
    Error::new(ErrorKind::External, missing_codec(&text).unwrap_or(text))
}

/// Names the feature that decompresses a file, from what Arrow and Parquet say without it.
fn missing_codec(text: &str) -> Option<String> {
    let codec = match text.split_once("Disabled feature at compile time: ") {
        Some((_, codec)) => codec.split(|letter: char| !letter.is_alphanumeric()).next()?,
        None => text.split_once(" IPC decompression requires the ")?.0.rsplit(' ').next()?,
    };
    let way_out = match codec {
        "brotli" => "write the file with zstd or snappy",
        _ => "enable the feature `codecs` of `npy-arrow`",
    };
    let codec = if codec == "flate2" { "gzip" } else { codec };
    Some(format!("cannot decompress {codec}; {way_out}"))
}

/// Creates the error of a dtype without an Arrow type. The path is that of its field, or empty.
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

/// Creates the error of an Arrow type without a dtype.
#[cold]
pub(crate) fn no_dtype(column: &str, data_type: &DataType) -> Error {
    let way_out = match data_type {
        DataType::Null => "all its values are null; leave it out with `ArrayOptions::columns`",
        _ if data_type.is_decimal() => {
            "set `ArrayOptions::decimals_as_floats`, cast it to a float, or leave it out with `ArrayOptions::columns`"
        }
        _ => "leave it out with `ArrayOptions::columns`, or cast it",
    };
    Error::new(ErrorKind::Unstorable, format!("column {column:?}: no dtype for Arrow type {data_type}; {way_out}"))
}

/// Creates the error of two columns of one name.
#[cold]
pub(crate) fn duplicate_column(name: &str) -> Error {
    Error::new(ErrorKind::Mismatch, format!("duplicate column {name:?}; rename one of them"))
}

/// Creates the error of a field without a column.
#[cold]
pub(crate) fn missing_column(column: &str) -> Error {
    let message = format!("missing column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`");
    Error::new(ErrorKind::Mismatch, message)
}

/// Creates the error of a column without a field.
#[cold]
pub(crate) fn unexpected_column(column: &str) -> Error {
    let message = format!("unexpected column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`");
    Error::new(ErrorKind::Mismatch, message)
}

/// Creates the error of a value without an equivalent. Rows count from 0, over all batches.
#[cold]
pub(crate) fn invalid_value(column: &str, row: u64, problem: impl std::fmt::Display) -> Error {
    let place = if column.is_empty() { String::new() } else { format!("column {column:?}, ") };
    Error::new(ErrorKind::InvalidValue, format!("{place}row {row}: {problem}"))
}

/// Creates the error of a batch beyond the address space, or of a column beyond Arrow's 32-bit offsets.
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

/// Creates the error of a call after a failed one.
#[cold]
pub(crate) fn failed_before() -> Error {
    Error::new(ErrorKind::BrokenStream, "cannot continue: an earlier batch failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test program `codecs` has what Arrow and Parquet say, in a build without the feature.
    #[test]
    fn missing_codecs_name_the_way_out() {
        for (text, expected) in [
            ("Ipc error: lz4 IPC decompression requires the lz4 feature", Some("lz4; enable the feature `codecs` of `npy-arrow`")),
            (
                "Parquet argument error: Disabled feature at compile time: flate2",
                Some("gzip; enable the feature `codecs` of `npy-arrow`"),
            ),
            ("NYI: Disabled feature at compile time: brotli", Some("brotli; write the file with zstd or snappy")),
            ("Parquet error: EOF", None),
        ] {
            assert_eq!(missing_codec(text), expected.map(|expected| format!("cannot decompress {expected}")), "{text}");
        }
    }
}
