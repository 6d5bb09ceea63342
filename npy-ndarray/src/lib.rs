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
//! - [`ReadNpyExt`]: any owned array of any dimension from a file or a stream; [`ReadOptions`] demand an order, set limits, or have
//!   several threads read.
//! - [`load_npy_into`], [`read_npy_into`]: over the elements of an array that is there already.
//! - [`ReadNpyExt::load_npy_region`], [`read_region`]: a part of a larger array; [`NpyBlocks`]: all of it, some rows at a time.
//! - [`WriteNpyExt`]: any array, view or slice to a file or a stream.
//! - [`ViewNpyExt`], [`ViewMutNpyExt`]: a file in memory as an array view, without copying.
//! - `MapNpyExt`, `MapMutNpyExt`: a file of any size as an array view (feature `mmap`).
//! - `NpzReader`, `NpzWriter`: archives; `NpzArchive`: a struct for a whole one; `sparse`: SciPy's sparse matrices (feature `npz`).
//! - `ReadRaExt`, `WriteRaExt`: files of the RawArray format, `.ra` (feature `rawarray`).
//! - [`DynArray`]: any array, whatever its dtype; [`match_dtype!`]: one body for many types. [`load_any`]: any file, whatever its format.
//! - [`guide`]: the counterparts of all functions of NumPy, `ndarray-npy` and `npyz`, with examples.
//! - [`read_npy`], [`write_npy`], [`create_new_npy`], [`write_zeroed_npy`]: the same as functions of a path.
//!
//! The names are those of `ndarray-npy`, so that moving over is a change of `use`: see [`guide::from_ndarray_npy`], and
//! [`guide::from_npyz`]. Elements are whatever [`npy_core::NpyElement`] says, records of `#[derive(NpyRecord)]` included.
//!
//! # Order
//!
//! A file in Fortran order becomes an array whose memory is in Fortran order, without moving an element, and a Fortran-contiguous array
//! is written as such a file. Every other array is written in C order. [`ReadOptions::order`] and [`SaveOptions::order`] demand
//! the other one, which takes no copy of the whole for numbers: they are transposed on their way, in the cache.
//!
//! # Features
//!
//! - `ndarray-0_17` (default): arrays of `ndarray` 0.17, by the names at the root.
//! - `ndarray-0_16`: arrays of `ndarray` 0.16, by the same names in `ndarray_0_16`.
//! - `complex` (default): `Complex` as an element; `ndarray` depends on `num-complex` anyway.
//! - `derive`: [`NpyRecord`] and, with `npz`, `NpzArchive` can be derived.
//! - `npz`: archives of arrays, stored or deflated as NumPy writes them. `ndarray-npy` has it by default; here it is left to those
//!   who need it, because it adds more than half to the build time.
//! - `bzip2`, `lzma`, `zstd`: reading members of archives that other programs compressed so.
//! - `zip`: arrays in archives of the crate `zip`: `ZipArchiveExt`, `ZipWriterExt`. A new major release of `zip` is a breaking change of
//!   this feature.
//! - `mmap`: files mapped into memory.
//! - `rawarray`: files of the RawArray format; `lz4`: also those whose data are compressed.
//! - `object`: arrays of Python objects, read as data; `serde`: these as any type that implements `Deserialize`.
//! - `half`: `half::f16` and `half::bf16` as elements.
//! - `jiff`, `chrono`: the date and time types of these crates as elements.
//! - `compressed_npz`, `num-complex-0_4`: the names that `ndarray-npy` has for `npz` and `complex`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::duplicate_mod, reason = "the adapter is compiled for each version of `ndarray`")]

#[path = "dynamic/dispatch.rs"]
mod dispatch;
#[cfg(feature = "ndarray-0_17")]
pub mod guide;

pub use npy_core;
#[cfg(feature = "zip")]
pub use zip;

