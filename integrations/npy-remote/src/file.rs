//! Objects of a listing, opened by their content.

use std::sync::Arc;

use bytes::Bytes;
use npy_core::{Error, FileFormat, Result};
use object_store::{ObjectMeta, ObjectStore};

use crate::array::Array;
use crate::npy::RemoteNpy;
use crate::npz::RemoteNpz;
use crate::object::Object;
use crate::options::RemoteOptions;

/// The first request: the header of a record of a hundred fields.
const FIRST_BYTES: u64 = 4096;

/// An object of a listing, by its content: an array or an archive.
///
/// For engines that read some rows of many files: unlike [`RemoteNpy::open`], it
/// keeps no data in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use npy_remote::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
/// use npy_remote::{RemoteFile, RemoteOptions};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// npy_remote::save(store.clone(), "samples.npy", &[0.5_f64, 1.5]).await?;
/// let listed = store.head(&"samples.npy".into()).await?;
/// match RemoteFile::open(store, listed, RemoteOptions::new()).await? {
///     RemoteFile::Npy(array) => assert_eq!(array.read_rows::<f64>(1..2).await?, [1.5]),
///     RemoteFile::Npz(archive) => println!("{} members", archive.len()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum RemoteFile {
    /// An `.npy` file.
    Npy(RemoteNpy),
    /// An `.npz` archive.
    Npz(Box<RemoteNpz>),
}

impl RemoteFile {
    /// Opens the version of an object that was listed, and reads its header or directory.
    ///
    /// A header of up to 4 KiB takes one request, an archive one more for its end. A listing may
    /// lack the e-tag or the fractions of the time of modification, which are then not compared.
    ///
    /// # Errors
    ///
    /// Fails if the object was replaced after the listing, if it is neither format, if an array is
    /// truncated, or if the store fails.
    ///
    /// See [`RemoteFile`] for an example.
    pub async fn open(store: Arc<dyn ObjectStore>, listed: ObjectMeta, options: impl Into<RemoteOptions>) -> Result<Self> {
        let (object, first) = Object::open_listed(store, listed, FIRST_BYTES, options.into()).await?;
        if FileFormat::of(&first.bytes) == Some(FileFormat::Npz) {
            return Ok(Self::Npz(Box::new(RemoteNpz::of_object(object).await?)));
        }
        let range = 0..object.size();
        let mut array = Array::open(object, None, range, first.bytes).await?;
        array.front = Bytes::new();
        array.check(0, array.header.data_bytes())?;
        Ok(Self::Npy(array.into()))
    }

    /// Adds the path of the object to an error of its content.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        match self {
            Self::Npy(array) => array.locate(error),
            Self::Npz(archive) => archive.locate(error),
        }
    }
}
