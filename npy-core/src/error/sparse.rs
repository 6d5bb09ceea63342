//! What is wrong with sparse matrices.

use super::tuple;

/// Why arrays are not a sparse matrix, or not the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SparseProblem {
    /// The archive lacks an array that the format needs.
    #[error("missing array {name:?}")]
    MissingArray {
        /// Its name.
        name: String,
    },
    /// The format is not one that SciPy stores.
    #[error("unknown format {found:?}: expected \"csr\", \"csc\", \"bsr\", \"coo\" or \"dia\"")]
    UnknownFormat {
        /// What the archive says.
        found: String,
    },
    /// The matrix is stored in another format.
    #[error("expected format {expected:?}, found {found:?}; `SparseMatrix` reads every format")]
    WrongFormat {
        /// The format that was asked for.
        expected: String,
        /// What the archive says.
        found: String,
    },
    /// The shape does not have two dimensions.
    #[error("expected 2 dimensions, found shape {}", tuple(.shape))]
    NotAMatrix {
        /// The lengths of the axes.
        shape: Vec<usize>,
    },
    /// The shape is not a multiple of the shape of the blocks.
    #[error("expected a shape that is a multiple of the blocks {}, found {}", tuple(.block), tuple(.shape))]
    BlockShape {
        /// The lengths of the axes of a block.
        block: [usize; 2],
        /// The lengths of the axes of the matrix.
        shape: [usize; 2],
    },
    /// An array does not have the length that the others need.
    #[error("expected {array} of length {expected}, found {found}")]
    WrongLength {
        /// Which array.
        array: &'static str,
        /// The length that the other arrays need.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// The row pointers do not increase from 0 to at most the number of entries.
    #[error("expected `indptr` to increase from 0 to at most {entries}")]
    InvalidPointers {
        /// The number of entries.
        entries: usize,
    },
    /// An index is not less than the length of its axis.
    #[error("expected indices less than {length}, found {found}")]
    OutOfBounds {
        /// The length of the axis.
        length: usize,
        /// The index.
        found: usize,
    },
    /// An index, a length or an offset is negative or too large for its type.
    #[error("index {found} out of range")]
    OutOfRange {
        /// The number.
        found: i128,
    },
    /// Two diagonals have the same offset.
    #[error("duplicate diagonal offset {offset}")]
    DuplicateOffset {
        /// The offset.
        offset: isize,
    },
}
