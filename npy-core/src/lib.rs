//! Reads and writes NumPy's [`.npy` format](https://numpy.org/neps/nep-0001-npy-format.html): every dtype, record arrays as Rust
//! structs, byte for byte what NumPy writes.
//!
#![cfg_attr(feature = "derive", doc = "```")]
#![cfg_attr(not(feature = "derive"), doc = "```ignore")]
//! use npy_core::NpyRecord;
//!
//! #[derive(NpyRecord)]
//! struct Pick {
//!     station: String,
//!     time: f64,
//!     amplitude: [f32; 3],
//! }
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("picks.npy");
//! # npy_core::save(&path, &[Pick { station: "GRF".to_owned(), time: 0.5, amplitude: [1.0; 3] }])?;
//! let mut picks: Vec<Pick> = npy_core::load(&path)?;
//! picks.retain(|pick| pick.time > 0.0);
//! npy_core::save(&path, &picks)?; // np.load opens it, with the same dtype
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Where to look
//!
//! - [`load`], [`save`]: a one-dimensional file by its path; [`save_like`]: in the dtype of another file; [`read`], [`write`](write()): the same with a stream.
//! - [`dtypes`]: which Rust type stands for which dtype, as a table; [`NpyElement`] is their trait. [`NpyRecord`]: structs for record arrays.
//! - [`load_into`], [`NpyReader::read_to_vec`], [`NpyReader::read_into`]: many files, one after another in the same memory.
//! - [`Folder`]: many small files of one folder, faster than by their paths.
//! - [`load_columns`]: some fields of records, each into a vector of its own. [`view_column`]: one of them in place, without copying.
//! - [`NpyReader`], [`NpyWriter`]: any shape, in parts, one element after another; [`NpyReader::for_each_chunk`]: all elements once, fast.
//! - [`NpyWriter::create`], [`NpyWriter::append`], [`recover`]: files that grow, and are valid at every instant. [`SaveOptions`]: how files are replaced.
//! - [`NpyReader::read_region`], [`NpyReader::seek_to`]: some rows or a box of a larger array; [`byte_ranges`]: where in the file they are.
//! - [`ShardWriter`], [`Shards`]: one long array in several files of so many rows each.
//! - [`DynValues`]: an array whose dtype is known when the program runs. [`print`](mod@print): arrays as text, exactly as NumPy prints them, and as
//!   tables.
//! - [`view`]: a file in memory as a slice, without copying.
//! - `NpyMap`, `NpyMapMut` (feature `mmap`): files of any size as slices, made, read and filled in place, also by many processes;
//!   [`row_range`]: the part of each.
//! - `object` (feature `object`): arrays of Python objects, read without running anything.
//! - `npz` (feature `npz`): archives of arrays, from files, memory and pipes.
//! - `rawarray` (feature `rawarray`): the files `.ra` of the RawArray format.
//! - [`DType`], [`Header`]: what a file holds, as values. [`FileFormat`]: which format a file has, by its content.
//! - [`Error`], [`Limits`]: what can go wrong, and how much a file may ask for. [`ReadOptions`]: several threads for large files.
//! - [`load_aligned`]: files into aligned memory.
//!
//! Arrays of `ndarray` are read and written by the crate `npy-ndarray`.
//!
//! # Features
//!
//! None is on by default.
//!
//! - `derive`: `#[derive(NpyRecord)]`.
//! - `half`: `half::f16` and `half::bf16` as elements.
//! - `complex`: `num_complex::Complex` as an element.
//! - `npz`: archives of arrays, stored or deflated as NumPy writes them.
//! - `bzip2`, `lzma`, `zstd`: reading members of archives that other programs compressed so.
//! - `zip`: arrays in archives of the crate `zip`: `ZipArchiveExt`, `ZipWriterExt`. A new major release of `zip` is a breaking change of
//!   this feature.
//! - `object`: arrays of Python objects (dtype `O`), which are stored as pickles.
//! - `serde`: these objects as any type that implements `serde::Deserialize`; implies `object`.
//! - `mmap`: files mapped into memory, as `np.lib.format.open_memmap` does.
//! - `rawarray`: files of the RawArray format (`.ra`), read, written and converted to and from `.npy`.
//! - `lz4`: those whose data are compressed.
//! - `jiff`, `chrono`: the date and time types of these crates as elements.
//!
//! # What this crate does not do
//!
//! Arrays of Python objects (dtype `O`) are stored as a pickle, and are refused unless the module `object` is asked for them. A file's
//! dtype is never converted to another type silently: only the byte order is taken care of. [`DynValues::cast`] converts when asked to.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The floors, from the lowest up. A room imports only from rooms above it in this list, and never
// through the crate root; `tests/floors.rs` checks both.
//
// Floor 0: limits, options and errors.
mod limits;
mod options;
mod error;
// Floor 1: the format, pure and safe; system calls.
mod format;
mod sys;
// Floor 2: memory that is filled before it is read.
mod memory;
// Floor 3: copies between C and Fortran order; Rust types and the dtypes that they stand for.
mod transpose;
mod element;
// Floor 4: streams and files.
mod read;
mod write;
// Floor 5: arrays in place; one array in many files.
mod view;
mod shards;
// Floor 6: dtypes known at run time; archives.
mod dynamic;
#[cfg(feature = "npz")]
pub mod npz;
// Floor 7: what is built on dynamic values.
pub mod print;
#[cfg(feature = "object")]
pub mod object;
#[cfg(feature = "rawarray")]
pub mod rawarray;

