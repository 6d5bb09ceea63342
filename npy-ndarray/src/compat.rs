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
/// ```
/// use ndarray::Array1;
/// use npy_ndarray::{ReadNpyError, ReadableElement, read_npy};
///
/// fn first<A: ReadableElement + Copy>(path: &str) -> Result<Option<A>, ReadNpyError> {
///     let array: Array1<A> = read_npy(path)?;
///     Ok(array.first().copied())
/// }
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[1.5_f64, 2.5])?;
/// # let path = path.to_str().unwrap();
/// assert_eq!(first::<f64>(path)?, Some(1.5));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ReadableElement: NpyElement {}

impl<T: NpyElement> ReadableElement for T {}

/// An element that can be written: every [`NpyElement`].
///
/// ```
/// use ndarray::Array1;
/// use npy_ndarray::{WritableElement, WriteNpyError, WriteNpyExt};
///
/// fn file_of<A: WritableElement>(array: &Array1<A>) -> Result<Vec<u8>, WriteNpyError> {
///     let mut file = Vec::new();
///     array.write_npy(&mut file)?;
///     Ok(file)
/// }
/// assert!(file_of(&ndarray::array![1.5, 2.5])?.starts_with(b"\x93NUMPY"));
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait WritableElement: NpyElement {}

impl<T: NpyElement> WritableElement for T {}

/// An element that can be viewed in place: every [`NpyView`].
///
/// ```
/// use ndarray::ArrayView1;
/// use npy_ndarray::{ViewElement, ViewNpyError, ViewNpyExt};
///
/// fn len<A: ViewElement>(file: &[u8]) -> Result<usize, ViewNpyError> {
///     Ok(ArrayView1::<A>::view_npy(file)?.len())
/// }
/// # let mut file = Vec::new();
/// # npy_core::write(&mut file, &[1_u8, 2])?;
/// assert_eq!(len::<u8>(&file)?, 2);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
pub trait ViewElement: NpyView {}

impl<T: NpyView> ViewElement for T {}

/// An element that can be viewed mutably: every [`NpyView`].
///
/// ```
/// use ndarray::ArrayViewMut1;
/// use npy_ndarray::{ViewMutElement, ViewMutNpyExt, ViewNpyError};
///
/// fn fill<A: ViewMutElement + Copy>(file: &mut [u8], value: A) -> Result<(), ViewNpyError> {
///     ArrayViewMut1::view_mut_npy(file)?.fill(value);
///     Ok(())
/// }
/// # let mut file = Vec::new();
/// # npy_core::write(&mut file, &[1_u8, 2])?;
/// fill(&mut file, 7_u8)?;
/// assert_eq!(file[file.len() - 2..], [7, 7]);
/// # Ok::<(), npy_ndarray::Error>(())
/// ```
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
