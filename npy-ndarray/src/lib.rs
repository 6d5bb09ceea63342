//! Loads and saves [`ndarray`] arrays as NumPy `.npy` files, in C and Fortran order.
//!
//! ```toml
//! [dependencies]
//! ndarray = "0.17"
//! npy-ndarray = "0.1"
//! ```
//!
//! ```
//! use ndarray::{Array2, array};
//! use npy_ndarray::{ReadNpyExt, WriteNpyExt};
//!
//! # let path = tempfile::NamedTempFile::new()?.into_temp_path();
//! let matrix: Array2<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! matrix.save_npy(&path)?; // np.load(path)
//!
//! let loaded = Array2::<f64>::load_npy(&path)?;
//! assert_eq!(loaded, matrix);
//! # Ok::<(), npy_ndarray::Error>(())
//! ```
//!
//! Three words of NumPy:
//!
//! - **dtype**: the type of the elements and their layout in the file, such as `<f8`.
//!   [`npy_core::dtype`] lists the Rust type of each.
//! - **record**: an element with named fields. In Rust it is a struct that derives [`NpyRecord`]
//!   (feature `derive`).
//! - **order**: which axis varies fastest in the file, the last one in C order, the first one in
//!   Fortran order.
//!
//! # Where to look
//!
//! Whole files:
//!
//! - [`ReadNpyExt`], [`WriteNpyExt`]: any array from and to a file or a stream.
//! - [`ReadOptions`], [`SaveOptions`]: limits, threads and order; atomic, durable or in place.
//! - [`load_npy_into`], [`read_npy_into`]: into the elements of an existing array.
//! - [`DynArray`], [`match_dtype!`] (feature `dynamic`): arrays of unknown dtype; [`load_any`]: files
//!   of any format.
//! - [`read_npy`], [`write_npy`], [`create_new_npy`], [`write_zeroed_npy`]: the functions of
//!   `ndarray-npy`.
//!
//! Parts of files:
//!
//! - [`ReadNpyExt::load_npy_region`], [`read_region`]: a rectangular region.
//! - [`NpyBlocks`]: some rows at a time; [`NpyBlockWriter`]: a file that grows by rows.
//!
//! In place:
//!
//! - [`ViewNpyExt`], [`ViewMutNpyExt`]: a file in memory as an array view.
//! - [`MapNpyExt`], [`MapMutNpyExt`] (feature `mmap`): a file of any size as an array view.
//!
//! Other formats:
//!
//! - [`NpzReader`], [`NpzWriter`] (feature `npz`): archives; [`NpzArchive`][archive]: a
//!   struct for a whole one.
//! - [`sparse`] (feature `npz`): sparse matrices of SciPy.
//! - [`ReadRaExt`], [`WriteRaExt`] (feature `rawarray`): `.ra` files of the RawArray format.
//!
//! [`guide`] has a chapter for each job, and the counterparts of all functions of NumPy,
//! `ndarray-npy` and `npyz`. Names are those of `ndarray-npy` where it has the same thing.
//!
//! Elements are the types of [`npy_core::NpyElement`], records of `#[derive(NpyRecord)]` included.
//!
// Names of a feature that is off lead to the list of features.
#![cfg_attr(not(feature = "dynamic"), doc = "[`DynArray`]: #features\n[`match_dtype!`]: #features\n[`load_any`]: #features")]
#![cfg_attr(not(feature = "mmap"), doc = "[`MapNpyExt`]: #features\n[`MapMutNpyExt`]: #features")]
#![cfg_attr(
    not(feature = "npz"),
    doc = "[`NpzReader`]: #features\n[`NpzWriter`]: #features\n[archive]: #features\n[`sparse`]: #features"
)]
#![cfg_attr(feature = "npz", doc = "[archive]: trait@NpzArchive")]
#![cfg_attr(not(feature = "rawarray"), doc = "[`ReadRaExt`]: #features\n[`WriteRaExt`]: #features")]
//!
//! # Order
//!
//! A file in Fortran order becomes an array whose memory is in Fortran order, without moving an
//! element. A Fortran-contiguous array is written as such a file; every other array is written in
//! C order. [`ReadOptions::order`] and [`SaveOptions::order`] transpose numbers on the way, without
//! a second copy of the array.
//!
//! # Features
//!
//! - `ndarray-0_17` (default): arrays of `ndarray` 0.17, by the names at the root.
//! - `ndarray-0_16`: arrays of `ndarray` 0.16, by the same names in `ndarray_0_16`. For 0.16 alone
//!   set `default-features = false, features = ["complex", "ndarray-0_16"]`.
//! - `complex` (default): `Complex` as an element; `ndarray` depends on `num-complex` anyway.
//! - `derive`: the derives [`NpyRecord`] and, with `npz`, `NpzArchive`.
//! - `dynamic`: `DynArray`, arrays of a dtype that is known at run time; `print`: their text.
//! - `npz`: archives of arrays, stored or deflated as NumPy writes them. `ndarray-npy` has it by
//!   default. It is not a default here, because it adds to the build time.
//! - `libdeflate`: uses libdeflate, a C library, to decompress what `NpzWriter` compressed; implies
//!   `npz` and needs a C compiler.
//! - `bzip2`, `lzma`, `zstd`: members of archives that other programs compressed.
//! - `zip`: `ZipArchiveExt` and `ZipWriterExt`, for arrays in archives of the crate `zip`. A new
//!   major release of `zip` is a breaking change of this feature.
//! - `mmap`: files mapped into memory.
//! - `rawarray`: files of the RawArray format; `lz4`: those whose data are compressed.
//! - `zarr`: many files as one Zarr array, by `npy_core::zarr_references`.
//! - `object`: arrays of Python objects, read as data; `serde`: these as any type that implements
//!   `Deserialize`.
//! - `half`: `half::f16` and `half::bf16` as elements.
//! - `jiff`, `chrono`: the date and time types of these crates as elements.
//! - `compressed_npz`, `num-complex-0_4`: the names that `ndarray-npy` has for `npz` and `complex`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::duplicate_mod, reason = "the adapter is compiled for each version of `ndarray`")]

