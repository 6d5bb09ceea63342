//! What is wrong with regions.

use std::ops::Range;

/// Why a region is not a part of an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionProblem {
    /// The range exceeds the axis.
    #[error("expected a range within 0..{length}, found {}..{}", .range.start, .range.end)]
    OutOfBounds {
        /// What was asked for.
        range: Range<u64>,
        /// The length of the axis.
        length: u64,
    },
    /// The range begins after its end.
    #[error("expected a range that starts before its end, found {}..{}", .range.start, .range.end)]
    Reversed {
        /// What was asked for.
        range: Range<u64>,
    },
    /// The step is 0.
    #[error("expected a step of at least 1, found 0")]
    ZeroStep,
}
