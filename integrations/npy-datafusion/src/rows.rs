//! The rows of an array, fetched range by range.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::buffer::Buffer;
use npy_remote::{Error, ErrorKind, LocalRows, RemoteNpy, Result};

/// The rows of an array: of a local file, which stays open, or of another object, by requests.
pub(crate) struct Rows {
    remote: RemoteNpy,
    local: Option<Arc<LocalRows>>,
    /// Memory of ranges that were decoded.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Rows {
    pub(crate) async fn open(remote: RemoteNpy, keeps_open: bool) -> Result<Self> {
        let local = if keeps_open { remote.open_local().await?.map(Arc::new) } else { None };
        Ok(Self { remote, local, spare: Mutex::default() })
    }

    /// Reads the bytes of some rows.
    pub(crate) async fn fetch(&self, rows: Range<usize>) -> Result<Buffer> {
        let Some(local) = &self.local else { return self.remote.fetch_rows(rows).await };
        let local = Arc::clone(local);
        let mut bytes = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || local.read(rows, &mut bytes).map(|()| Buffer::from_vec(bytes)));
        match read.await {
            Ok(result) => result,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => Err(self.locate(Error::new(ErrorKind::External, "cannot read the file: the runtime shuts down"))),
        }
    }

    /// Keeps the memory of a range for the next one, unless a column shares it.
    pub(crate) fn recycle(&self, bytes: Buffer) {
        if self.local.is_some()
            && let Ok(bytes) = bytes.into_vec()
        {
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        }
    }

    /// Adds the path of the file to an error of its content.
    pub(crate) fn locate(&self, error: Error) -> Error {
        self.remote.locate(error)
    }
}
