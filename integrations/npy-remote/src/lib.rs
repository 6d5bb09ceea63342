//! Reads and writes NumPy's `.npy` and `.npz` files in object stores: S3, GCS, Azure, HTTP, local
//! files and memory.
//!
//! ```
//! use std::sync::Arc;
//!
//! use npy_core::NpyRecord;
//! use npy_remote::RemoteNpy;
//! use npy_remote::object_store::memory::InMemory;
//!
//! #[derive(NpyRecord)]
//! struct Pick {
//!     time: f64,
//!     depth: f32,
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> npy_remote::Result<()> {
//! let store = Arc::new(InMemory::new()); // any `ObjectStore`
//! npy_remote::save(store.clone(), "run/picks.npy", &[Pick { time: 0.5, depth: 8.0 }]).await?;
//!
//! let array = RemoteNpy::open(store, "run/picks.npy").await?; // one request
//! let picks: Vec<Pick> = array.read_rows(0..1).await?; // only the bytes of these rows
//! assert_eq!((picks[0].time, picks[0].depth), (0.5, 8.0));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! - [`RemoteNpy`]: an array; rows, regions and columns of it.
//! - `RemoteNpy::batches` (feature `arrow`): rows as Arrow record batches.
//! - `RemoteNpy::read_dyn` (feature `dynamic`): arrays whose dtype is known at run time.
//! - [`RemoteNpz`]: an archive, and its members by name, one or many at once.
//! - `RemoteNpz::load` (feature `ndarray`): a struct with `#[derive(NpzArchive)]` for a whole archive.
//! - [`RemoteFile`]: an object of a listing, array or archive, for engines.
//! - [`save`], [`RemoteWriter`]: arrays into a store.
//! - [`parse_url`]: the store of a URL.
//! - [`RemoteOptions`]: limits, size and number of requests.
//!
//! # One version of an object
//!
//! The first response has the e-tag of an object, or its time of modification where the store has no
//! strong e-tags. Every later request has it as its condition, and every response is compared
//! with it. A replaced object is an [`ErrorKind::Conflict`]: two objects are never mixed. If a server has neither, only the size is compared.
//!
//! The time of modification has a resolution of one second in HTTP (`Last-Modified`). Without a
//! strong e-tag, an object of the same size that replaces another within that second is not noticed.
//!
//! # Errors
//!
//! Errors are those of `npy_core`. Their [path](Error::path) is the URL of the object, such as
//! `s3://bucket/run/picks.npy`, that of the local file, or that in a store that has no name.
//!
//! ```
//! use std::sync::Arc;
//!
//! use npy_remote::object_store::memory::InMemory;
//! use npy_remote::{ErrorKind, RemoteNpy};
//!
//! # #[tokio::main]
//! # async fn main() {
//! let error = RemoteNpy::open(Arc::new(InMemory::new()), "run/picks.npy").await.unwrap_err();
//! assert_eq!(error.path(), Some("run/picks.npy".as_ref()));
//! match error.kind() {
//!     ErrorKind::NotFound => println!("no such object"), // this one
//!     ErrorKind::Conflict => println!("replaced while it was read"),
//!     ErrorKind::BrokenStream => println!("the store sent other bytes than were requested"),
//!     ErrorKind::External => println!("the store failed: {error}"), // with what it said
//!     _ => println!("{error:#}"),
//! }
//! # assert_eq!(error.kind(), ErrorKind::NotFound);
//! # }
//! ```
//!
//! # Runtimes and time limits
//!
//! This crate spawns nothing and has no timers; whether a runtime is needed depends on the store.
//! Those for local files use the threads of `tokio` if called from it, those for the network need it.
//! Stores repeat requests that fail, and give up after some time, as their `RetryConfig` says.
//! Dropping a future cancels it, so that `tokio::time::timeout` around a call limits its time.
//!
//! Requests make progress only while the future or stream is polled. A slow consumer of `Batches`
//! leaves those in flight unpolled, until the store gives them up. Consume the batches in another
//! task, through a channel. [`RemoteWriter`] has no request in flight between two calls.
//!
//! Responses are decoded in the task that awaits the call, at most
//! [`request_bytes`](RemoteOptions::request_bytes) at a time. Members of archives are decompressed
//! there too, each as a whole. Where other tasks must not wait for that, use `spawn_blocking` with
//! `Handle::block_on`.
//!
//! # Versions
//!
//! `object_store` is that of the current DataFusion, 55.2: version 0.13. It is re-exported.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod options;
mod requests;
mod failure;
mod object;
mod feed;
mod array;
#[cfg(any(feature = "arrow", feature = "dynamic"))]
mod gather;
mod npy;
#[cfg(feature = "arrow")]
mod batches;
#[cfg(feature = "arrow")]
mod local;
mod sparse;
mod npz;
mod file;
mod write;
mod credentials;
mod url;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "arrow")]
pub use npy_arrow;
pub use npy_core;
#[cfg(feature = "ndarray")]
pub use npy_ndarray;
pub use object_store;

#[cfg(feature = "arrow")]
pub use batches::Batches;
pub use failure::store_error;
pub use file::RemoteFile;
#[cfg(feature = "arrow")]
pub use local::LocalRows;
pub use npy::RemoteNpy;
pub use npy_core::{Error, ErrorKind, Result};
pub use npz::RemoteNpz;
pub use options::RemoteOptions;
pub use url::parse_url;
pub use write::{RemoteWriter, save, save_with};
