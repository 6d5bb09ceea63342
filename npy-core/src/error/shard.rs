//! What is wrong with shards.

use std::fmt;

use super::describe::counted;

/// Why shards cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardProblem {
    /// A shard is missing between others.
    Missing {
        /// Which one is missing.
        number: u64,
        /// How many shards there should be.
        count: u64,
    },
    /// An unfinished shard is not the one after the last.
    Unexpected {
        /// The number of the next shard.
        expected: u64,
        /// The number of the unfinished one.
        found: u64,
    },
}

impl fmt::Display for ShardProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { number, count } => {
                write!(f, "missing shard {number}: expected {count} without a gap", count = counted(count, "shard"))
            }
            Self::Unexpected { expected, found } => {
                write!(f, "unexpected unfinished shard: expected number {expected}, found {found}")
            }
        }
    }
}

impl std::error::Error for ShardProblem {}
