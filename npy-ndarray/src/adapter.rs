//! The adapter for one version of `ndarray`: `lib.rs` compiles this file and the modules below once
//! for each version.
//!
//! The modules are in the order of their floors: each imports only from modules above it.
//!
//! The parent provides the parts that depend on the version: `ndarray` itself, `array_ref!` and
//! `match_dtype!`. Modules refer to each other by `super`, because `crate` is the same for both.

mod order;
mod region;
mod read;
mod read_into;
mod write;
mod grow;
mod view;
#[cfg(feature = "mmap")]
mod mmap;
#[cfg(feature = "dynamic")]
mod dynamic;
#[cfg(feature = "rawarray")]
mod rawarray;
#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "dynamic")]
mod any;
pub mod compat;

#[cfg(feature = "dynamic")]
use super::match_dtype;
use super::{array_ref, ndarray};

#[cfg(feature = "dynamic")]
pub use any::{Loaded, load_any, load_any_with};
#[doc(no_inline)]
pub use compat::{
    FormatHeaderError, ParseHeaderError, ReadDataError, ReadHeaderError, ReadNpyError, ReadableElement, ViewDataError, ViewElement,
    ViewMutElement, ViewNpyError, WritableElement, WriteDataError, WriteHeaderError, WriteNpyError, npy,
};
#[cfg(feature = "npz")]
#[doc(no_inline)]
pub use compat::{ReadNpzError, WriteNpzError};
#[cfg(feature = "print")]
pub use dynamic::PrintedArray;
#[cfg(feature = "dynamic")]
pub use dynamic::{DynArray, FromDynArray, TypedArray};
pub use grow::NpyBlockWriter;
#[cfg(feature = "mmap")]
pub use mmap::{MapMutNpyExt, MapNpyExt};
#[cfg(feature = "npz")]
pub use npz::archive::{NpzArchive, NpzValue};
#[cfg(feature = "npz")]
pub use npz::sparse;
#[cfg(feature = "zip")]
pub use npz::zip_crate::{ZipArchiveExt, ZipWriterExt};
#[cfg(feature = "npz")]
pub use npz::{NpzReader, NpzWriter};
#[cfg(feature = "rawarray")]
pub use rawarray::{ReadRaExt, WriteRaExt};
pub use read::{ReadNpyExt, read_npy};
pub use read_into::{load_npy_into, load_npy_into_with, read_npy_into};
pub use region::{NpyBlocks, read_region};
pub use view::{ViewMutNpyExt, ViewNpyExt};
pub use write::{WriteNpyExt, create_new_npy, write_npy, write_zeroed_npy};

// Bounds of two implementations, which a compiler message may name.
#[doc(hidden)]
pub use read::OwnedArrayOf;
#[doc(hidden)]
pub use write::ArrayOf;

/// The interface for generated code; it may change with any release.
#[cfg(feature = "npz")]
#[doc(hidden)]
pub mod __private {
    pub use npy_core::{NpyElement, Result};

    pub use super::npz::archive::{IsArchive, IsScalar, IsValue, MemberWriter, NpzField, Pending, ReadPlan};
}
