//! Reads and writes NumPy's [`.npy` format]: every dtype, record arrays as structs.
//!
//! Files are byte for byte those that NumPy writes.
//!
//! ```toml
//! [dependencies]
//! npy-core = { version = "0.1", features = ["derive"] }
//! ```
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
//! # let path = tempfile::NamedTempFile::new()?.into_temp_path();
//! # npy_core::save(&path, &[Pick { station: "GRF".to_owned(), time: 0.5, amplitude: [1.0; 3] }])?;
//! let mut picks: Vec<Pick> = npy_core::load(&path)?;
//! picks.retain(|pick| pick.time > 0.0);
//! npy_core::save(&path, &picks)?; // np.load opens it, with a dtype of these fields
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! Three words of NumPy:
//!
//! - **dtype**: the type of the elements and their layout in the file, such as `<f8`. A [`DType`]
//!   is one, and the module [`dtype`] lists the Rust type of each.
//! - **record**: an element with named fields. In Rust it is a struct that derives [`NpyRecord`].
//! - **order**: which axis varies fastest in the file, the last one in C order, the first one in
//!   Fortran order. See [`Order`].
//!
//! [`.npy` format]: https://numpy.org/neps/nep-0001-npy-format.html
//!
//! # Where to look
//!
//! Whole files of one dimension:
//!
//! - [`load`], [`save`]: by path; [`read`], [`write`](write()): from and to a stream.
//! - [`load_into`]: into the memory of an existing vector.
//! - [`save_like`]: in the dtype of another file.
//! - [`ReadOptions`], [`SaveOptions`]: limits, threads and order; atomic, durable or in place.
//!
//! Types:
//!
//! - [`NpyElement`]: every element type; [`NpyRecord`]: structs for structured dtypes.
//! - [`types`]: times, text and bytes of fixed width, long doubles.
//! - [`DynValues`] (feature `dynamic`): arrays of unknown dtype; [`Casting`]: the rules of their
//!   conversion.
//! - [`DType::leaves`], [`scalar`]: the fields of any dtype, and their bytes as numbers, times and text.
//!
//! Parts of files:
//!
//! - [`NpyReader`]: any shape; elements, chunks, rows and regions.
//! - [`load_columns`], [`view_column`]: single fields of records.
//! - [`region`]: ranges of axes, and the bytes they occupy in the file.
//!
//! In place:
//!
//! - [`view`], [`view_mut`]: a file in memory as a slice.
//! - [`NpyMap`], [`NpyMapMut`] (feature `mmap`): a file of any size as a slice.
//!
//! Files that grow:
//!
//! - [`NpyWriter`]: one element after another, of known or unknown number.
//! - [`append`]: recovery after a crash.
//! - [`shards`]: one array in many files.
//!
//! Other formats:
//!
//! - [`npz`] (feature `npz`): archives of arrays, from files, memory and pipes.
//! - [`object`] (feature `object`): arrays of Python objects, read without running anything.
//! - [`rawarray`] (feature `rawarray`): `.ra` files of the RawArray format.
//! - [`zarr_references`] (feature `zarr`): many files as one Zarr array, which Xarray and Dask read
//!   in place.
//! - [`FileFormat`]: the format of a file, by its content.
//! - [`atomic`]: atomic replacement of files of any format.
//! - [`adapter`]: building blocks for arrays of another library.
//!
//! And:
//!
//! - [`Header`]: dtype, shape, order and version of a file.
//! - [`print`][printing] (feature `print`): arrays as text, exactly as NumPy prints them, and as
//!   tables.
//! - [`Error`], [`error`]: what went wrong, and where; [`Limits`]: bounds for untrusted files.
//!
//! The crate `npy-ndarray` reads and writes arrays of `ndarray`. Its [guide] has a chapter for each
//! job, of which those on records, growing files and async code need this crate alone.
//!
//! [guide]: https://docs.rs/npy-ndarray/latest/npy_ndarray/guide/index.html
// Names of a feature that is off lead to the list of features.
#![cfg_attr(not(feature = "dynamic"), doc = "[`DynValues`]: #features\n[`Casting`]: #features")]
#![cfg_attr(not(feature = "mmap"), doc = "[`NpyMap`]: #features\n[`NpyMapMut`]: #features")]
#![cfg_attr(not(feature = "npz"), doc = "[`npz`]: #features")]
#![cfg_attr(not(feature = "object"), doc = "[`object`]: #features")]
#![cfg_attr(not(feature = "rawarray"), doc = "[`rawarray`]: #features")]
#![cfg_attr(not(feature = "zarr"), doc = "[`zarr_references`]: #features")]
#![cfg_attr(feature = "print", doc = "[printing]: mod@print")]
#![cfg_attr(not(feature = "print"), doc = "[printing]: #features")]
//!
//! # Features
//!
//! None is on by default.
//!
//! - `derive`: `#[derive(NpyRecord)]`.
//! - `dynamic`: `DynValues`, arrays of a dtype that is known at run time, and their casts.
//! - `print`: arrays as text; implies `dynamic`.
//! - `half`: `half::f16` and `half::bf16` as elements. `cargo update -p half --precise 2.4.1` (or
//!   2.6.0) builds `half` without `zerocopy` and `syn` 2.
//! - `complex`: `num_complex::Complex` as an element.
//! - `npz`: archives of arrays, stored or deflated as NumPy writes them.
//! - `libdeflate`: uses libdeflate, a C library, to decompress what `NpzWriter` compressed; implies
//!   `npz` and needs a C compiler.
//! - `bzip2`, `lzma`, `zstd`: members of archives that other programs compressed.
//! - `zip`: `ZipArchiveExt` and `ZipWriterExt`, for arrays in archives of the crate `zip`. A new
//!   major release of `zip` is a breaking change of this feature.
//! - `object`: arrays of Python objects (dtype `O`), which are stored as pickles; implies `print`.
//! - `serde`: these objects as any type that implements `serde::Deserialize`; implies `object`.
//! - `mmap`: files mapped into memory, as `np.lib.format.open_memmap` maps them.
//! - `rawarray`: files of the RawArray format (`.ra`), converted to and from `.npy`; implies
//!   `dynamic`.
//! - `lz4`: `.ra` files whose data are compressed.
//! - `zarr`: many files as one Zarr array.
//! - `jiff`, `chrono`: the date and time types of these crates as elements.
//!
//! # What this crate does not do
//!
//! It converts no dtype silently; only the byte order is adapted. `DynValues::cast` converts on
//! request. It refuses arrays of Python objects unless `object` is asked for them, and runs no
//! pickle.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The floors, from the lowest up. A room imports only from rooms above it in this list, and never
// through the crate root; `tests/house/floors.rs` checks both.
//
// Floor 0: limits, options and errors.
mod limits;
mod options;
pub mod error;
#[cfg(test)]
mod some;
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
pub mod shards;
#[cfg(feature = "zarr")]
mod zarr;
// Floor 6: dtypes known at run time; archives.
#[cfg(feature = "dynamic")]
mod dynamic;
#[cfg(feature = "npz")]
pub mod npz;
// Floor 7: what is built on dynamic values.
#[cfg(feature = "print")]
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

