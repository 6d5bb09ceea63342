//! Arrays as batches and back, beside NumPy and the readers of the Arrow world.
#![allow(clippy::pedantic, clippy::unwrap_used, unreachable_pub, reason = "these are tests")]

#[cfg(all(not(feature = "codecs"), feature = "ipc", feature = "parquet"))]
mod codecs;
mod foreign;
mod hostile;
#[cfg(feature = "object")]
mod objects;
#[cfg(all(feature = "codecs", feature = "ipc", feature = "parquet"))]
mod programs;
mod random;
mod reading;
mod support;
mod table;
#[cfg(all(feature = "ipc", feature = "parquet"))]
mod tables;
mod texts;
mod workspace_support;
mod writing;
