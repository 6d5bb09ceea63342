//! Loads and saves [`ndarray`] arrays as NumPy `.npy` files, right for C and Fortran order in both directions.
//!
//! ```
//! use ndarray::{Array2, array};
//! use npy_ndarray::{ReadNpyExt, WriteNpyExt};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("matrix.npy");
//! let matrix: Array2<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! matrix.save_npy(&path)?; // np.load(path)
//!
//! let loaded = Array2::<f64>::load_npy(&path)?;
//! assert_eq!(loaded, matrix);
//! # Ok::<(), npy_ndarray::Error>(())
//! ```
//!
//! # Where to look
//!
//! - [`ReadNpyExt`]: any owned array of any dimension from a file or a stream; [`NpyReadOptions`] demand an order, set limits, or have
//!   several threads read.
//! - [`load_npy_into`], [`read_npy_into`]: over the elements of an array that is there already.
//! - [`Folder`], [`ReadNpyExt::load_npy_from`], [`load_npy_from_into`]: many small files of one folder, faster than by their paths.
//! - [`ReadNpyExt::load_npy_region`], [`read_region`]: a part of a larger array; [`NpyBlocks`]: all of it, some rows at a time.
//! - [`WriteNpyExt`]: any array, view or slice to a file or a stream.
//! - [`ViewNpyExt`], [`ViewMutNpyExt`]: a file in memory as an array view, without copying.
//! - `MapNpyExt`, `MapMutNpyExt`: a file of any size as an array view (feature `mmap`).
//! - `NpzReader`, `NpzWriter`: archives; `NpzArchive`: a struct for a whole one; `sparse`: SciPy's sparse matrices (feature `npz`).
//! - `ReadRaExt`, `WriteRaExt`: files of the RawArray format, `.ra` (feature `rawarray`).
//! - [`DynArray`]: any array, whatever its dtype; [`match_dtype!`]: one body for many types.
//! - [`read_npy`], [`write_npy`], [`create_new_npy`], [`write_zeroed_npy`]: the same as functions of a path.
//!
//! The names are those of `ndarray-npy`, so that moving over is a change of `use`. Elements are whatever [`npy_core::NpyElement`] says,
//! records of `#[derive(NpyRecord)]` included.
//!
//! # Order
//!
//! A file in Fortran order becomes an array whose memory is in Fortran order, without moving an element, and a Fortran-contiguous array
//! is written as such a file. Every other array is written in C order. [`NpyReadOptions::order`] and [`NpyWriteOptions::order`] demand
//! the other one, which takes no copy of the whole for numbers: they are transposed on their way, in the cache.
//!
//! # Features
//!
//! - `complex` (default): `Complex` as an element; `ndarray` depends on `num-complex` anyway.
//! - `derive`: `npy_core::NpyRecord` and, with `npz`, `NpzArchive` can be derived.
//! - `npz`: archives of arrays, stored or deflated as NumPy writes them.
//! - `bzip2`, `lzma`, `zstd`: reading members of archives that other programs compressed so.
//! - `mmap`: files mapped into memory.
//! - `rawarray`: files of the RawArray format; `lz4`: also those whose data are compressed.
//! - `object`: arrays of Python objects, read as data; `serde`: these as any type that implements `Deserialize`.
//! - `half`: `half::f16` and `half::bf16` as elements.
//! - `jiff`, `chrono`: the date and time types of these crates as elements.

mod order;
mod region;
mod read;
mod read_into;
mod write;
mod grow;
mod view;
#[cfg(feature = "mmap")]
mod mmap;
#[cfg(feature = "rawarray")]
mod rawarray;
mod dynamic;
#[cfg(feature = "npz")]
mod archive;
#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "npz")]
pub mod sparse;

pub use ndarray;
pub use npy_core;

#[cfg(feature = "npz")]
pub use archive::{NpzArchive, NpzReadOptions, NpzValue, NpzWriteOptions};
pub use dynamic::{DynArray, FromDynArray, PrintedArray, TypedArray};
pub use grow::NpyBlockWriter;
#[cfg(feature = "mmap")]
pub use mmap::{MapMutNpyExt, MapNpyExt};
pub use npy_core::{AxisRange, Casting, Error, ErrorKind, Folder, Order, Result, SaveOptions};
#[cfg(all(feature = "npz", feature = "derive"))]
pub use npy_derive::NpzArchive;
#[cfg(feature = "npz")]
pub use npz::{NpzReader, NpzWriter};
#[cfg(feature = "rawarray")]
pub use rawarray::{ReadRaExt, WriteRaExt};
pub use read::{NpyReadOptions, ReadNpyExt, read_npy};
pub use read_into::{load_npy_from_into, load_npy_into, load_npy_into_with, read_npy_into};
pub use region::{NpyBlocks, read_region};
pub use view::{ViewMutNpyExt, ViewNpyExt};
pub use write::{NpyWriteOptions, WriteNpyExt, create_new_npy, write_npy, write_zeroed_npy};

/// What generated code calls. Not for others; it may change with any release.
#[cfg(feature = "npz")]
#[doc(hidden)]
pub mod __private {
    pub use core::default::Default;
    pub use core::marker::Send;
    pub use core::option::Option::{None, Some};
    pub use core::result::Result::Ok;
    pub use std::boxed::Box;
    pub use std::io::{Read, Seek, Write};

    pub use npy_core::{NpyElement, Result};

    pub use crate::archive::{IsArchive, IsScalar, IsValue, MemberWriter, NpzArchive, NpzField, Pending, ReadPlan};
}

#[cfg(all(doctest, feature = "derive", feature = "mmap", feature = "npz"))]
#[doc = include_str!("../../README.md")]
struct ReadmeDoctests;