#[cfg(feature = "dynamic")]
pub use dynamic::DynValues;
#[cfg(feature = "dynamic")]
pub use dynamic::cast::{Casting, NpyNumber};
pub use element::NpyElement;
pub use element::record::NpyRecord;
pub use error::{Error, ErrorKind, Result};
pub use format::detect::FileFormat;
pub use format::dtype::DType;
pub use format::header::{Header, Leniency};
pub use limits::Limits;
pub use options::{Order, ReadOptions, SaveOptions, Version};
pub use read::NpyReader;
pub use read::columns::load_columns;
pub use read::file::{load, load_into, load_with};
pub use read::stream::{read, read_with};
pub use view::column::view_column;
#[cfg(feature = "mmap")]
pub use view::map::{NpyMap, NpyMapMut};
pub use view::{NpyView, view, view_mut, view_mut_with, view_with};
pub use write::{NpyWriter, save, save_like, save_with, write};
#[cfg(feature = "zarr")]
pub use zarr::{ZarrReferences, zarr_references};

#[doc = include_str!("dtypes.md")]
pub mod dtype {
    pub use crate::format::dtype::{ByteOrder, DType, Field, MlType, Record, Scalar, ScalarKind, SubArray, TimeUnit, Title};
    pub use crate::format::leaves::{FieldAt, Leaf, Position};
}