#[cfg(feature = "chrono")]
pub use chrono;
#[cfg(feature = "half")]
pub use half;
#[cfg(feature = "jiff")]
pub use jiff;
#[cfg(feature = "derive")]
pub use npy_derive::NpyRecord;
#[cfg(feature = "complex")]
pub use num_complex;
#[cfg(feature = "zip")]
pub use zip;

pub use crate::dynamic::cast::{Casting, NpyNumber};
pub use crate::element::record::NpyRecord;
pub use crate::format::detect::FileFormat;
pub use crate::format::dtype::{ByteOrder, DType, Field, Record, Scalar, ScalarKind, SubArray, TimeUnit, Title};
pub use crate::format::header::{Header, Version};
pub use crate::format::region::{AxisRange, ByteRanges, byte_ranges, region_shape};
pub use crate::format::rows::row_range;
pub use crate::memory::aligned::AlignedBuffer;
pub use crate::options::{Order, SaveOptions};
pub use crate::read::aligned::{load_aligned, load_aligned_with};
pub use crate::read::chunks::{Chunks, Records};
pub use crate::read::columns::{NpyColumns, load_columns, load_columns_with};
pub use crate::read::file::{load, load_into, load_with};
pub use crate::read::folder::Folder;
pub use crate::read::stream::{read, read_with};
pub use crate::write::append::{Recovered, recover};
pub use dynamic::DynValues;
pub use element::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, NpyElement, Timedelta64, Void, unit};
pub use error::{
    ArchiveProblem, ArrayProblem, Conflict, DTypeProblem, Error, ErrorKind, GrowthProblem, LiteralProblem, Mismatch, MismatchKind,
    Part, PickleProblem, RawArrayProblem, RegionProblem, Result, ShardProblem, SparseProblem, StorageProblem, ValueProblem,
};
pub use limits::Limits;
pub use options::ReadOptions;
pub use read::NpyReader;
pub use shards::{Shard, ShardWriter, Shards};
pub use view::{NpyColumn, NpyColumnIter, NpyView, view, view_column, view_column_with, view_mut, view_mut_with, view_with};
#[cfg(feature = "mmap")]
pub use view::{NpyMap, NpyMapMut};
pub use write::{NpyWriter, save, save_like, save_with, write};

#[doc = include_str!("dtypes.md")]
pub mod dtypes {}

// Floor 8: the public face above, and what generated code and `npy-ndarray` may call.
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
