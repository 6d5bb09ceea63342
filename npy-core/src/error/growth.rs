//! What is wrong with arrays that should grow.

use super::describe_axes;
use super::tuple;

/// Why nothing can be appended to an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrowthProblem {
    /// The array has no dimension along which it could grow.
    #[error("expected at least 1 dimension, found 0")]
    NoDimensions,
    /// The rows have no elements, so they cannot be counted.
    #[error("expected rows with elements, found empty ones")]
    EmptyRows,
    /// The header has no padding left for a larger shape.
    #[error("the header of {bytes} bytes has no room for a larger shape; load and save the array once")]
    HeaderFull {
        /// The length of the header in the file.
        bytes: usize,
    },
    /// Another array follows in the same file, and would be overwritten.
    #[error("expected the end of the file at byte {offset}, found another array")]
    FollowedByArray {
        /// Where it begins.
        offset: u64,
    },
    /// The elements have no fixed width before they are known.
    #[error(
        "expected elements of a fixed width, found {dtype}; `#[npy(dtype = \"U16\")]` sets the width of text, and a value such as NaN can stand \
         for `None`"
    )]
    VariableWidth {
        /// The dtype of the elements.
        dtype: String,
    },
    /// The path leads to something that cannot be seeked, such as a pipe.
    #[error("expected a seekable file; `with_len` takes the number of elements instead")]
    NotSeekable,
    /// The stream writes at its end only, so that the header cannot be updated.
    #[error("expected a stream that writes where it is seeked to, found one that only appends")]
    AppendOnly,
    /// A block has other lengths than the rows of the array.
    #[error("expected a block of shape {}, found {}", describe_axes(.expected), tuple(.found))]
    BlockShape {
        /// The lengths of the axes; `None` for the one along which the array grows.
        expected: Vec<Option<usize>>,
        /// The lengths of the axes of the block.
        found: Vec<usize>,
    },
    /// An earlier block was written in part.
    #[error("an earlier block was written in part; reopen the file to continue after its last complete row")]
    TornBlock,
}
