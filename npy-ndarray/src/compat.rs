//! The compatibility layer: names of `ndarray-npy` that this crate spells differently or does not
//! need.
//!
//! A program that uses `ndarray-npy` 0.10 compiles after a change of its `use` declarations. Errors
//! are aliases of one [`Error`], and matches on variants become matches on [`Error::kind`]. New
//! code uses [`Error`], [`NpyElement`] and [`NpyView`]. The page
//! [`from_ndarray_npy`](crate::guide::from_ndarray_npy) has a table of all names.
//!
//! ```
//! use ndarray::{Array2, array};
//! use npy_ndarray::{ReadNpyError, ReadNpyExt, ReadableElement, WritableElement, WriteNpyError, WriteNpyExt};
//!
//! fn store<A: WritableElement>(matrix: &Array2<A>) -> Result<Vec<u8>, WriteNpyError> {
//!     let mut file = Vec::new();
//!     matrix.write_npy(&mut file)?;
//!     Ok(file)
//! }
//!
//! fn restore<A: ReadableElement>(file: &[u8]) -> Result<Array2<A>, ReadNpyError> {
//!     Array2::read_npy(file)
//! }
//!
//! let matrix = array![[1, 2], [3, 4]];
//! assert_eq!(restore::<i32>(&store(&matrix)?)?, matrix);
//! # Ok::<(), npy_ndarray::Error>(())
//! ```

use npy_core::{Error, NpyElement, NpyView};

/// The error of reading a file.
pub type ReadNpyError = Error;
/// The error of reading elements.
pub type ReadDataError = Error;
/// The error of writing a file.
pub type WriteNpyError = Error;
/// The error of writing elements.
pub type WriteDataError = Error;
/// The error of viewing a file in memory.
pub type ViewNpyError = Error;
/// The error of viewing elements in memory.
pub type ViewDataError = Error;
/// The error of parsing a header.
pub type ParseHeaderError = Error;
/// The error of reading a header.
pub type ReadHeaderError = Error;
/// The error of formatting a header.
pub type FormatHeaderError = Error;
/// The error of writing a header.
pub type WriteHeaderError = Error;
/// The error of reading an archive.
#[cfg(feature = "npz")]
pub type ReadNpzError = Error;
/// The error of writing an archive.
#[cfg(feature = "npz")]
pub type WriteNpzError = Error;

/// An element that can be read: every [`NpyElement`].
///
/// See [`compat`](self) for an example.
pub trait ReadableElement: NpyElement {}

impl<T: NpyElement> ReadableElement for T {}

/// An element that can be written: every [`NpyElement`].
///
/// See [`compat`](self) for an example.
pub trait WritableElement: NpyElement {}

impl<T: NpyElement> WritableElement for T {}

/// An element that can be viewed in place: every [`NpyView`].
///
/// See [`ViewNpyExt`](super::super::ViewNpyExt) for an example.
pub trait ViewElement: NpyView {}

impl<T: NpyView> ViewElement for T {}

/// An element that can be viewed mutably: every [`NpyView`].
///
/// See [`ViewMutNpyExt`](super::super::ViewMutNpyExt) for an example.
pub trait ViewMutElement: NpyView {}

impl<T: NpyView> ViewMutElement for T {}

/// The module `npy` of `ndarray-npy`, under the same path.
pub mod npy {
    pub use super::super::{
        ReadNpyExt, ViewMutNpyExt, ViewNpyExt, WriteNpyExt, create_new_npy, read_npy, write_npy, write_zeroed_npy,
    };
    pub use super::{
        ReadDataError, ReadNpyError, ReadableElement, ViewDataError, ViewElement, ViewMutElement, ViewNpyError, WritableElement,
        WriteDataError, WriteNpyError,
    };

    /// The errors of headers, under the same path. The header itself is [`npy_core::Header`].
    pub mod header {
        pub use super::super::{FormatHeaderError, ParseHeaderError, ReadHeaderError, WriteHeaderError};
    }
}
