//! NumPy's `.npy` files as [Apache Arrow] record batches, and back.
//!
//! ```
//! use npy_arrow::{ArrayOptions, BatchOptions, read_batches, write_batches};
//! use npy_arrow::arrow_array::RecordBatchReader;
//! # use npy_core::{DynValues, Order};
//!
//! # let directory = tempfile::tempdir()?;
//! # let (path, copy) = (directory.path().join("picks.npy"), directory.path().join("copy.npy"));
//! # let dtype = "[('id', '>u2'), ('origin', [('time', '<M8[ns]'), ('depth', '<f4')])]".parse()?;
//! # DynValues::new(dtype, Order::C, &[2], vec![1; 28])?.save(&path)?;
//! // In bounded memory; only the selected fields are decoded.
//! for batch in read_batches(&path, BatchOptions::new().columns(["id", "origin.time"]))? {
//!     println!("{} rows", batch?.num_rows());
//! }
//!
//! // The dtype comes back as it was: byte order, offsets, titles.
//! let batches = read_batches(&path, BatchOptions::new())?;
//! write_batches(&copy, &batches.schema(), batches, ArrayOptions::new())?;
//! assert_eq!(std::fs::read(&copy)?, std::fs::read(&path)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [Apache Arrow]: https://arrow.apache.org
//!
//! # Where to look
//!
//! - [`read_batches`], [`BatchReader`]: files, streams and bytes in memory as batches.
//! - `map_batches` (feature `mmap`): a mapped file, without a copy where its bytes allow it.
//! - [`BatchDecoder`]: rows whose bytes the caller has read, for engines.
//! - [`to_batch`], [`into_batch`], [`from_batches`]: [`DynValues`](npy_core::DynValues) in memory.
//! - [`items_to_batch`], [`items_from_batch`]: structs with `#[derive(NpyRecord)]`.
//! - [`write_batches`], [`BatchWriter`]: batches into a file that grows, atomically;
//!   [`Survey`]: its header beforehand; [`RowDType`]: the dtype of a query's rows.
//! - `BatchOptions::objects` (feature `object`): Python objects of one type.
//! - `parquet` (feature `parquet`) and `ipc` (feature `ipc`): from `.npy` and back in one call;
//!   compressed files of others need the feature `codecs`.
//! - [`types`]: the Arrow type of each dtype; `guide` (features `ipc`, `mmap`, `parquet`): from
//!   `.npy` to tables.
//!
//! # Versions
//!
//! The Arrow crates are those of the current DataFusion, 55.2: version 59. They are re-exported.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
pub mod metadata;
mod options;
mod axes;
mod times;
mod foreign;
mod dtypes;
mod decode;
mod texts;
mod columns;
mod target;
mod encode;
mod widths;
mod survey;
mod values;
#[cfg(feature = "object")]
mod objects;
mod read;
mod rows;
mod write;
#[cfg(any(feature = "ipc", feature = "parquet"))]
mod convert;
#[cfg(feature = "ipc")]
mod claims;
#[cfg(feature = "ipc")]
pub mod ipc;
#[cfg(feature = "parquet")]
pub mod parquet;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[doc = include_str!("types.md")]
pub mod types {}

#[cfg(all(feature = "ipc", feature = "mmap", feature = "parquet"))]
#[doc = include_str!("../docs/tables.md")]
pub mod guide {}

pub use arrow_array;
pub use arrow_buffer;
pub use arrow_schema;
pub use npy_core;

pub use error::arrow_error;
pub use npy_core::{Error, ErrorKind, Result};
pub use options::{ArrayOptions, BatchOptions, Fill};
#[cfg(feature = "mmap")]
pub use read::map_batches;
pub use read::{BatchReader, read_batches};
pub use rows::BatchDecoder;
pub use survey::Survey;
pub use values::{
    IntoBatch, from_batches, from_batches_with, into_batch, into_batch_with, items_from_batch, items_to_batch, to_batch,
    to_batch_with,
};
pub use widths::RowDType;
pub use write::{BatchWriter, write_batches};
