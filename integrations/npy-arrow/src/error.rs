//! What can go wrong between a dtype and Arrow.

use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use npy_core::error::ValueProblem;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong: an [`ErrorKind`], and the file where the call took a path.
///
/// `{}` prints this error without its [`source`](StdError::source). It converts into an
/// [`ArrowError`], which is what a `RecordBatchReader` returns.
///
/// ```
/// use npy_arrow::{BatchOptions, ErrorKind, read_batches};
///
/// let error = read_batches("no/such/file.npy", BatchOptions::new()).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Npy(_)));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
}

impl Error {
    /// Returns what went wrong, as data to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the file that was being read or written, where the call took a path.
    pub fn path(&self) -> Option<&Path> {
        match self.kind() {
            ErrorKind::Npy(error) => error.path(),
            _ => self.0.path.as_deref(),
        }
    }

    /// Adds the path of the file, unless the error has one.
    ///
    /// ```
    /// use npy_arrow::{BatchOptions, BatchReader};
    ///
    /// let error = BatchReader::new(&b"\x93NUMPY"[..], BatchOptions::new()).unwrap_err();
    /// assert!(error.with_path("upload.npy").to_string().starts_with("upload.npy: "));
    /// ```
    #[must_use]
    pub fn with_path(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        match self.0.kind {
            ErrorKind::Npy(error) => ErrorKind::Npy(error.with_path(path)).into(),
            _ => {
                self.0.path.get_or_insert_with(|| path.to_owned());
                self
            }
        }
    }
}

/// What went wrong. Each kind carries what was found, what was expected and where.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing the `.npy` file failed.
    Npy(npy_core::Error),

    /// The Arrow crates refuse what they are given, or a source of batches failed.
    Arrow(ArrowError),

    /// The Parquet file cannot be read or written.
    #[cfg(feature = "parquet")]
    Parquet(parquet::errors::ParquetError),

    /// A dtype has no Arrow type.
    NoArrowType {
        /// The names of the field and of the records around it, joined by dots; empty for an array
        /// that is not of records.
        field: String,
        /// Its dtype.
        dtype: String,
    },

    /// An Arrow type has no dtype.
    NoDType {
        /// The names of the column and of the structs around it, joined by dots.
        column: String,
        /// Its type.
        data_type: String,
    },

    /// The width of a text is unknown while its values are still to come.
    UnknownWidth {
        /// The column.
        column: String,
        /// Its type.
        data_type: String,
    },

    /// Two columns have the same name.
    DuplicateColumn {
        /// The name.
        name: String,
    },

    /// The array would be more columns than a batch may have.
    TooManyColumns {
        /// The limit.
        limit: usize,
        /// How many there would be.
        found: usize,
    },

    /// The dtype has a field that no column holds.
    MissingColumn {
        /// The names of the field and of the records around it, joined by dots.
        column: String,
    },

    /// The dtype has no field for a column.
    UnexpectedColumn {
        /// The name.
        column: String,
    },

    /// A column has a type whose values the dtype does not hold.
    WrongType {
        /// The column.
        column: String,
        /// The dtype; empty for records and sub-arrays.
        dtype: String,
        /// The Arrow type of that dtype.
        expected: String,
        /// The type of the column.
        found: String,
    },

    /// A batch has another schema than those before it, or than the writer.
    WrongSchema {
        /// The number of the batch, from 0.
        batch: u64,
        /// The columns that were announced.
        expected: String,
        /// The columns of the batch.
        found: String,
    },

    /// A null in a column whose dtype has no missing value.
    Null {
        /// The column.
        column: String,
        /// The row, from 0, counted over all batches.
        row: u64,
        /// The dtype.
        dtype: String,
    },

    /// A value has no equivalent on the other side.
    Value {
        /// The column.
        column: String,
        /// The row, from 0, counted over all batches.
        row: u64,
        /// What is wrong with it.
        problem: ValueProblem,
    },

    /// A batch needs more memory than the address space or Arrow's 32-bit offsets hold.
    BatchTooLarge {
        /// The column; empty where it is the whole batch.
        column: String,
        /// How many rows the batch has.
        rows: usize,
    },

    /// The bytes of some rows are not as many as the rows have.
    WrongLength {
        /// How many rows.
        rows: usize,
        /// How many bytes they have.
        expected: usize,
        /// How many bytes there are.
        found: usize,
    },

    /// The objects of a column are of different types, or of one without an Arrow type.
    #[cfg(feature = "object")]
    WrongObject {
        /// The column.
        column: String,
        /// The row, from 0.
        row: u64,
        /// The type of the objects before, or all types that are supported.
        expected: String,
        /// The type of the object.
        found: String,
    },

    /// The texts of a column of objects exceed Arrow's 32-bit offsets.
    #[cfg(feature = "object")]
    ColumnTooLarge {
        /// The column.
        column: String,
    },

    /// The metadata `npy:descr` of a schema is not a dtype.
    InvalidMetadata {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
    },

    /// An earlier call failed, so that what was written is incomplete.
    FailedBefore,
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, path: None }))
    }
}

impl From<npy_core::Error> for Error {
    fn from(error: npy_core::Error) -> Self {
        ErrorKind::Npy(error).into()
    }
}

