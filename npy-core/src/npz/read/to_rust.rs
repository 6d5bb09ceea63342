//! Generates Rust code for an archive.

use std::io::{Read, Seek};

use super::reader::NpzReader;
use crate::error::Result;
use crate::format::dtype::to_rust::archive::{ArchiveMember, archive_to_rust};

impl<R: Read + Seek> NpzReader<R> {
    /// Generates Rust code for this archive: a struct with `#[derive(NpzArchive)]`.
    ///
    /// Each array is an `ndarray` array of its number of axes, and each record dtype a struct as
    /// [`DType::to_rust`](crate::DType::to_rust) writes it. A comment names each member without a field,
    /// such as a damaged one. The code needs `npy-ndarray` with the features `derive` and `npz`, and
    /// `npy-core`.
    ///
    /// ```
    /// use npy_core::npz::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// archive.add_slice("times", &[1.0_f64, 2.0])?;
    /// archive.add_scalar("Sampling rate", &100.0_f32)?;
    ///
    /// let code = NpzReader::new(archive.finish()?)?.to_rust("Run")?;
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(
    ///     code,
    ///     r#"#[derive(npy_ndarray::NpzArchive)]
    /// pub struct Run {
    ///     /// `<f8`
    ///     pub times: npy_ndarray::ndarray::Array1<f64>,
    ///     /// `<f4`
    ///     #[npy(rename = "Sampling rate")]
    ///     pub sampling_rate: f32,
    /// }
    /// "#,
    /// );
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn to_rust(&mut self, name: &str) -> Result<String> {
        self.rust_code(name, false)
    }

    /// [`to_rust`](Self::to_rust) with text of a fixed width, which is written as it was, and with
    /// `Array0` for arrays without dimensions.
    pub fn to_rust_exact(&mut self, name: &str) -> Result<String> {
        self.rust_code(name, true)
    }

    fn rust_code(&mut self, name: &str, is_exact: bool) -> Result<String> {
        let mut members = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let array = if self.is_array(index) {
                match self.header(index) {
                    Ok(header) if header.dtype().has_object() => Err("holds Python objects".to_owned()),
                    Ok(header) => Ok((header.dtype().clone(), header.shape().len())),
                    Err(error) if error.member().is_none() => return Err(error),
                    Err(error) => Err(format!("is damaged: {:#}", error.without_path())),
                }
            } else {
                Err("is not an array".to_owned())
            };
            members.push(ArchiveMember { name: self.name(index).unwrap_or_default().to_owned(), array });
        }
        Ok(archive_to_rust(name, &members, is_exact))
    }
}
