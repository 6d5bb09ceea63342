//! SQL over NumPy's `.npy` and `.npz` files, on [Apache DataFusion] and on a [Ballista] cluster.
//!
//! ```
//! use npy_datafusion::datafusion::prelude::SessionContext;
//! use npy_datafusion::{NpyOptions, SessionContextExt};
//!
//! # #[tokio::main]
//! # async fn main() -> npy_datafusion::datafusion::error::Result<()> {
//! let session = SessionContext::new();
//! # let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/picks.npy");
//! # let _ = stringify!(
//! let data = "data/"; // a file, a directory, a pattern, a URL
//! # );
//! session.register_npy("picks", data, NpyOptions::new()).await?;
//! let frame = session.sql("SELECT station, count(*) FROM picks WHERE reviewed GROUP BY station").await?;
//! frame.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! [Apache DataFusion]: https://datafusion.apache.org
//! [Ballista]: https://datafusion.apache.org/ballista
//!
//! # What is pushed down
//!
//! - **Projection**: only the columns that a query needs are decoded.
//! - **Filters**: the columns of the filter are decoded first, the others for the rows that pass.
//! - **Limits**: without a filter, no more rows of a part of a file are fetched than the limit.
//! - **Offsets**: without a filter and an order, the rows that are skipped are not fetched.
//! - **Order**: where files are declared sorted, a range of the key is found by a few reads, and files whose first and last
//!   keys exclude it are left out.
//! - **Counts**: schema and row counts come from the headers; `count(*)` reads no data.
//!
//! A file is divided by ranges of bytes; each row belongs to the range that has its first byte.

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod options;
mod error;
mod array;
mod archive;
mod bounds;
mod headers;
mod schema;
mod rows;
mod sorted;
mod scan;
mod batches;
mod opener;
mod source;
mod sink;
mod format;
mod skip;
mod prune;
mod order;
mod partitions;
mod locations;
mod table;
mod offset;
mod context;
#[cfg(feature = "proto")]
mod codec;
#[cfg(feature = "ballista")]
mod waiting;
#[cfg(feature = "ballista")]
pub mod cluster;

pub use datafusion;
pub use npy_arrow;

#[cfg(feature = "proto")]
pub use codec::{NpyLogicalCodec, NpyPhysicalCodec};
pub use context::SessionContextExt;
pub use format::{NpyFormat, NpyFormatFactory};
pub use options::NpyOptions;
pub use source::NpySource;
pub use table::NpyTable;
