//! Converts errors of files to `DataFusionError`.

use std::sync::Arc;

use datafusion::common::DataFusionError;
use npy_remote::{Error, ErrorKind, store_error};
use object_store::ObjectStore;
use object_store::path::Path;

/// An error that names its file.
#[cold]
pub(crate) fn external(error: Error) -> DataFusionError {
    let is_replaced = error.kind() == ErrorKind::Conflict;
    let error = DataFusionError::External(Box::new(error));
    if is_replaced { error.context("the file changed after the query was planned; run the query again") } else { error }
}

/// An error of a store that DataFusion passes on as it is, such as that of a listing.
#[cold]
pub(crate) async fn of_store(error: DataFusionError, store: &Arc<dyn ObjectStore>, path: &Path, action: &str) -> DataFusionError {
    match error {
        DataFusionError::ObjectStore(error) => external(store_error(&**store, path, action, *error).await),
        other => other,
    }
}
