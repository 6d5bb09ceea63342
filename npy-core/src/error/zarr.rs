//! What keeps files from being one Zarr array.

use std::fmt;

use super::describe::counted;
use std::path::PathBuf;

/// Why files cannot be described as Zarr arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZarrProblem {
    /// There is no file.
    NoFiles,
    /// The path is not UTF-8, as JSON needs it.
    Path,
    /// Zarr has no such dtype.
    DType {
        /// The field, such as `origin.depth`; empty for the whole array.
        field: String,
        /// Its dtype.
        dtype: String,
    },
    /// The file differs from the first one.
    Differs {
        /// The first file.
        first: PathBuf,
        /// In what it differs, such as `dtype` or `order`.
        what: &'static str,
        /// What the first file has.
        expected: String,
        /// What this file has.
        found: String,
    },
    /// The rows of the file do not fit the chunks of those before it.
    Rows {
        /// The first file.
        first: PathBuf,
        /// The rows of the first file.
        expected: u64,
        /// The rows of this file.
        found: u64,
    },
}

impl fmt::Display for ZarrProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFiles => f.write_str("expected at least one file, found none"),
            Self::Path => f.write_str("expected a path in UTF-8"),
            Self::DType { field, dtype } if field.is_empty() => write!(f, "unsupported dtype {dtype}: Zarr has no such dtype"),
            Self::DType { field, dtype } => write!(f, "unsupported dtype {dtype} of field {field:?}: Zarr has no such dtype"),
            Self::Differs { first, what, expected, found } => {
                write!(f, "expected {what} {expected} as in {}, found {found}", first.display())
            }
            Self::Rows { first, expected, found } => {
                let first = first.display();
                write!(
                    f,
                    "expected {expected} as in {first}, found {found}; only the last file may have other rows",
                    expected = counted(expected, "row")
                )
            }
        }
    }
}

impl std::error::Error for ZarrProblem {}
