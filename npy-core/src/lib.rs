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
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("picks.npy");
//! # npy_core::save(&path, &[Pick { station: "GRF".to_owned(), time: 0.5, amplitude: [1.0; 3] }])?;
//! let mut picks: Vec<Pick> = npy_core::load(&path)?;
//! picks.retain(|pick| pick.time > 0.0);
//! npy_core::save(&path, &picks)?; // np.load opens it, with the same dtype
//! # Ok::<(), npy_core::Error>(())
//! ```
//!
//! # Where to look
//!
//! - [`load`], [`save`]: a one-dimensional file by its path; [`read`], [`write`](write()): the same with a stream.
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
//! - [`DType`], [`Header`]: what a file holds, as values.
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

// In the order in which data flow: a module imports only from modules above it.
mod error;
mod limits;
mod options;
mod literal;
mod shape;
mod small;
mod dtype;
mod header;
mod region;
mod rows;
mod plan;
mod alloc;
mod element;
mod record;
mod stage;
mod source;
mod read;
mod decoded;
mod stream;
mod file;
mod aligned;
mod folder;
mod reverse;
mod seek;
mod chunks;
mod columns;
mod output;
mod save;
mod growth;
mod small_file;
mod write;
mod across;
mod append;
mod shards;
mod view;
mod dynamic;
mod gather;
mod cast;
mod reorder;
pub mod print;
#[cfg(feature = "object")]
pub mod object;
#[cfg(feature = "npz")]
pub mod npz;
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

pub use aligned::{load_aligned, load_aligned_with};
pub use alloc::AlignedBuffer;
pub use append::{Recovered, recover};
pub use cast::{Casting, NpyNumber};
pub use chunks::{Chunks, Records};
pub use columns::{NpyColumns, load_columns, load_columns_with};
pub use dtype::{ByteOrder, DType, Field, Record, Scalar, ScalarKind, SubArray, TimeUnit, Title};
pub use dynamic::DynValues;
pub use element::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, NpyElement, Timedelta64, Void, unit};
pub use error::{
    ArchiveProblem, Error, ErrorKind, Mismatch, MismatchKind, Part, PickleProblem, RawArrayProblem, Result, ValueProblem,
};
pub use file::{load, load_into, load_with};
pub use folder::Folder;
pub use header::{Header, Version};
pub use limits::Limits;
pub use options::ReadOptions;
pub use read::NpyReader;
pub use record::NpyRecord;
pub use region::{AxisRange, ByteRanges, byte_ranges, region_shape};
pub use rows::row_range;
pub use save::SaveOptions;
pub use shape::Order;
pub use shards::{Shard, ShardWriter, Shards};
pub use stream::{read, read_with};
pub use view::{NpyColumn, NpyColumnIter, NpyView, view, view_column, view_column_with, view_mut, view_mut_with, view_with};
#[cfg(feature = "mmap")]
pub use view::{NpyMap, NpyMapMut};
pub use write::{NpyWriter, save, save_with, write};

#[doc = include_str!("dtypes.md")]
pub mod dtypes {}

/// What generated code and `npy-ndarray` call. Not for others; it may change with any release.
#[doc(hidden)]
pub mod __private {
    pub use core::clone::Clone;
    pub use core::cmp::PartialEq;
    pub use core::default::Default;
    pub use core::iter::Iterator;
    pub use core::marker::{Copy, PhantomData};
    pub use core::mem::{offset_of, size_of};
    pub use core::option::Option::{self, None, Some};
    pub use core::result::Result::{self, Err, Ok};

    #[cfg(feature = "half")]
    pub use half;
    #[cfg(feature = "complex")]
    pub use num_complex;
    pub use std::string::{String, ToString};

    pub use crate::alloc::{Bulk, Plain, Sends, reverse_axes};
    pub use crate::cast::{Class, Wide, cast_items};
    pub use crate::dtype::{ByteOrder, DType};
    #[cfg(any(feature = "jiff", feature = "chrono"))]
    pub use crate::element::TimePlan;
    pub use crate::element::{
        ArrayPlan, As, AsIs, Codec, Items, LongDoublePlan, MayNotSend, Narrow, NpyElement, Optional, Probe, TextPlan, Through,
        Truncated, WidePlan, Widen, Widens, With, native,
    };
    pub use crate::element::{Datetime64, FixedBytes, FixedUnicode, FixedVoid, LongDouble, Timedelta64};
    pub use crate::element::{FixedText, unit};
    pub use crate::error::ValueError;
    pub use crate::file::{HeadedFile, with_file};
    pub use crate::folder::with_file_in;
    pub use crate::output::Output;
    pub use crate::plan::{Layout, Planner, rust_type};
    pub use crate::print::partial::{PrintedTexts, printed, printed_edges, printed_texts};
    #[cfg(feature = "rawarray")]
    pub use crate::rawarray::{open_elements, read_elements, write_elements};
    pub use crate::record::{
        Cursor, FieldName, FieldPlan, FileRecord, NpyRecord, RecordBuilder, copies, distinct, largest, plan_record,
        plan_whole_record, unknown_variant,
    };
    pub use crate::save::{replace_file, replace_file_with};
    pub use crate::shape::is_same_in_both;
    pub use crate::small_file::write_small;
    pub use crate::view::{
        NpyView, assert_layout, assert_size, bulk_of_view, check_field, check_flattened, view_items, view_mut_with_header,
        view_with_header,
    };
    pub use crate::write::dtype_of;
}