impl From<npy_core::ErrorKind> for Error {
    fn from(kind: npy_core::ErrorKind) -> Self {
        npy_core::Error::from(kind).into()
    }
}

/// An error of this crate that went through Arrow comes back as it was.
impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::ExternalError(error) => match error.downcast::<Self>() {
                Ok(own) => *own,
                Err(error) => ErrorKind::Arrow(ArrowError::ExternalError(error)).into(),
            },
            error => ErrorKind::Arrow(error).into(),
        }
    }
}

#[cfg(feature = "parquet")]
impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Self {
        ErrorKind::Parquet(error).into()
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        match error.0.kind {
            ErrorKind::Arrow(error) => error,
            _ => Self::ExternalError(Box::new(error)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An error of `npy_core` has its own path.
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", path.display())?;
        }
        self.0.kind.fmt(f)?;
        let mut source = self.source().filter(|_| f.alternate());
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// The message with those of all sources, as a `main` that returns the error prints it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:#}")
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.kind() {
            // Their messages are those of this error.
            ErrorKind::Npy(error) => error.source(),
            ErrorKind::Arrow(error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npy(error) => error.fmt(f),
            Self::Arrow(error) => error.fmt(f),
            #[cfg(feature = "parquet")]
            Self::Parquet(error) => error.fmt(f),
            Self::NoArrowType { field, dtype } => {
                if !field.is_empty() {
                    write!(f, "field {field:?}: ")?;
                }
                write!(f, "no Arrow type for dtype {dtype}; {}", way_out(field, dtype))
            }
            Self::NoDType { column, data_type } => {
                write!(f, "column {column:?}: no dtype for Arrow type {data_type}; cast the column, or leave it out")
            }
            Self::UnknownWidth { column, data_type } => {
                write!(f, "column {column:?}: unknown width of {data_type}; set `ArrayOptions::dtype` or `text_width`")
            }
            Self::DuplicateColumn { name } => write!(f, "duplicate column {name:?}; rename one of them"),
            Self::TooManyColumns { limit, found } => {
                write!(f, "too many columns: expected at most {limit}, found {found}; read the rows as lists")
            }
            Self::MissingColumn { column } => {
                write!(f, "missing column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`")
            }
            Self::UnexpectedColumn { column } => {
                write!(f, "unexpected column {column:?}; set `ArrayOptions::dtype`, or remove the metadata `npy:descr`")
            }
            Self::WrongType { column, dtype, expected, found } => {
                let dtype = if dtype.is_empty() { String::new() } else { format!(" for dtype {dtype}") };
                write!(f, "column {column:?}: wrong type{dtype}: expected {expected}, found {found}")
            }
            Self::WrongSchema { batch, expected, found } => {
                write!(f, "wrong schema of batch {batch}: expected {expected}, found {found}")
            }
            Self::Null { column, row, dtype } => {
                write!(
                    f,
                    "null in column {column:?}, row {row}: dtype {dtype} has no missing value; set `ArrayOptions::fill_nulls`"
                )
            }
            Self::Value { column, row, problem } => {
                if !column.is_empty() {
                    write!(f, "column {column:?}, ")?;
                }
                write!(f, "row {row}: ")?;
                match problem {
                    // What to do about them is another thing here.
                    ValueProblem::NotABool { byte } => write!(f, "invalid bool {byte:#04x}: expected 0 or 1"),
                    ValueProblem::NotUtf8 { position } => {
                        write!(f, "invalid UTF-8 at byte {position} of the text; unset `BatchOptions::bytes_as_text`")
                    }
                    problem => problem.fmt(f),
                }
            }
            Self::BatchTooLarge { column, rows } if column.is_empty() => {
                write!(f, "batch too large for the address space: found a length of {rows}; read fewer rows at once")
            }
            Self::BatchTooLarge { column, rows } => {
                write!(
                    f,
                    "column {column:?}: batch too large for Arrow's 32-bit offsets: found a length of {rows}; read fewer rows at once"
                )
            }
            Self::WrongLength { rows, expected, found } => {
                write!(f, "wrong size of a batch of length {rows}: expected {expected} B, found {found} B")
            }
            #[cfg(feature = "object")]
            Self::WrongObject { column, row, expected, found } => {
                let hint = "convert them with `npy_core::object`";
                write!(f, "column {column:?}, row {row}: expected {expected}, found {found}; {hint}")
            }
            #[cfg(feature = "object")]
            Self::ColumnTooLarge { column } => {
                write!(f, "column {column:?}: expected at most 2 GiB of text, found more; divide the array in Python")
            }
            Self::InvalidMetadata { key, value } => write!(f, "invalid metadata {key:?}: expected a dtype, found {value:?}"),
            Self::FailedBefore => f.write_str("cannot continue: an earlier batch failed"),
        }
    }
}

/// What to do about a dtype without an Arrow type.
fn way_out(field: &str, dtype: &str) -> &'static str {
    match (field.is_empty(), dtype.contains('O')) {
        (_, true) => "decode the objects with `BatchOptions::objects` (feature `object`), or with `npy_core::object`",
        (true, _) => "cast the array in NumPy, such as by `a.astype('f8')`",
        (false, _) => "leave it out with `BatchOptions::columns`, or cast the field in NumPy",
    }
}