#[cfg(feature = "dynamic")]
#[path = "dynamic/dispatch.rs"]
mod dispatch;
#[cfg(feature = "ndarray-0_17")]
pub mod guide;

pub use npy_core;
#[cfg(feature = "zip")]
pub use zip;

#[cfg(feature = "dynamic")]
pub use npy_core::Casting;
pub use npy_core::region::AxisRange;
pub use npy_core::{Error, ErrorKind, Limits, Order, ReadOptions, Result, SaveOptions};
pub use record::*;

/// Re-exported by a glob, which does not conflict with the derive macro of the same name.
mod record {
    /// A struct for a structured dtype: the trait, and with the feature `derive` its derive macro.
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
    pub use npy_core::NpyRecord;
}

/// Options of archives.
///
/// [`npy_core::npz`] reads and writes archives without `ndarray`.
#[cfg(feature = "npz")]
pub mod npz {
    pub use npy_core::npz::WriteOptions;
}
#[cfg(feature = "derive")]
#[doc(hidden)]
pub use npy_derive::NpyRecord_of_npy_ndarray as NpyRecord;

#[cfg(feature = "ndarray-0_17")]
pub use ndarray_0_17::*;

/// The adapter for `ndarray` 0.17, re-exported at the root.
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

    #[cfg(feature = "dynamic")]
    use crate::match_dtype;

    /// An array of any storage: the parameter of a function.
    macro_rules! array_ref {
        (&mut $A:ident, $D:ident) => { &mut crate::ndarray::ArrayRef<$A, $D> };
        (&$A:ident, $D:ident) => { &crate::ndarray::ArrayRef<$A, $D> };
    }
    use array_ref;
}

/// The names of the root, for arrays of `ndarray` 0.16.
///
/// Import from this module instead of the root: traits, functions, types, `match_dtype!` and
/// `#[derive(NpzArchive)]`. The root is for `ndarray` 0.17 alone, even if only the feature
/// `ndarray-0_16` is on. Both features can be on, as when two crates of a program need one each.
/// Neither changes the meaning of the other's names.
///
/// The documentation is that of the root, and its examples import from there. `ndarray` 0.16 has no
/// `ArrayRef`: functions that take one at the root take an array or a view of any storage here.
///
/// ```
/// use npy_ndarray::ndarray_0_16::ndarray::{Array2, array}; // or of a dependency `ndarray = "0.16"`
/// use npy_ndarray::ndarray_0_16::{ReadNpyExt, WriteNpyExt};
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
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

    #[cfg(feature = "dynamic")]
    pub use crate::__match_dtype_0_16 as match_dtype;
    #[cfg(feature = "dynamic")]
    pub use crate::Casting;
    #[cfg(feature = "npz")]
    pub use crate::npz;
    pub use crate::{AxisRange, Error, ErrorKind, Limits, Order, ReadOptions, Result, SaveOptions, npy_core};

    /// An array of any storage: the parameter of a function.
    macro_rules! array_ref {
        (&mut $A:ident, $D:ident) => { &mut ndarray_v0_16::ArrayBase<impl ndarray_v0_16::DataMut<Elem = $A>, $D> };
        (&$A:ident, $D:ident) => { &ndarray_v0_16::ArrayBase<impl ndarray_v0_16::Data<Elem = $A>, $D> };
    }
    use array_ref;
}

/// The example of the README, and that of the repository's.
#[cfg(all(doctest, feature = "derive", feature = "ndarray-0_17"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../README.md")]
struct Readme;
