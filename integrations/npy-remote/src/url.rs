//! Stores by URL.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// Returns the store and the path of an object by its URL.
///
/// | URL | feature |
/// |---|---|
/// | `file:///path/to/picks.npy` | |
/// | `https://host/picks.npy`, `http://host/picks.npy` | `http` |
/// | `s3://bucket/picks.npy` | `aws` |
/// | `gs://bucket/picks.npy` | `gcp` |
/// | `az://container/picks.npy` | `azure` |
///
/// Accounts and regions come from the environment, in the variables that `object_store` knows, such
/// as `AWS_ACCESS_KEY_ID`. For other options build the store itself.
///
/// # Errors
///
/// Fails if the text is not such a URL, or if its feature is off.
///
/// ```
/// use npy_remote::{RemoteNpy, parse_url};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("samples.npy");
/// # npy_core::save(&path, &[0.5_f64, 1.5])?;
/// let (store, path) = parse_url(&format!("file://{}", path.display()))?;
/// let array = RemoteNpy::open(store, path).await?;
/// assert_eq!(array.header().shape(), [2]);
/// # Ok(())
/// # }
/// ```
pub fn parse_url(url: &str) -> Result<(Arc<dyn ObjectStore>, Path)> {
    let invalid = |error| Error::from(ErrorKind::InvalidUrl { url: url.to_owned(), error });
    let parsed = url.parse().map_err(|error| invalid(Box::new(error)))?;
    // Variables that are not text have no meaning for a store. The caller chose `http:`.
    let variables = std::env::vars_os().filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
    let allow_http = url.starts_with("http:").then(|| ("allow_http".to_owned(), "true".to_owned()));
    let (store, path) =
        object_store::parse_url_opts(&parsed, variables.chain(allow_http)).map_err(|error| invalid(Box::new(error)))?;
    Ok((store.into(), path))
}
