//! Writing of arrays of Python objects.

use std::io::Write;
use std::path::Path;

use super::pickle::pickler::Pickler;
use super::value::array::ObjectArray;
use crate::error::Result;
use crate::format::header::Header;
use crate::options::SaveOptions;
use crate::write::replace::replace_file_with;

impl ObjectArray {
    /// Writes a file atomically. NumPy 1.26 and later opens it with `np.load(path, allow_pickle=True)`.
    ///
    /// # Errors
    ///
    /// When an object cannot be written (an [`Opaque`](super::Opaque) one), or the file cannot;
    /// what was at `path` is there still then.
    ///
    /// ```
    /// use npy_core::object::ObjectArray;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("names.npy");
    /// ObjectArray::from(vec!["Ada", "Grace"]).save(&path)?;
    /// # assert_eq!(npy_core::object::load(&path)?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options.
    ///
    /// ```
    /// use npy_core::{SaveOptions, object::ObjectArray};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("names.npy");
    /// ObjectArray::from(vec!["Ada", "Grace"]).save_with(&path, SaveOptions::new().durable(true))?;
    /// assert_eq!(npy_core::object::load(&path)?.shape(), [2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Like [`save`](Self::save).
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        replace_file_with(path.as_ref(), options.into(), 0, |file| self.write(file))
    }

    /// Writes the array to a stream.
    ///
    /// The bytes equal those of `np.save` of NumPy 2 if the values are plain, and no two of them the
    /// same object.
    ///
    /// # Errors
    ///
    /// When an object cannot be written, or writing fails; something may have been written then.
    ///
    /// ```
    /// use npy_core::object::{self, ObjectArray};
    ///
    /// let mut file = Vec::new();
    /// ObjectArray::from(vec![1, 2]).write(&mut file)?;
    /// assert_eq!(object::read(&file[..])?.to_vec::<u8>()?, [1, 2]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let header = Header::new(self.dtype().clone(), self.order(), self.shape())?;
        header.write(&mut writer)?;
        let mut pickler = Pickler::new(&mut writer)?;
        pickler.object_array(("numpy", "ndarray"), self).map_err(|(index, failure)| failure.in_element(index))?;
        pickler.finish()
    }
}
