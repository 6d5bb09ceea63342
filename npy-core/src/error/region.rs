//! What is wrong with regions.

use std::fmt;
use std::ops::Range;

/// Why a region is not a part of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegionProblem {
    /// The range exceeds the axis.
    OutOfBounds {
        /// What was asked for.
        range: Range<u64>,
        /// The length of the axis.
        length: u64,
    },
    /// The range begins after its end.
    Reversed {
        /// What was asked for.
        range: Range<u64>,
    },
    /// The step is 0.
    ZeroStep,
}

impl fmt::Display for RegionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { range, length } => {
                write!(f, "expected a range within 0..{length}, found {}..{}", range.start, range.end)
            }
            Self::Reversed { range } => {
                write!(f, "expected a range that starts before its end, found {}..{}", range.start, range.end)
            }
            Self::ZeroStep => f.write_str("expected a step of at least 1, found 0"),
        }
    }
}

impl std::error::Error for RegionProblem {}
