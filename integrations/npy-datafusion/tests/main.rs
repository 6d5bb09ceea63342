//! Tables of `.npy` files: what queries answer, what plans say, and what is refused.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

mod archives;
mod bad;
#[cfg(feature = "ballista")]
mod cluster;
mod offsets;
mod ordering;
mod partitions;
mod plans;
mod pruning;
mod queries;
#[cfg(feature = "aws")]
mod s3;
mod scale;
#[cfg(feature = "sql")]
mod sql;
mod support;
mod writing;

#[cfg(feature = "aws")]
use support::numpy;