/// A struct that is an element of a structured dtype: the trait, and with the feature `derive` its derive macro.
///
/// The same as [`npy_core::NpyRecord`], for crates that do not depend on `npy-core`.
///
#[cfg_attr(feature = "derive", doc = "```")]
#[cfg_attr(not(feature = "derive"), doc = "```ignore")]
/// use npy_ndarray::NpyRecord;
///
/// #[derive(NpyRecord)]
/// struct Pick {
///     station: String,
///     time: f64,
/// }
/// ```
pub use npy_core::__private::NpyRecord;
pub use npy_core::region::AxisRange;
pub use npy_core::{Casting, Error, ErrorKind, Limits, Order, ReadOptions, Result, SaveOptions};

/// Options of archives; see [`npy_core::npz`] for archives without `ndarray`.
#[cfg(feature = "npz")]
pub mod npz {
    pub use npy_core::npz::WriteOptions;
}
#[cfg(feature = "derive")]
#[doc(hidden)]
pub use npy_derive::NpyRecord_of_npy_ndarray as NpyRecord;

#[cfg(feature = "ndarray-0_17")]
pub use ndarray_0_17::*;

/// The adapter for `ndarray` 0.17, whose names stand at the root.
#[cfg(feature = "ndarray-0_17")]
#[path = "."]
mod ndarray_0_17 {
    #[path = "adapter.rs"]
    mod adapter;
    mod write_ref;

    pub use ::ndarray;

    pub use adapter::*;
    #[cfg(all(feature = "npz", feature = "derive"))]
    pub use npy_derive::NpzArchive;

    use crate::match_dtype;

    /// An array of any storage: the parameter of a function.
    macro_rules! array_ref {
        (&mut $A:ident, $D:ident) => { &mut crate::ndarray::ArrayRef<$A, $D> };
        (&$A:ident, $D:ident) => { &crate::ndarray::ArrayRef<$A, $D> };
    }
    use array_ref;
}

/// The names of the root for arrays of `ndarray` 0.16.
///
/// Import from this module instead of the root: traits, functions, types, `match_dtype!` and `#[derive(NpzArchive)]`. The root is for
/// `ndarray` 0.17 alone, also where only the feature `ndarray-0_16` is on. If both are on, as when two crates of a program need one
/// each, neither changes what a name of the other means.
///
/// The documentation is that of the root, and its examples import from there. `ndarray` 0.16 has no `ArrayRef`: functions that take one at
/// the root take an array or a view of any storage here.
///
/// ```
/// use npy_ndarray::ndarray_0_16::ndarray::{Array2, array}; // or of a dependency `ndarray = "0.16"`
/// use npy_ndarray::ndarray_0_16::{ReadNpyExt, WriteNpyExt};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("matrix.npy");
/// let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// matrix.save_npy(&path)?;
/// assert_eq!(Array2::<f64>::load_npy(&path)?, matrix);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
#[cfg(feature = "ndarray-0_16")]
#[path = "."]
pub mod ndarray_0_16 {
    #[path = "adapter.rs"]
    mod adapter;

    pub use ::ndarray_v0_16 as ndarray;

    pub use adapter::*;
    #[cfg(all(feature = "npz", feature = "derive"))]
    pub use npy_derive::NpzArchive_0_16 as NpzArchive;

    pub use crate::__match_dtype_0_16 as match_dtype;
    #[cfg(feature = "npz")]
    pub use crate::npz;
    pub use crate::{AxisRange, Casting, Error, ErrorKind, Limits, Order, ReadOptions, Result, SaveOptions, npy_core};

    /// An array of any storage: the parameter of a function.
    macro_rules! array_ref {
        (&mut $A:ident, $D:ident) => { &mut ndarray_v0_16::ArrayBase<impl ndarray_v0_16::DataMut<Elem = $A>, $D> };
        (&$A:ident, $D:ident) => { &ndarray_v0_16::ArrayBase<impl ndarray_v0_16::Data<Elem = $A>, $D> };
    }
    use array_ref;
}

#[cfg(all(doctest, feature = "derive", feature = "mmap", feature = "ndarray-0_17", feature = "npz"))]
#[doc = include_str!("../../README.md")]
struct ReadmeDoctests;
