//! What is wrong with shards.

/// Why shards cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardProblem {
    /// A shard is missing between others.
    #[error("missing shard {number}: expected {count} shards without a gap")]
    Missing {
        /// Which one is missing.
        number: u64,
        /// How many shards there should be.
        count: u64,
    },
    /// An unfinished shard is not the one after the last.
    #[error("unexpected unfinished shard: expected number {expected}, found {found}")]
    Unexpected {
        /// The number of the next shard.
        expected: u64,
        /// The number of the unfinished one.
        found: u64,
    },
}
