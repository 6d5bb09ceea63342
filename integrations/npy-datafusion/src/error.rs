//! Converts errors of files to `DataFusionError`.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::listing::ListingTableUrl;
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

/// The result of a listing, whose error names the store.
pub(crate) async fn listed<T>(session: &dyn Session, url: &ListingTableUrl, result: Result<T>) -> Result<T> {
    match result {
        Ok(result) => Ok(result),
        Err(error) => {
            let store = session.runtime_env().object_store(url)?;
            Err(of_store(error, &store, url.prefix(), "cannot list the files").await)
        }
    }
}