/// Scalars whose dtype is known at run time: their bytes as numbers, times and text, and back.
///
/// [`Scalar::value`](dtype::Scalar::value) decodes a single one, a [`Decoder`](scalar::Decoder) many.
pub mod scalar {
    pub use crate::format::decoder::{Decoder, Number};
    pub use crate::format::dtype::Class;
    pub use crate::format::scalar::Value;
}

/// Rust types for times, text and bytes of fixed width, and long doubles.
pub mod types {
    pub use crate::element::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64, Void, unit};
}

/// The proleptic Gregorian calendar of NumPy's times, which are counted from 1970.
pub mod calendar {
    pub use crate::format::calendar::{date_of, days_before, iso_8601};
}

/// Single fields of records, with options.
///
/// [`load_columns`] and [`view_column`] are the same with the defaults.
pub mod columns {
    pub use crate::read::columns::{NpyColumns, load_columns_with};
    pub use crate::view::column::{NpyColumn, NpyColumnIter, view_column_with};
}

/// Iterators of [`NpyReader`].
pub mod iter {
    pub use crate::read::chunks::{Chunks, Records};
}

/// Parts of arrays: ranges of axes, their bytes in a file, and the rows of each worker.
///
/// [`NpyReader::read_region`] reads one.
pub mod region {
    pub use crate::format::region::{AxisRange, ByteRanges, byte_ranges, region_shape};
    pub use crate::format::rows::row_range;
}

/// Files mapped into memory, of any format.
///
/// [`NpyMap`] and [`NpyMapMut`] are those of `.npy` files.
#[cfg(feature = "mmap")]
pub mod map {
    pub use crate::view::map::{Map, MapHeader, MapMut};
}

/// Recovery of growing files after a crash.
///
/// [`NpyWriter::create`] and [`NpyWriter::append`] write such files, and [`RowsWriter`](append::RowsWriter) those of any dtype.
pub mod append {
    pub use crate::write::append::{Recovered, recover};
    pub use crate::write::rows::RowsWriter;
}

/// Building blocks for crates that read and write arrays of another library, as `npy-ndarray` does.
///
/// - Reading: [`with_file`](adapter::with_file) opens a file, and [`Elements`](adapter::Elements) are read in either order.
/// - Writing: [`dtype_of`](adapter::dtype_of) finds the dtype for a [`Header`], which [`NpyWriter::with_header`] takes.
/// - In place: [`view_with_header`](adapter::view_with_header) and its siblings.
/// - Dtypes known at run time: [`ElementBytes`](adapter::ElementBytes).
pub mod adapter {
    pub use crate::read::elements::Elements;
    pub use crate::read::file::with_file;
    pub use crate::view::{view_elements, view_mut_with_header, view_with_header};
    pub use crate::write::bytes::ElementBytes;
    pub use crate::write::dtype_of;
}

/// Files that are replaced atomically: either wholly, or not at all.
///
/// Every function that saves a file uses it. It suits files of other formats too.
/// [`replace_file`](atomic::replace_file) calls a function that writes the file. A writer that outlives a function owns an
/// [`Output`](atomic::Output), and commits it at the end.
pub mod atomic {
    pub use crate::write::replace::{Output, replace_file};
}

// Floor 8: the public face above, and what generated code may call.
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// The example of the README.
#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../README.md")]
struct Readme;
