//! What is wrong with arrays that should grow.

use std::fmt;

use super::describe::{counted, describe_axes, tuple};

/// Why nothing can be appended to an array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrowthProblem {
    /// The array has no dimension along which it could grow.
    NoDimensions,
    /// The rows have no elements, so they cannot be counted.
    EmptyRows,
    /// The header has no padding left for a larger shape.
    HeaderFull {
        /// The length of the header in the file.
        bytes: usize,
    },
    /// Another array follows in the same file, and would be overwritten.
    FollowedByArray {
        /// Where it begins.
        offset: u64,
    },
    /// The elements have no fixed width before they are known.
    VariableWidth {
        /// The dtype of the elements.
        dtype: String,
    },
    /// The path leads to something that cannot be seeked, such as a pipe.
    NotSeekable,
    /// The stream writes at its end only, so that the header cannot be updated.
    AppendOnly,
    /// A block has other lengths than the rows of the array.
    BlockShape {
        /// The lengths of the axes; `None` for the one along which the array grows.
        expected: Vec<Option<usize>>,
        /// The lengths of the axes of the block.
        found: Vec<usize>,
    },
    /// An earlier block was written in part.
    TornBlock,
}

impl fmt::Display for GrowthProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimensions => f.write_str("expected at least 1 dimension, found 0"),
            Self::EmptyRows => f.write_str("expected rows with elements, found empty ones"),
            Self::HeaderFull { bytes } => {
                write!(
                    f,
                    "the header of {bytes} has no space for a larger shape; load and save the array once",
                    bytes = counted(bytes, "byte")
                )
            }
            Self::FollowedByArray { offset } => write!(f, "expected the end of the file at byte {offset}, found another array"),
            Self::VariableWidth { dtype } => write!(
                f,
                "expected elements of a fixed width, found {dtype}; `#[npy(dtype = \"U16\")]` sets the width of text, and a value such as NaN can stand \
         for `None`"
            ),
            Self::NotSeekable => f.write_str("expected a seekable file; `with_len` takes the number of elements instead"),
            Self::AppendOnly => f.write_str("expected a stream that writes where it is seeked to, found one that only appends"),
            Self::BlockShape { expected, found } => {
                write!(f, "expected a block of shape {}, found {}", describe_axes(expected), tuple(found))
            }
            Self::TornBlock => {
                f.write_str("an earlier block was written in part; reopen the file to continue after its last complete row")
            }
        }
    }
}

impl std::error::Error for GrowthProblem {}
