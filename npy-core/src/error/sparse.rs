//! What is wrong with sparse matrices.

use std::fmt;

use super::describe::tuple;

/// Why arrays are not a sparse matrix, or not the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SparseProblem {
    /// The archive lacks an array that the format needs.
    MissingArray {
        /// Its name.
        name: String,
    },
    /// The format is not one that SciPy stores.
    UnknownFormat {
        /// What the archive says.
        found: String,
    },
    /// The matrix is stored in another format.
    WrongFormat {
        /// The format that was asked for.
        expected: String,
        /// What the archive says.
        found: String,
    },
    /// The shape does not have two dimensions.
    NotAMatrix {
        /// The lengths of the axes.
        shape: Vec<usize>,
    },
    /// The shape is not a multiple of the shape of the blocks.
    BlockShape {
        /// The lengths of the axes of a block.
        block: [usize; 2],
        /// The lengths of the axes of the matrix.
        shape: [usize; 2],
    },
    /// An array does not have the length that the others need.
    WrongLength {
        /// Which array.
        array: &'static str,
        /// The length that the other arrays need.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// The row pointers do not increase from 0 to at most the number of entries.
    InvalidPointers {
        /// The number of entries.
        entries: usize,
    },
    /// An index is not less than the length of its axis.
    OutOfBounds {
        /// The length of the axis.
        length: usize,
        /// The index.
        found: usize,
    },
    /// An index, a length or an offset is negative or too large for its type.
    OutOfRange {
        /// The number.
        found: i128,
    },
    /// Two diagonals have the same offset.
    DuplicateOffset {
        /// The offset.
        offset: isize,
    },
}

impl fmt::Display for SparseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingArray { name } => write!(f, "missing array {name:?}"),
            Self::UnknownFormat { found } => {
                write!(f, "unknown format {found:?}: expected \"csr\", \"csc\", \"bsr\", \"coo\" or \"dia\"")
            }
            Self::WrongFormat { expected, found } => {
                write!(f, "expected format {expected:?}, found {found:?}; `SparseMatrix` reads every format")
            }
            Self::NotAMatrix { shape } => write!(f, "expected 2 dimensions, found shape {}", tuple(shape)),
            Self::BlockShape { block, shape } => {
                write!(f, "expected a shape that is a multiple of the blocks {}, found {}", tuple(block), tuple(shape))
            }
            Self::WrongLength { array, expected, found } => write!(f, "expected {array} of length {expected}, found {found}"),
            Self::InvalidPointers { entries } => write!(f, "expected `indptr` to increase from 0 to at most {entries}"),
            Self::OutOfBounds { length, found } => write!(f, "expected indices less than {length}, found {found}"),
            Self::OutOfRange { found } => write!(f, "index {found} out of range"),
            Self::DuplicateOffset { offset } => write!(f, "duplicate diagonal offset {offset}"),
        }
    }
}

impl std::error::Error for SparseProblem {}
