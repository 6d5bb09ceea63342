//! Writing of arrays of Python objects.

use std::io::Write;
use std::path::Path;

use super::pickle::pickler::Pickler;
use super::value::array::ObjectArray;
use crate::error::Result;
use crate::format::header::Header;
use crate::options::SaveOptions;
use crate::write::replace::replace_file;

impl ObjectArray {
    /// Writes a file atomically. NumPy 1.26 and later opens it with `np.load(path, allow_pickle=True)`.
    ///
    /// Fails if an object cannot be written: an [`Opaque`](super::Opaque) one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options: durable, in place.
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        replace_file(path, options, |file| self.write(file))
    }

    /// Writes the array to a stream. After an error, a part of it may have been written.
    ///
    /// The bytes are those of `np.save` of NumPy 2 if the values are plain and no object occurs twice.
    pub fn write(&self, mut writer: impl Write) -> Result<()> {
        let header = Header::new(self.dtype().clone(), self.order(), self.shape())?;
        header.write(&mut writer)?;
        let mut pickler = Pickler::new(&mut writer)?;
        let written = pickler.object_array(("numpy", "ndarray"), self);
        written.map_err(|failure| failure.in_element(pickler.failed))?;
        pickler.finish()
    }
}
