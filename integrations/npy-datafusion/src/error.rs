//! Converts errors of files to `DataFusionError`.

use datafusion::common::DataFusionError;
use npy_remote::{Error, ErrorKind};

/// An error that names its file.
#[cold]
pub(crate) fn external(error: Error) -> DataFusionError {
    let is_replaced = error.kind() == ErrorKind::Conflict;
    let error = DataFusionError::External(Box::new(error));
    if is_replaced { error.context("the file changed after the query was planned; run the query again") } else { error }
}
